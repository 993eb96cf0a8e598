"""The sections of a report, as HTML."""

from __future__ import annotations

from html import escape

from floorline.core.words import counted
from floorline.live.amounts import amount, exact_percent, percent, sentence, setting, sure_percent
from floorline.live.headline import difference
from floorline.live.notes import words_of
from floorline.live.status import ArmStatus
from floorline.report.elements import numbers, section, table, time_of
from floorline.report.facts import ReportFacts

MAX_PROBLEMS = 20
"""Maximum number of problems listed."""


def verdict(facts: ReportFacts) -> str:
    """Return the headline and whether the floor holds."""
    status = facts.status
    problems = "".join(f"<p>{escape(sentence(problem))}</p>" for problem in status.problems)
    text = f"<p>{escape(status.headline)}</p><p>{escape(status.verdict)}.</p>{problems}"
    sound = status.holds and status.alarm is None
    return section("Result", text, "verdict" if sound else "verdict warn")


def promised(facts: ReportFacts) -> str:
    """Return what was promised."""
    status = facts.status
    promoted = any(arm.as_default for arm in status.arms[1:])
    default = "the default at the time" if promoted else escape(facts.settings.arms[0])
    share, confidence = exact_percent(status.promised_share), exact_percent(status.confidence)
    if facts.settings.floor == "randomised":
        reward, instead = "the reward received", f"{default} would have received in the same rounds"
        needs = ""
    else:
        reward, instead = "the expected reward", f"{default} alone would have earned"
        needs = (
            " It needs a default that does not change, and candidates that do not depend on the "
            "visitor."
        )
    text = (
        f"<p>At every moment, {reward} from all decisions so far is at least {share} of what "
        f"{instead}. This holds, at all times simultaneously, with a probability of at least "
        f"{confidence}.{needs}</p>"
    )
    if status.epoch > 1:
        text += "<p>This was promised for each epoch separately.</p>"
    if status.serves is not None:
        served = escape(status.serves)
        text += f"<p>Since everybody gets {served}, nothing is promised any more.</p>"
    return section("What was promised", text)


def earned(facts: ReportFacts) -> str:
    """Return what was earned against the default, and what the floor cost."""
    status, unit = facts.status, facts.settings.unit
    same = status.same_rounds
    rival = "the default alone" if same is None else "the default in the same rounds"
    shown = [
        (
            "Guaranteed reward",
            sure_percent(status.guaranteed_share),
            f"of the default's, {exact_percent(status.promised_share)} promised",
        )
    ]
    if status.gain is not None:
        low, high = amount(status.gain.lower), amount(status.gain.upper, unit)
        shown.append(
            (
                f"Won against {rival}",
                amount(status.gain.estimate, unit),
                f"by estimate; surely between {low} and {high}",
            )
        )
    if same is not None:
        bounds = f"{amount(same.missed)} by estimate, {amount(same.missed_upper, unit)} at most"
        shown.append(
            (
                "Received by challengers",
                amount(same.challengers, unit),
                f"where the default would have received {bounds}",
            )
        )
    if status.over_equal_split is not None:
        over = amount(status.over_equal_split, unit)
        shown.append(("Won against an equal split", over, "by estimate, of the same traffic"))
    if status.price is not None:
        cost = "cost" if status.price >= 0 else "saved"
        turned = counted(status.turned_away, "decision")
        shown.append(
            (
                f"What the floor {cost}",
                amount(abs(status.price), unit),
                f"by estimate, with {turned} that it gave to the default",
            )
        )
    return section("What was earned", numbers(shown))


