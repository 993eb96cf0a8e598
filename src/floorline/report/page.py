"""A report as one HTML page, with its style and drawings inside, and no scripts."""

from __future__ import annotations

from html import escape
from pathlib import Path

from floorline import __version__
from floorline.core.words import counted
from floorline.live.amounts import amount, exact_percent, percent
from floorline.report import parts
from floorline.report.charts import arm_look, guaranteed_range, reward_chart, traffic_chart
from floorline.report.elements import legend, section, time_of
from floorline.report.facts import ReportFacts

STYLE = Path(__file__).with_name("style.css")

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name}: report</title>
<style>
{style}</style>
</head>
<body>
<main>
<h1>{name}</h1>
<p class="soft">{period}</p>
{sections}
</main>
<footer>Floorline {version}. Times are in UTC. Numbers are of epoch {epoch}, as of {now}.</footer>
</body>
</html>
"""


def page_of(facts: ReportFacts) -> str:
    """Return the page."""
    sections = [
        parts.verdict(facts),
        parts.promised(facts),
        parts.earned(facts),
        _rewards(facts) if facts.status.decisions else "",
        parts.arms(facts),
        _traffic(facts) if facts.status.decisions else "",
        parts.guardrails(facts),
        parts.timeline(facts),
        parts.settings(facts),
        parts.verification(facts),
    ]
    decisions = counted(facts.status.decisions, "decision")
    period = f"{time_of(facts.opened_at)} to {time_of(facts.last_event_at)}, {decisions}"
    return PAGE.format(
        name=escape(facts.name),
        style=STYLE.read_text(encoding="utf-8"),
        period=period,
        sections="\n".join(sections),
        version=__version__,
        epoch=facts.status.epoch,
        now=time_of(facts.status.time),
    )


def _rewards(facts: ReportFacts) -> str:
    last = facts.points[-1]
    unit = facts.settings.unit
    share = exact_percent(facts.status.promised_share)
    if facts.status.same_rounds is None:
        names = ("reward, estimated", "the default alone")
        look, band = "c1 faint", "guaranteed range of the reward"
    else:
        names = ("reward received", "the default in the same rounds, estimated")
        look, band = "floor faint", "guaranteed range of the floor"
    least, most = guaranteed_range(last)
    shown = [
        ("c1", names[0], amount(last.reward, unit)),
        ("c0", names[1], amount(last.default, unit)),
        ("floor", f"floor, {share} of it", amount(last.floor, unit)),
        (look, band, f"{amount(least)} to {amount(most, unit)}"),
    ]
    label = ", ".join(f"{name} {value}" for _, name, value in shown)
    chart = reward_chart(facts.points, f"Reward over time: {label}")
    return section("Reward and floor over time", legend(shown) + chart)


def _traffic(facts: ReportFacts) -> str:
    plays = facts.points[-1].plays
    total = sum(plays.values()) or 1
    shown = [
        (arm_look(arm), name, percent(plays[name] / total))
        for arm, name in enumerate(facts.settings.arms)
    ]
    label = ", ".join(f"{name} {share}" for _, name, share in shown)
    chart = traffic_chart(
        facts.points, facts.settings.arms, f"Shares of the traffic over time: {label}"
    )
    return section("Traffic over time", legend(shown) + chart)
