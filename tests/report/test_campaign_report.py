"""The report of a campaign: one page, complete, true and harmless."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from floorline.live import Campaign
from floorline.live.guardrails import Guardrail
from floorline.live.status import Status
from floorline.report import facts_of, page_of

MONDAY = 1_794_787_200.0


def sell(path: Path, decisions: int = 400) -> Status:
    """Run a campaign of two days with money, notes and a winner; its last status."""
    rng, now = random.Random(1), [MONDAY]
    with Campaign.open(
        str(path),
        arms=["heute", "b neu"],
        max_loss=0.1,
        high=50.0,
        unit="EUR",
        missing="zero",
        window=600.0,
        seed=1,
        clock=lambda: now[0],
    ) as campaign:
        for _ in range(decisions):
            now[0] += 2 * 86_400 / decisions
            ticket = campaign.decide()
            if rng.random() < (0.8 if ticket.arm != "heute" else 0.3):
                campaign.observe(ticket, rng.uniform(10, 50))
        campaign.note("<script>alert(1)</script> & the price list changed")
        now[0] += 3600
        campaign.finish(campaign.settings.arms[1])
        return campaign.status()


class Parts(HTMLParser):
    """The tags of a page, what they refer to, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.references: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.references += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("report") / "shop.ledger"


@pytest.fixture(scope="module")
def status(ledger: Path) -> Status:
    return sell(ledger)


@pytest.fixture(scope="module")
def page(ledger: Path, status: Status) -> str:
    return page_of(facts_of(str(ledger), "Frühjahr & Herbst", MONDAY))


def test_a_report_needs_nothing_but_itself(page: str) -> None:
    found = Parts(page)
    assert not {"script", "link", "img", "iframe", "object"} & set(found.tags)
    assert found.references == []
    assert not re.search(r"url\(|@import|https?://", page)


def test_what_people_wrote_is_text(page: str) -> None:
    assert "<script>" not in page
    text = Parts(page).text
    assert "note: <script>alert(1)</script> & the price list changed" in text
    assert "Frühjahr & Herbst" in text


def test_it_tells_the_whole_story(page: str, status: Status) -> None:
    text = Parts(page).text
    assert status.headline in text
    assert f"{status.verdict}." in text
    assert "at least 90% of what heute alone would have earned" in text
    assert "It needs a default that does not change" in text
    assert "16 Nov 2026, 00:00:00 to 18 Nov 2026, 01:00:00, 400 decisions" in text
    assert "Since everybody gets b neu, nothing is promised any more." in text
    assert "finished: everybody gets b neu" in text
    assert "Everything agrees; every decision for a challenger was affordable." in text
    assert re.search(r"unit EUR", text)
    assert re.search(r"low 0 high 50 .* voids false", text)
    assert page.count("<svg") == 2


def test_its_numbers_are_those_of_the_status(ledger: Path, status: Status) -> None:
    facts = facts_of(str(ledger), "shop", status.time)
    assert facts.status == status
    last = facts.points[-1]
    assert status.gain is not None and last.reward is not None and last.default is not None
    assert status.gain.estimate == pytest.approx(last.reward - last.default)
    assert status.gain.lower <= status.gain.estimate <= status.gain.upper
    assert {arm.name: arm.plays for arm in status.arms} == last.plays


def test_windows_may_have_ended_since_the_last_event(tmp_path: Path) -> None:
    """Every reward has come, so nothing is recorded any more; the page has the estimate by then."""
    path, now = tmp_path / "shop.ledger", [MONDAY]
    settings = {"arms": ["now", "b"], "max_loss": 0.1, "missing": "zero", "window": 600.0}
    with Campaign.open(path, seed=1, clock=lambda: now[0], **settings) as campaign:
        for number in range(50):
            now[0] += 1
            campaign.observe(campaign.decide(), float(number % 2))
        last = now[0]
        now[0] += 3600
        status = campaign.status()
    assert status.arms[0].estimated_from == status.arms[0].plays > 0
    assert facts_of(str(path), "shop", now[0]).status == status
    assert facts_of(str(path), "shop", last).status.arms[0].average is None
    page = page_of(facts_of(str(path), "shop", now[0]))
    assert "as of 16 Nov 2026, 01:00:50." in page


