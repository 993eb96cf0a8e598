"""The dashboard in a real browser."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browsing import expect, ready, violations
from serving import Server

from floorline.service.host.folder import Folder
from floorline.service.http.keys import SCOPES, KeyFile

CAMPAIGN = {
    "name": "page",
    "arms": ["now", "video", "quiz"],
    "max_loss": 0.1,
    "missing": "unknown",
}
VERDICT = "The floor holds: at least 100.0% of the default, promised 90%, confidence 95%"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service without keys, with one campaign that has decided and one that has not."""
    started = Server(tmp_path_factory.mktemp("service") / "data")
    with started.client() as client:
        for name in ("busy", "idle"):
            client.post("/v1/campaigns", json={**CAMPAIGN, "name": name})
    play(started, "busy", 600)
    yield started
    started.end()


def play(server: Server, campaign: str, count: int) -> list[str]:
    """Let visitors come, most of whose rewards are known; their tickets."""
    rng = random.Random(1)
    means = {"now": 0.5, "video": 0.7, "quiz": 0.3}
    tickets: list[str] = []
    with server.client() as client:
        while len(tickets) < count:
            asked = {"requests": [{}] * min(100, count - len(tickets))}
            path = f"/v1/campaigns/{campaign}/decisions"
            made = client.post(path, json=asked).json()["decisions"]
            tickets += [decision["ticket"] for decision in made]
            rewards = [
                {
                    "ticket": decision["ticket"],
                    "reward": float(rng.random() < means[decision["arm"]]),
                }
                for decision in made
                if rng.random() < 0.95
            ]
            client.post("/v1/rewards", json={"rewards": rewards})
    return tickets


