"""Arms that come and go, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, Server, problem
from starlette.testclient import TestClient

from floorline.service.api.examples import EXAMPLES
from floorline.service.app import Service
from floorline.service.config import Config

CHANGING = {**PAGE, "arms": ["now", "video"], "arms_may_change": True, "max_loss": 0.3}
LOCAL = "http://127.0.0.1"
URL = "/v1/campaigns/page"


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [arm["name"] for arm in answer.json()["status"]["arms"]]


def play(client: TestClient, decisions: int) -> None:
    made = client.post(f"{URL}/decisions", json={"requests": [{}] * decisions}).json()["decisions"]
    rewards = [{"ticket": one["ticket"], "reward": int(one["arm"] != "video")} for one in made]
    assert client.post("/v1/rewards", json={"rewards": rewards}).status_code == 200


def test_arms_come_and_go_and_everything_that_is_shown_follows(tmp_path: Path) -> None:
    with TestClient(Service(Config(tmp_path, create=True)), base_url=LOCAL) as client:
        assert client.post("/v1/campaigns", json=CHANGING).status_code == 201
        play(client, 40)
        assert names(client.post(f"{URL}/add-arm", json=EXAMPLES["ArmBody"])) == [
            *("now", "video", "quiz")
        ]
        play(client, 40)
        retired = client.post(f"{URL}/retire-arm", json={"arm": "video"}).json()["status"]
        assert retired["retired"] == retired["withdrawn"] == ["video"]
        promoted = client.post(f"{URL}/promote-arm", json={"arm": "quiz"})
        assert names(promoted) == ["quiz", "video", "now"]
        assert promoted.json()["default_arm"] == "quiz"
        play(client, 40)
        arms = client.get(URL).json()["status"]["arms"]
        assert {arm["name"]: arm["as_default"] for arm in arms} == {
            **{"quiz": 40, "video": 0, "now": 80}
        }
        series = client.get(f"{URL}/series").json()
        assert {arm: plays[-1] for arm, plays in series["plays"].items()} == {
            arm["name"]: arm["plays"] for arm in arms
        }
        assert series["plays"]["quiz"][0] == 0  # before it was added
        events = client.get(f"{URL}/events?limit=1000").json()["events"]
        assert [event["words"] for event in events if event["kind"] == "changed"] == [
            "quiz added as a challenger",
            "video retired",
            "quiz promoted: it is the default from here on",
        ]
        report = client.get(f"{URL}/report").text
        assert "quiz promoted" in report
        # To open it again, as every replica of a program does when it starts.
        again = client.post("/v1/campaigns", json=CHANGING)
        assert names(again) == ["quiz", "video", "now"]
    with TestClient(Service(Config(tmp_path)), base_url=LOCAL) as client:
        assert names(client.get(URL)) == ["quiz", "video", "now"]
        assert client.get(f"{URL}/series").json()["plays"] == series["plays"]
        problem(client.post(f"{URL}/decisions", json={"candidate": "x"}), 422, "invalid", "quiz")


def test_bad_input_names_the_field(client: TestClient) -> None:
    client.post("/v1/campaigns", json={**CHANGING, "arms_may_change": False})
    for word in ("add-arm", "retire-arm", "promote-arm"):
        said = problem(client.post(f"{URL}/{word}", json={}), 422, "invalid", "now")
        assert said == "arm: must be given"
        said = problem(client.post(f"{URL}/{word}", json={"arm": 7}), 422, "invalid", "now")
        assert said.startswith("arm: must be a text")
    for word, arm, status, kind, words in (
        ("add-arm", "now", 422, "invalid", "arm: now is the default"),
        ("add-arm", "quiz", 409, "conflict", "start a new epoch with arms_may_change=True"),
        ("retire-arm", "quiz", 422, "invalid", "arm: must be one of now, video, not 'quiz'"),
        ("promote-arm", "video", 409, "conflict", "start a new epoch with video as its default"),
    ):
        answer = client.post(f"{URL}/{word}", json={"arm": arm})
        assert words in problem(answer, status, kind, "now")
    body = {"epoch": 1, "default": "video", "arms_may_change": True}
    for _ in range(2):  # sent again, it changes nothing
        begun = client.post(f"{URL}/start-epoch", json=body)
        assert names(begun) == ["video", "now"]
        assert begun.json()["status"]["epoch"] == 2
    assert names(client.post(f"{URL}/add-arm", json={"arm": "quiz"})) == ["video", "now", "quiz"]


def test_the_page_adds_retires_and_promotes(
    start: Callable[..., Server], look: Callable[..., Any], tmp_path: Path
) -> None:
    from browsing import expect, ready, violations

    server = start(tmp_path / "data")
    overview = look(f"{server.url}/")
    overview.click("#new")
    overview.fill("#name", "page")
    overview.fill("#arms", "now\nvideo")
    overview.check("#missing-unknown")
    overview.click("summary:has-text('More settings')")
    overview.select_option("#floor", "confidence")  # which explains by arms
    overview.check("#arms_may_change")
    overview.click("text=Open the campaign")
    overview.wait_for_url("**/campaigns/page")
    page = ready(overview)
    with server.client() as client:
        play(client, 60)
    expect(page.locator("#tiles")).to_contain_text("60")

    def ask(button: str, arm: str, yes: str) -> None:
        page.click(f"#{button}")
        if button == "add-arm":
            page.fill("#ask-arm", arm)
        else:
            page.select_option("#ask-arm", arm)
        assert violations(page) == []
        page.click(f"dialog[open] >> text={yes}")

    ask("add-arm", "quiz", "Add it")
    expect(page.locator("#arms")).to_contain_text("quiz")
    ask("add-arm", " quiz ", "Add it")
    expect(page.locator("#action-error")).to_have_text("arm: quiz is a challenger already")
    ask("add-arm", "now", "Add it")
    expect(page.locator("#action-error")).to_have_text("arm: now is the default")
    expect(page.locator("#action-error")).to_be_in_viewport()
    ask("promote-arm", "quiz", "Promote it")
    expect(page.locator("#arms")).to_contain_text("quiz (default)")
    expect(page.locator("#action-error")).to_have_text("")
    ask("retire-arm", "video", "Retire it")
    expect(page.locator("#arms")).to_contain_text("video (retired)")
    for words in ("quiz added as a challenger", "video retired", "quiz promoted"):
        expect(page.locator("#events")).to_contain_text(words)
    with server.client() as client:
        play(client, 20)
        newest = client.get(f"{URL}/decisions?order=newest&limit=1").json()["decisions"][0]
    expect(page.locator("#by-arm")).to_contain_text("quiz")
    assert violations(page) == []
    page.click("#retire-arm")
    assert page.locator("#ask-arm option").all_text_contents() == ["now"]
    page.keyboard.press("Escape")
    explain = page.locator("#log button[aria-label^=Explain]").first
    expect(explain).to_have_attribute("aria-label", f"Explain {newest['ticket']}")
    explain.click()
    rule = "It weighs its plays, less 90% of the decisions in which it was the default."
    expect(page.locator("dialog")).to_contain_text(rule)
    with server.client() as client:
        arms = client.get(URL).json()["status"]["arms"]
    for arm, row in zip(arms, page.locator("dialog tbody tr").all_inner_texts(), strict=True):
        _, plays, weight, *_ = row.replace("\N{MINUS SIGN}", "-").split("\t")
        assert float(plays) == arm["plays"]
        assert float(weight) == pytest.approx(arm["plays"] - 0.9 * arm["as_default"], abs=0.01)