def test_a_damaged_ledger_is_not_reported_as_sound(ledger: Path, status: Status) -> None:
    facts = facts_of(str(ledger), "shop", MONDAY)
    facts.verification.problems.append("event 7: a reward of 99, outside the declared range")
    text = Parts(page_of(facts)).text
    assert "1 problem: event 7: a reward of 99" in text
    assert "Everything agrees" not in text


def test_problems_are_sentences_and_guardrails_readable(ledger: Path, status: Status) -> None:
    facts = facts_of(str(ledger), "shop", MONDAY)
    wrong = replace(status, problems=["are rewards reported, and soon enough?", "no reward came"])
    guardrails = (Guardrail("latency_ms", 0.0, 2000.0, 500.0),)
    settings = replace(facts.settings, guardrails=guardrails)
    text = Parts(page_of(replace(facts, status=wrong, settings=settings))).text
    assert "Are rewards reported, and soon enough? No reward came. " in text
    assert "name=latency_ms low=0 high=2000 limit=500 worse=above" in text


def test_before_the_first_decision(tmp_path: Path) -> None:
    path = tmp_path / "new.ledger"
    Campaign.open(str(path), arms=["now", "b"], max_loss=0.1, clock=lambda: MONDAY).close()
    text = Parts(page_of(facts_of(str(path), "new", MONDAY))).text
    assert "Too early to say who leads" in text
    assert "0 decisions" in text


def test_the_randomised_floor_promises_something_else(tmp_path: Path) -> None:
    path = tmp_path / "new.ledger"
    settings = {"arms": ["now", "b"], "max_loss": 0.1, "missing": "zero", "window": 60.0}
    randomised = {"policy": "conservative-ucb", "floor": "randomised"}
    Campaign.open(str(path), clock=lambda: MONDAY, **settings, **randomised).close()
    text = Parts(page_of(facts_of(str(path), "new", MONDAY))).text
    assert "the reward received from all decisions so far is at least 90% of what now would" in text
    assert "nothing is promised any more" not in text
    assert "It needs a default" not in text


def test_after_a_promotion_the_promise_is_against_the_default_of_the_time(tmp_path: Path) -> None:
    path = str(tmp_path / "promoted.ledger")
    with Campaign.open(path, arms=["now", "video"], max_loss=0.1, arms_may_change=True) as campaign:
        before = page_of(facts_of(path, "shop", MONDAY))
        campaign.decide()
        campaign.promote_arm("video")
    assert "of what now alone would have earned" in before
    after = page_of(facts_of(path, "shop", MONDAY))
    assert "of what the default at the time alone would have earned" in after


def test_the_command(floorline, ledger: Path, status: Status, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    done = floorline("report", str(ledger), "--out", str(out), "--name", "Frühjahr")
    assert done.returncode == 0, done.stderr
    assert status.headline in done.stdout
    assert "Frühjahr" in out.read_text()
    missing = floorline("report", str(tmp_path / "none.ledger"), "--out", str(out))
    assert missing.returncode != 0
    assert "none.ledger" in missing.stderr and "Traceback" not in missing.stderr


@pytest.mark.parametrize("command", [["report"], ["ledger", "export"]])
def test_files_are_in_utf_8_whatever_the_locale(command: list[str], tmp_path: Path) -> None:
    with Campaign.open(str(tmp_path / "a"), arms=["früh", "spät"], max_loss=0.1) as campaign:
        campaign.observe(campaign.decide(), 1.0)
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "floorline", *command, "a", "--out", "out"],
        cwd=tmp_path,
        env={**os.environ, **ascii_only},
        capture_output=True,
        text=True,
    )
    assert "früh" in (tmp_path / "out").read_text(encoding="utf-8"), done.stderr