def test_from_the_form_to_the_end(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(server.url))
    page.click("text=New campaign")
    page.fill("#name", "not a name")
    page.fill("#arms", "now\nvideo\nquiz")
    page.fill("#max_loss", "1.5")
    page.click("text=Open the campaign")
    expect(page.locator("#max_loss-error")).to_have_text("must be at most 1, not 1.5")
    expect(page.locator("#max_loss-hint")).to_contain_text("such as 0.1 for 10%")
    page.fill("#max_loss", "0")
    expect(page.locator("#max_loss-hint")).to_contain_text("no challenger is ever tried")
    page.fill("#low", "-1")
    expect(page.locator("#low-hint")).to_contain_text("surely above 0")
    page.fill("#low", "0")
    expect(page.locator("#low-hint")).to_be_empty()
    page.fill("#max_loss", "0.1")
    expect(page.locator("#max_loss-error")).to_be_empty()  # as soon as it is corrected
    page.click("text=Open the campaign")
    expect(page.locator("#missing-error")).to_contain_text("must be given")
    expect(page.locator("#window-field")).to_be_hidden()
    page.check("#missing-zero")
    expect(page.locator("#missing-error")).to_be_empty()
    expect(page.locator("#window-field")).to_be_visible()
    page.check("#missing-unknown")
    page.click("text=Open the campaign")
    expect(page.locator("#name-error")).to_contain_text("must be at most 64 letters")
    expect(page.locator("#name")).to_be_focused()
    page.fill("#name", "landing")
    expect(page.locator("#name-error")).to_be_empty()
    page.check("#missing-zero")
    page.fill("#window", "-3")
    page.click("text=Open the campaign")
    expect(page.locator("#window-error")).to_have_text("must be a time above 0")
    page.check("#missing-unknown")
    expect(page.locator("#max_loss-hint")).to_have_text("The floor: 90% of the default's reward.")
    page.click("text=More settings")
    page.click("text=Add a guardrail")
    page.click("text=Add a guardrail")
    page.click("[aria-label='Remove guardrail 2']")
    page.fill("#guardrail-1-name", "latency_ms")
    page.fill("#guardrail-1-low", "0")
    page.click("text=Open the campaign")
    expect(page.locator("#guardrails-error")).to_contain_text("high")
    expect(page.locator("#guardrail-1-high")).to_be_focused()
    page.fill("#guardrail-1-high", "2000")
    expect(page.locator("#guardrails-error")).to_be_empty()
    page.fill("#guardrail-1-limit", "9000")
    page.click("text=Open the campaign")
    expect(page.locator("#guardrails-error")).to_contain_text("limit: must be")
    page.fill("#guardrail-1-limit", "500")
    page.click("text=Open the campaign")
    page.wait_for_url("**/campaigns/landing")
    expect(page.locator("#metrics tbody tr").first).to_contain_text("not above 500")
    expect(page.locator("#verdict h2")).to_contain_text("Too early to say who leads")
    expect(page.locator("#floor-words")).to_have_text(f"{VERDICT}.")
    expect(page.locator("#picture")).to_contain_text("No decisions yet.")
    expect(page.locator("#log")).to_contain_text("No decisions yet.")
    expect(page.locator("#connection")).to_have_text("Live")

    tickets = play(server, "landing", 30)  # and nobody reloads the page
    expect(page.locator("#tiles")).to_contain_text("30")
    expect(page.locator("#picture svg")).to_have_attribute(
        "aria-label", re.compile("Reward and floor, after 30 decisions: .+")
    )
    expect(page.locator("#log code").first).to_have_text(tickets[-1])

    page.fill("#ticket", tickets[3])
    page.click("#search button")
    expect(page.locator("dialog")).to_contain_text("The arithmetic")
    expect(page.locator("dialog li").last).to_contain_text("the least budget not refuted")
    page.keyboard.press("Escape")
    page.fill("#ticket", "none-1")
    page.click("#search button")
    expect(page.locator("#search-error")).not_to_be_empty()

    page.click("#pause")
    expect(page.locator("#state")).to_have_text("paused")
    page.click("#resume")
    expect(page.locator("#state")).to_have_text("running")
    page.click("#start-epoch")
    page.click("text=Start it")
    expect(page.locator("#tiles")).to_contain_text("in epoch 2")
    page.click("#stop")
    page.click("dialog >> text=Cancel")
    expect(page.locator("#state")).to_have_text("running")
    page.click("#finish")
    page.select_option("#ask-arm", "video")
    assert violations(page) == []
    page.click("dialog button.danger")
    expect(page.locator("#state")).to_have_text("finished")
    expect(page.locator("#pause")).to_be_disabled()
    play(server, "landing", 1)
    expect(page.locator("#log tbody tr").first).to_contain_text("finished: the winner")
    page.click("#stop")
    expect(page.locator("#ask-arm")).to_have_value("video")
    page.click("text=Stop for good")
    expect(page.locator("#state")).to_have_text("stopped")
    expect(page.locator("#stop")).to_be_disabled()
    expect(page.locator("#events tbody tr")).to_have_count(6)
    expect(page.locator("#events tbody")).to_contain_text("stopped: everybody gets video")
    page.fill("#note", "The shop was closed on Monday")
    page.click("text=Add note")
    expect(page.locator("#events tbody tr").first).to_contain_text("note: The shop was closed")
    expect(page.locator("#note")).to_have_value("")
    page.fill("#labels", "web, autumn")
    page.click("text=Save labels")
    page.click("#archive")
    expect(page.locator("#archive")).to_have_text("Take out of the archive")
    page.click("text=Campaigns")
    expect(page.locator("#campaigns")).to_contain_text("busy")
    expect(page.locator("#campaigns")).not_to_contain_text("landing")
    page.click("text=Show 1 archived campaign")
    expect(page.locator("#campaigns")).to_contain_text("autumn")

    page.click("text=landing")
    page.click("#delete")
    expect(page.locator("text=Delete for good")).to_be_disabled()
    page.fill("#delete-name", "landing")
    assert violations(page) == []
    page.click("text=Delete for good")
    expect(page.locator("#campaigns")).to_contain_text("busy")
    expect(page.locator("#campaigns")).not_to_contain_text("landing")
    expect(page.locator("#archived-field")).to_be_hidden()