def arms(facts: ReportFacts) -> str:
    """Return what is known of each arm."""
    status, unit = facts.status, facts.settings.unit
    default = status.arms[0]
    total = sum(arm.plays for arm in status.arms) or 1
    if status.same_rounds is not None:
        return _averages(facts, total)
    rows = []
    for arm in status.arms:
        known = arm.average is not None and default.average is not None
        against = difference(arm, default, unit) if known and arm is not default else ""
        rows.append(
            (
                _named(facts, arm),
                against,
                f"{arm.plays:,}",
                percent(arm.plays / total),
                amount(arm.average),
                f"{amount(arm.lower)} to {amount(arm.upper)}",
            )
        )
    columns = ("Arm", "Against the default", "Decisions", "Share", _mean(unit), "Interval")
    note = '<p class="soft">All intervals hold together at all times, at the confidence above.</p>'
    return section("Arms", table(columns, rows, 4) + note, "arms")


def _averages(facts: ReportFacts, total: int) -> str:
    """Return each arm's traffic and average, where averages do not compare the arms."""
    rows = [
        (_named(facts, arm), f"{arm.plays:,}", percent(arm.plays / total), amount(arm.average))
        for arm in facts.status.arms
    ]
    columns = ("Arm", "Decisions", "Share", _mean(facts.settings.unit))
    note = (
        '<p class="soft">The mean is the average over the decisions in which an arm was played. If '
        "a model chooses who sees what, the means do not compare the arms.</p>"
    )
    return section("Arms", table(columns, rows, 3) + note, "arms")


def _named(facts: ReportFacts, arm: ArmStatus) -> str:
    if arm.name == facts.settings.arms[0]:
        return f"{arm.name} (default)"
    return f"{arm.name} (retired)" if arm.name in facts.status.retired else arm.name


def _mean(unit: str | None) -> str:
    return "Mean reward" if unit is None else f"Mean reward ({unit})"


def guardrails(facts: ReportFacts) -> str:
    """Return what is known of further metrics; nothing if there are none."""
    rows = [
        (
            metric.name,
            f"{arm.arm} (retired)" if arm.arm in facts.status.retired else arm.arm,
            f"{arm.seen:,}",
            amount(arm.average),
            f"{amount(arm.lower)} to {amount(arm.upper)}",
            "none" if metric.limit is None else f"not {metric.worse} {amount(metric.limit)}",
        )
        for metric in facts.status.guardrails
        for arm in metric.arms
    ]
    columns = ("Metric", "Arm", "Reported", "Mean", "Interval", "Limit")
    return section("Guardrails", table(columns, rows, 4)) if rows else ""


def timeline(facts: ReportFacts) -> str:
    """Return what was done to the campaign, with people's notes."""
    rows = [(time_of(event.time), words_of(event.kind, event.body)) for event in facts.events]
    return section("What happened", table(("Time (UTC)", "What"), rows))


def settings(facts: ReportFacts) -> str:
    """Return the settings."""
    rows = [(name, setting(value)) for name, value in facts.settings.to_json().items()]
    return section("Settings", table(("Setting", "Value"), rows))


def verification(facts: ReportFacts) -> str:
    """Return how the ledger was verified for this report."""
    found = facts.verification
    if found is None:
        return section("How this was verified", "<p>The ledger was not verified.</p>")
    text = (
        "<p>For this report every event of the campaign's ledger was read and replayed: "
        f"{found.contents}. Chained checksums show whether any is damaged or missing; each was "
        "checked against those before it; and the budget of every decision was recomputed.</p>"
    )
    if found.erased:
        erased = counted(found.erased, "decision")
        text += f"<p>Request keys and contexts of {erased} were erased, as the events say.</p>"
    if found.problems:
        listed = "".join(f"<li>{escape(text)}</li>" for text in found.problems[:MAX_PROBLEMS])
        text += f"<p><b>{counted(len(found.problems), 'problem')}:</b></p><ul>{listed}</ul>"
    else:
        text += "<p>Everything agrees; every decision for a challenger was affordable.</p>"
    text += "<p>To repeat this: <code>floorline ledger verify FILE</code></p>"
    return section("How this was verified", text, "verdict warn" if found.problems else "")
