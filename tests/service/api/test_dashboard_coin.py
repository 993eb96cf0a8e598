"""The page of a campaign under the randomised floor shows what the API says, and no more."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browsing import expect, ready, violations
from serving import Server

from floorline.live import Campaign
from floorline.live.amounts import amount, percent
from floorline.service.host.folder import Folder

DECISIONS = 400
CLICKS = {True: {"now": 0.2, "video": 0.7}, False: {"now": 0.7, "video": 0.2}}
"""Chances by whether the visitor is young, and by arm."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a campaign whose model knows which visitors like what, and a false one."""
    data = tmp_path_factory.mktemp("service") / "data"
    state_falsely(Folder(data, create=True).store.locator("false"))
    rng, now = random.Random(1), [time.time() - DECISIONS]
    with Campaign.open(
        Folder(data, create=True).store.locator("coin"),
        arms=["now", "video"],
        max_loss=0.2,
        floor="randomised",
        unit="clicks",
        seed=1,
        clock=lambda: now[0],
    ) as campaign:
        for _ in range(DECISIONS):
            now[0] += 1
            young = rng.random() < 0.5
            ticket = campaign.decide(candidate="video" if young else "now")
            campaign.observe(ticket, float(rng.random() < CLICKS[young][ticket.arm]))
    started = Server(data)
    yield started
    started.end()


def state_falsely(locator: str) -> None:
    """Run a campaign that states that pending defaults earn at most 2, where each earns 1."""
    with Campaign.open(
        locator,
        arms=["now", "video"],
        max_loss=0.1,
        floor="randomised",
        in_flight_rate=0.0,
        in_flight_burst=2.0,
        missing="zero",
        window=60.0,
        seed=1,
        clock=lambda: time.time() - 30,
    ) as campaign:
        for _ in range(150):
            campaign.observe(campaign.decide(candidate="now"), 1.0)
        for ticket in [campaign.decide(candidate="video") for _ in range(100)]:
            campaign.observe(ticket, float(ticket.arm == "now"))
        for _ in range(400):
            campaign.observe(campaign.decide(candidate="now"), 1.0)
        assert campaign.status().holds


def legend(page: Any, chart: str) -> dict[str, str]:
    """The values in a chart's legend by name."""
    entries = page.locator(f"#{chart} .legend li")
    expect(entries.first).to_be_visible()
    script = "all => all.map((li) => [li.childNodes[li.childNodes.length - 2].textContent,"
    return dict(entries.evaluate_all(f"{script} li.querySelector('b').textContent])"))


def test_page_and_api_agree(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/coin"))
    with server.client() as client:
        status = client.get("/v1/campaigns/coin").json()["status"]
        series = client.get("/v1/campaigns/coin/series").json()
        report = client.get("/v1/campaigns/coin/report").text
    same = status["same_rounds"]
    assert 0.05 <= same["default_probability"] < 1 < same["challengers"]
    for column in ("challengers", "missed", "missed_upper", "default_probability"):
        assert series[column][-1] == same[column]
    picture = legend(page, "picture")
    assert picture["reward received"] == amount(same["received"], "clicks")
    assert picture["the default in the same rounds, estimated"] == amount(same["default"], "clicks")
    ends = [0.8 * same["default_lower"], 0.8 * same["default_upper"]]
    band = f"{amount(ends[0])} to {amount(ends[1], 'clicks')}"
    assert picture["guaranteed range of the floor"] == band
    chance = legend(page, "chance")["now, where another arm is proposed"]
    assert chance == percent(same["default_probability"])
    missed = legend(page, "missed")
    assert missed["challengers received"] == amount(same["challengers"], "clicks")
    bound = amount(same["missed_upper"], "clicks")
    assert missed["now would have received, at most"] == bound
    assert missed["now, estimated"] == amount(same["missed"], "clicks")
    expect(page.locator("#price")).to_contain_text(amount(status["gain"]["estimate"], "clicks"))
    expect(page.locator("#verdict h2")).to_have_text(status["headline"])
    expect(page.locator("#arms .whisker")).to_have_count(0)  # no interval is known
    shares = legend(page, "by-arm").values()
    for number in (amount(same["challengers"], "clicks"), f"{bound} at most", band, *shares):
        assert number in report


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_it_fits_and_can_be_read(
    server: Server, look: Callable[..., Any], width: int, scheme: str
) -> None:
    page = ready(look(f"{server.url}/campaigns/coin", width=width, scheme=scheme))
    expect(page.locator("#chance svg")).to_be_visible()
    page.click("#chance summary")
    expect(page.locator("#chance tbody tr").last).to_contain_text("%")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    page.locator("#log button[aria-label^=Explain]").first.click()
    expect(page.locator("dialog")).to_contain_text("The arithmetic")
    assert violations(page) == []


def test_a_promise_that_is_void_is_not_green(server: Server, look: Callable[..., Any]) -> None:
    """What was stated about pending rewards was false, whatever share seems to be guaranteed."""
    page = ready(look(f"{server.url}/campaigns/false"))
    expect(page.locator("#floor-words")).to_contain_text("Nothing is promised about this epoch")
    expect(page.locator("#verdict")).to_have_class("verdict warn")
    expect(page.locator("#verdict")).not_to_contain_text("Nothing is broken")
    with server.client() as client:
        assert 'class="verdict warn"><h2>Result' in client.get("/v1/campaigns/false/report").text