def test_a_running_campaign_cannot_be_deleted(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/busy"))
    expect(page.locator("#delete")).to_be_disabled()


def test_numbers_agree_with_the_service(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/busy"))
    with server.client() as client:
        status = client.get("/v1/campaigns/busy").json()["status"]
        made = client.get("/v1/campaigns/busy/decisions?limit=1000").json()["decisions"]
    expect(page.locator("#verdict h2")).to_have_text(status["headline"])
    expect(page.locator("#floor-words")).to_contain_text(status["verdict"])
    introduction, *lines = status["arithmetic"]
    page.get_by_text("The arithmetic of the guaranteed budget").click()
    expect(page.get_by_text(introduction)).to_be_visible()
    expect(page.locator("#arithmetic li")).to_have_text(lines)
    page.click("#by-arm summary")
    expect(page.locator("#by-arm tbody tr")).to_have_count(3)
    rows = page.locator("#by-arm tbody tr").all_inner_texts()
    counts = {row.split("\t")[0]: int(row.split("\t")[1]) for row in rows}
    assert counts == {arm["name"]: arm["plays"] for arm in status["arms"]}
    forced = sum(decision["reason"] in ("budget-low", "no-rewards") for decision in made)
    expect(page.locator("#price")).to_contain_text(f"what {forced} decisions")
    pending = sum(decision["outcome"] == "pending" for decision in made)
    expect(page.locator("#health h3")).to_contain_text(f"Pending: {pending}")
    with page.expect_download() as download:
        page.click("#export-decisions-csv")
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == 1 + len(made)


def test_the_service_goes_and_comes_back(
    start: Callable[..., Server], look: Callable[..., Any], tmp_path: Path
) -> None:
    server = start(tmp_path / "data")
    with server.client() as client:
        client.post("/v1/campaigns", json=CAMPAIGN)
    page = ready(look(f"{server.url}/campaigns/page"))
    overview = ready(look(server.url))
    expect(page.locator("#connection")).to_have_text("Live")
    assert server.end() == 0
    expect(page.locator("#connection")).to_contain_text("does not answer")
    expect(overview.locator("#connection")).to_contain_text("does not answer")
    again = start(tmp_path / "data", "--port", str(urlsplit(server.url).port))
    with again.client() as client:
        client.post("/v1/campaigns/page/decisions")
    expect(page.locator("#connection")).to_have_text("Live")
    expect(page.locator("#tiles dd").first).to_have_text("1")


def test_keys(start: Callable[..., Server], look: Callable[..., Any], tmp_path: Path) -> None:
    keys = KeyFile(Folder(tmp_path / "data", create=True).keys)
    reader, decider, owner = (keys.create(s) for s in (["read"], ["decide"], SCOPES))
    server = start(tmp_path / "data")
    with server.client(headers={"Authorization": f"Bearer {owner}"}) as client:
        client.post("/v1/campaigns", json=CAMPAIGN)
    page = look(f"{server.url}/campaigns/page")
    for key, words in ((f"{reader}x", "not valid"), (decider, "lacks the scope read")):
        page.fill("#key", key)
        page.click("text=Use this key")
        expect(page.locator("#key-error")).to_contain_text(words)
    page.fill("#key", reader)
    page.click("text=Use this key")
    expect(page.locator("#connection")).to_have_text("Live")
    expect(page.locator("#hint")).to_contain_text("lacks the scope admin")
    expect(page.locator("#pause")).to_be_disabled()
    with page.expect_download() as download:  # which a plain link could not have
        page.click("#export-decisions-csv")
    assert Path(download.value.path()).read_text().startswith("ticket,")
    ready(page).click("text=Campaigns")  # without being asked again
    expect(page.locator("#campaigns")).to_contain_text("page")
    expect(page.locator("#new")).to_be_disabled()
    page.click("#forget-key")
    page.fill("#key", owner)
    page.click("text=Use this key")
    expect(page.locator("#new")).to_be_enabled()


@pytest.mark.parametrize("path", ["/", "/campaigns/busy", "/campaigns/idle"])
def test_a_phone_in_the_dark(server: Server, look: Callable[..., Any], path: str) -> None:
    page = ready(look(f"{server.url}{path}", width=360, scheme="dark"))
    page.evaluate("Promise.all(document.getAnimations().map((animation) => animation.finished))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in colour.strip("rgb()").split(",")) < 64
    assert violations(page) == []


def test_for_everyone(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/busy"))
    expect(page.locator("#log table")).to_be_visible()
    for summary in page.locator("summary:visible").all():
        summary.click()
    assert violations(page) == []
    page.locator("#log button[aria-label^=Explain]").first.click()
    expect(page.locator("dialog h2")).to_be_focused()
    assert violations(page) == []
    page = ready(look(server.url))
    page.click("#new")
    page.click("text=More settings")
    page.click("text=Add a guardrail")
    assert violations(page) == []
    page.select_option("#floor", "randomised")
    expect(page.locator("#floor-hint")).to_contain_text("in the very same rounds")
    expect(page.locator("#holdback")).to_have_value("0.05")


def test_axe_finds_what_is_wrong(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(server.url))
    page.evaluate("document.body.append(document.createElement('input'))")
    assert [found.split(":")[0] for found in violations(page)] == ["label", "region"]


def test_nothing_moves(server: Server, look: Callable[..., Any]) -> None:
    page = look(f"{server.url}/campaigns/idle")
    page.evaluate(
        "window.moved = 0; new PerformanceObserver((list) => { for (const hosted of list"
        ".getEntries()) window.moved += hosted.value; })"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    ready(page)
    play(server, "idle", 5)
    expect(page.locator("#tiles dd").first).to_have_text("5")
    assert page.evaluate("window.moved") < 0.1  # what is held to be good


def test_a_page_that_nobody_sees_rests(server: Server, look: Callable[..., Any]) -> None:
    turn = (
        "(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable:"
        " true }); document.dispatchEvent(new Event('visibilitychange')); }"
    )
    page, witness = (ready(look(f"{server.url}/campaigns/idle")) for _ in range(2))
    expect(page.locator("#connection")).to_have_text("Live")
    expect(witness.locator("#connection")).to_have_text("Live")
    with page.expect_event("requestfailed", lambda asked: asked.url.endswith("/live")):
        page.evaluate(turn, True)  # the stream is given up
    before = page.locator("#tiles dd").first.inner_text()
    play(server, "idle", 1)
    expect(witness.locator("#tiles dd").first).to_have_text(str(int(before) + 1))
    assert page.locator("#tiles dd").first.inner_text() == before
    page.evaluate(turn, False)
    expect(page.locator("#tiles dd").first).to_have_text(str(int(before) + 1))


def test_a_campaign_that_is_not_there(server: Server, look: Callable[..., Any]) -> None:
    page = look(f"{server.url}/campaigns/nowhere")
    expect(page.locator("#failed h1")).to_have_text("No such campaign")


def test_a_floor_that_saved_something_was_not_paid_for(
    server: Server, look: Callable[..., Any]
) -> None:
    page = ready(look(f"{server.url}/campaigns/idle"))
    script = """async (price) => {
      const { get, campaignPath } = await import("/dashboard/api.js");
      const { showPrice } = await import("/dashboard/price.js");
      const { status, settings } = await get(campaignPath("busy"));
      showPrice({ ...status, price }, settings);
      return document.getElementById("price").innerText;
    }"""
    saved, paid = (page.evaluate(script, price) for price in (-5, 5))
    assert "about 5 of reward saved by the floor" in saved
    assert "would have earned less than the default" in saved
    assert "about 5 of reward paid for the floor" in paid
    assert "would have earned beyond the default" in paid


def test_traffic_that_is_told_once_a_second_has_no_gaps(
    server: Server, look: Callable[..., Any]
) -> None:
    """A campaign of ten seconds has bars of a fifth of one; one that rested has a gap."""
    page = ready(look(f"{server.url}/campaigns/idle"))
    script = """async (times) => {
      const { stackedChart } = await import("/dashboard/stacked.js");
      const host = document.querySelector("#by-arm").cloneNode(false);
      document.querySelector("#by-arm").after(host);
      const decisions = times.map((_, i) => 10 * (i + 1));
      const parts = [{ name: "now", look: "c0", counts: decisions }];
      stackedChart(host, "").show({ times, decisions, parts, label: "Traffic" });
      while (!host.querySelector("rect")) await new Promise(requestAnimationFrame);
      const bars = [...host.querySelectorAll("rect")].map((bar) => bar.getBoundingClientRect());
      host.remove();
      return bars.slice(1).map((bar, i) => bar.left - bars[i].right);
    }"""
    gaps = page.evaluate(script, [1000 + second for second in range(11)])
    assert len(gaps) == 10
    assert max(gaps) < 1
    gaps = page.evaluate(script, [1000 + 10 * second for second in range(11)])
    assert min(gaps) > 1
