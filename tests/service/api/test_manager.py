"""A manager's path, in a real browser: open in the form, watch, read the verdict, finish, share."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import expect, ready, violations
from serving import Server

RATES = {"heute": 0.1, "größere Bilder": 0.9}
"""So different that a few hundred visitors are enough."""
VISITORS = 600


def visit(server: Server, campaign: str, count: int) -> None:
    """Let visitors come in groups, and report the orders of those who buy, up to 40 EUR."""
    rng = random.Random(1)
    with server.client() as client:
        for _ in range(count // 100):
            path = f"/v1/campaigns/{campaign}/decisions"
            made = client.post(path, json={"requests": [{}] * 100}).json()["decisions"]
            rewards = [
                {"ticket": one["ticket"], "reward": round(rng.uniform(30, 40), 2) * buys}
                for one in made
                for buys in [rng.random() < RATES[one["arm"]]]
            ]
            client.post("/v1/rewards", json={"rewards": rewards})


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_from_opening_to_the_report(
    start: Callable[..., Server],
    look: Callable[..., Any],
    tmp_path: Path,
    width: int,
    scheme: str,
) -> None:
    server = start(tmp_path / "data")
    page = ready(look(server.url, width=width, scheme=scheme))
    page.click("text=New campaign")
    page.fill("#name", "Herbst")
    page.fill("#arms", "\n".join(RATES))
    page.fill("#high", "40")
    page.fill("#unit", "EUR")
    page.check("#missing-unknown")
    assert violations(page) == []
    page.click("text=Open the campaign")
    expect(page.locator("#verdict h2")).to_contain_text("Too early to say who leads")

    visit(server, "Herbst", VISITORS)  # and nobody reloads the page
    verdict = page.locator("#verdict h2")
    expect(verdict).to_contain_text("größere Bilder is surely better than heute: about")
    expect(verdict).to_contain_text("You can finish with it")
    expect(page.locator("#floor-words")).to_contain_text("The floor holds")
    expect(page.locator("#finish")).to_have_class("primary")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []

    page.fill("#note", "The autumn catalogue came out")
    page.click("text=Add note")
    page.click("#finish")
    expect(page.locator("#ask-arm")).to_have_value("größere Bilder")  # what is recommended
    page.click("dialog button.danger")
    expect(page.locator("#state")).to_have_text("finished")
    expect(verdict).to_contain_text("Finished: everybody gets größere Bilder. Against heute: about")

    with page.expect_popup() as opened:
        page.click("#report")
    report = opened.value
    headline = verdict.inner_text()
    expect(report.locator(".verdict").first).to_contain_text(headline)
    expect(report.locator("main")).to_contain_text("note: The autumn catalogue came out")
    expect(report.locator("main")).to_contain_text("finished: everybody gets größere Bilder")
    expect(report.locator("main")).to_contain_text(
        re.compile(r"Won against the default alone[\d,.]+ EUR")
    )
    expect(report.locator("main")).to_contain_text("every decision for a challenger was affordable")
    assert report.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(report) == []
