"""The dashboard with money, days and names of any script: what it says fits and is complete."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import expect, ready, violations
from serving import Server

from floorline.live import Campaign
from floorline.live.amounts import amount, percent, sure_percent
from floorline.service.host.folder import Folder

DAY = 86_400.0
NAME = "Frühjahr-日本"
RATES = {"heute": 0.3, "größere Bilder": 0.6, "नया": 0.2}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a campaign that has sold for six days, at up to 25,000 EUR a visitor.

    One arm was retired after two days. Some decisions are pending, and one reward was refused.
    """
    data = tmp_path_factory.mktemp("service") / "data"
    folder = Folder(data, create=True)
    rng = random.Random(1)
    # It ended before the service came up, so windows go on from there: none ends within minutes.
    now = [time.time() - 6 * DAY - 7200]
    settings = {"max_loss": 0.1, "missing": "zero", "window": 3600.0, "unit": "EUR"}
    with Campaign.open(
        folder.store.locator(NAME),
        arms=list(RATES),
        high=25_000.0,
        seed=1,
        clock=lambda: now[0],
        **settings,
    ) as campaign:
        for number in range(800):
            now[0] += 6 * DAY / 800
            if number == 266:
                campaign.retire_arm("नया")
            ticket = campaign.decide()
            if rng.random() < RATES[ticket.arm]:
                campaign.observe(ticket, rng.uniform(100, 25_000))
        with pytest.raises(ValueError, match="reward"):
            campaign.observe(campaign.decide(), 30_000)
    started = Server(data)
    yield started
    started.end()


CUT = """() => [...document.querySelectorAll(".plot svg")].flatMap((picture) => {
  const frame = picture.getBoundingClientRect();
  return [...picture.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.left < frame.left - 1 || box.right > frame.right + 1
      || box.bottom > frame.bottom + 1;
  }).map((text) => text.textContent);
})"""
"""The labels of charts of which a part is not seen."""


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_labels_fit(server: Server, look: Callable[..., Any], width: int, scheme: str) -> None:
    page = ready(look(f"{server.url}/campaigns/{NAME}", width=width, scheme=scheme))
    expect(page.locator("#name")).to_have_text(NAME)
    expect(page.locator("#log tbody tr")).to_have_count(12)
    assert page.evaluate(CUT) == []
    labels = [label.strip() for label in page.locator("#picture svg text").all_text_contents()]
    assert any(re.fullmatch(r"[1-9]M", label) for label in labels), labels
    assert sum(bool(re.fullmatch(r"\d+ \w{3}", label)) for label in labels) >= 2, labels
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []


def test_a_label_that_is_cut_is_found(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/{NAME}"))
    # In one call: the page may draw itself anew between two.
    long = "document.querySelector('#picture svg text').textContent = '1,234,567,890,123'"
    assert page.evaluate(f"() => {{ {long}; return ({CUT})(); }}") == ["1,234,567,890,123"]


def test_money_has_its_unit(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/{NAME}"))
    expect(page.locator("#tiles")).to_contain_text(re.compile(r"Guaranteed budget[\d,.]+ EUR"))
    expect(page.locator("#picture .legend")).to_contain_text(re.compile(r"estimated[\d,]+ EUR"))
    expect(page.locator("#price")).to_contain_text("EUR")
    expect(page.locator("#log thead")).to_contain_text("Reward (EUR)")
    expect(page.locator("#log tbody tr").first).to_contain_text(re.compile(r"^\d+ \w{3}, \d\d:"))
    page.locator("#log button[aria-label^=Explain]").first.click()
    expect(page.locator("dialog li").last).to_contain_text("EUR")
    shown = page.locator("#log tbody tr").first.locator("td").nth(2).text_content()
    expect(page.locator("dialog")).to_contain_text(f"Reason: {shown}; ")


def test_the_table_of_decisions_on_a_phone(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/{NAME}", width=360))
    row = page.locator("#log tbody tr").first
    expect(row.locator("button")).to_be_visible()
    widths = row.locator("td").evaluate_all("cells => cells.map((cell) => cell.scrollWidth)")
    assert max(widths) <= 332  # nothing to scroll sideways for


def test_a_campaign_of_any_script_from_the_form(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(server.url))
    page.click("text=New campaign")
    page.fill("#name", "Cafe\u0301")  # two characters for one letter, as some keyboards send them
    page.fill("#arms", "jetzt")
    page.check("#missing-zero")
    page.fill("#window", "30")
    page.click("text=Open the campaign")
    expect(page.locator("#arms-error")).to_contain_text("must have at least 2 items")
    page.fill("#arms", "jetzt\ncafé")
    expect(page.locator("#arms-error")).to_be_empty()
    page.click("text=Open the campaign")
    expect(page.locator("#name")).to_have_text("Café")
    with server.client() as client:
        settings = client.get("/v1/campaigns/Café").json()["settings"]
    assert (settings["arms"], settings["window"]) == (["jetzt", "café"], 1800.0)
    with page.expect_download() as download:
        page.click("#export-decisions-csv")
    assert download.value.suggested_filename == "Café.csv"
    assert Path(download.value.path()).read_text().startswith("ticket,")


def test_page_api_and_report_agree(server: Server, look: Callable[..., Any]) -> None:
    page = ready(look(f"{server.url}/campaigns/{NAME}"))
    with server.client() as client:
        status = client.get(f"/v1/campaigns/{NAME}").json()["status"]
    expect(page.locator("#report")).to_have_attribute("target", "_blank")
    with page.expect_popup() as opened:
        page.click("#report")
    report = opened.value
    expect(report.locator("h1")).to_have_text(NAME)
    assert violations(report) == []
    for text in (status["headline"], status["verdict"]):
        expect(page.locator("#verdict")).to_contain_text(text)
        expect(report.locator(".verdict").first).to_contain_text(text)
    for value in ("estimate", "upper"):
        shown = f"{amount(status['gain'][value], 'EUR')}"
        expect(page.locator("#price")).to_contain_text(shown)
        expect(report.locator("main")).to_contain_text(shown)
    for value in (status["over_equal_split"], status["price"]):
        expect(page.locator("#price")).to_contain_text(amount(abs(value), "EUR"))
        expect(report.locator("main")).to_contain_text(amount(abs(value), "EUR"))
    for locator in (page.locator("#tiles"), report.locator("main")):
        expect(locator).to_contain_text(sure_percent(status["guaranteed_share"]))
    legend = page.locator("#picture .legend b").all_inner_texts()[:4]
    assert report.locator(".legend").first.locator("b").all_inner_texts() == legend
    page.click("#arms summary")
    expect(page.locator("#arms tbody tr")).to_have_count(3)
    rows = [row.split("\t") for row in page.locator("#arms tbody tr").all_inner_texts()]
    for arm, row, cells in zip(
        status["arms"], rows, report.locator(".arms tbody tr").all_inner_texts(), strict=True
    ):
        reported = cells.split("\t")
        assert row[1] == f"{arm['plays']:,}" == reported[2]
        assert row[6] == amount(arm["average"]) == reported[4]
        assert f"{row[7]} to {row[8]}" == reported[5]
    expect(report.locator("main")).to_contain_text("opened")
    names = [row.split("\t")[0] for row in report.locator(".arms tbody tr").all_inner_texts()]
    assert names == ["heute (default)", "größere Bilder", "नया (retired)"]
    check_counts(page, status)
    shares = [row.split("\t")[3] for row in report.locator(".arms tbody tr").all_inner_texts()]
    assert page.locator("#by-arm .legend b").all_inner_texts() == shares
    expect(report.locator("main")).to_contain_text(f"with {status['turned_away']:,} decision")


def check_counts(page: Any, status: dict[str, Any]) -> None:
    """Compare the page's counts with the API's, and these with the sums over arms and reasons."""
    arms, reasons = status["arms"], status["reasons"]
    assert sum(reasons.values()) == status["decisions"] == sum(arm["plays"] for arm in arms)
    assert status["on_challengers"] == sum(arm["plays"] for arm in arms[1:])
    assert status["turned_away"] == sum(arm["turned_away"] for arm in arms)
    assert status["lost"] == sum(arm["lost"] for arm in arms) > 0
    assert status["reported"] == sum(arm["seen"] - arm["lost"] for arm in arms) > 0
    assert sum(arm["in_equal_split"] for arm in arms) == pytest.approx(status["decisions"])
    assert arms[2]["in_equal_split"] == pytest.approx(266 / 3), "retired since"
    made = status["decisions"]
    tiles = [tile.split("\n") for tile in page.locator("#tiles > div").all_inner_texts()]
    assert [tile[1] for tile in tiles] == [
        f"{made:,}",
        sure_percent(status["guaranteed_share"]),
        amount(status["guaranteed_budget"], "EUR"),
        percent(status["on_challengers"] / made),
    ]
    health = dict(row.split("\n") for row in page.locator("#health dl div").all_inner_texts())
    assert health == {
        "Rewards reported": f"{status['reported']:,}",
        f"No reward, counted as 0, {percent(status['lost'] / made)}": f"{status['lost']:,}",
        "Late, not used": f"{status['late']:,}",
        "Sent twice": f"{status['duplicates']:,}",
        "Outside the range, refused": f"{status['refused']:,}",
    }
    expect(page.locator("#health h3")).to_contain_text(f"Pending: {status['pending']}")
    turned = f"what {status['turned_away']:,} decisions ({percent(status['turned_away'] / made)})"
    expect(page.locator("#price")).to_contain_text(turned)
    control = f"{reasons['holdback']:,} more went to the control group"
    expect(page.locator("#price")).to_contain_text(control)
    promised = amount(status["promised_mean"], "EUR")
    expect(page.locator("#arms .legend b")).to_have_text([promised])
    page.click("#by-reason summary")
    expect(page.locator("#by-reason tbody tr")).to_have_count(len(reasons))
    rows = [row.split("\t") for row in page.locator("#by-reason tbody tr").all_inner_texts()]
    assert sorted(row[1:] for row in rows) == sorted(
        [f"{count:,}", percent(count / made)] for count in reasons.values()
    )
