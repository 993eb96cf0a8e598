"""The API as a client sees it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, problem
from starlette.testclient import TestClient

from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host.folder import Folder

LOCAL = "http://127.0.0.1"
DECISION = [
    "ticket",
    "arm",
    "is_default",
    "candidate",
    "reason",
    "guaranteed_budget",
    "probability",
    "propensity",
]


def test_a_decision_has_exactly_the_promised_fields(client: TestClient, page: str) -> None:
    answer = client.post(f"{page}/decisions", json={})
    assert answer.status_code == 200
    assert list(answer.json()) == DECISION


def test_a_decision_needs_no_body(client: TestClient, page: str) -> None:
    assert list(client.post(f"{page}/decisions").json()) == DECISION


def test_the_same_request_key_gives_the_same_decision(client: TestClient, page: str) -> None:
    first, again, other = (
        client.post(f"{page}/decisions", json={"request_key": key}).json() for key in "aab"
    )
    assert first == again
    assert other["ticket"] != first["ticket"]
    assert client.get(page).json()["status"]["decisions"] == 2


def test_many_decisions_at_once(client: TestClient, page: str) -> None:
    body = {"requests": [{"request_key": "a"}, {"candidate": "video"}, {"request_key": "a"}]}
    made = client.post(f"{page}/decisions", json=body).json()["decisions"]
    assert [list(one) for one in made] == [DECISION] * 3
    assert made[0] == made[2]
    assert made[1]["candidate"] == "video"


def test_a_campaign_whose_candidates_look_at_the_visitor(client: TestClient) -> None:
    body = {**PAGE, "name": "looking", "floor": "randomised", "holdback": 0.1}
    opened = client.post("/v1/campaigns", json=body).json()
    assert (opened["settings"]["floor"], opened["settings"]["holdback"]) == ("randomised", 0.1)
    path = "/v1/campaigns/looking"
    for number in range(40):
        asked: dict[str, Any] = {"candidate": "video" if number % 2 else "now"}
        asked |= {"context": {"fan": number % 2}}
        made = client.post(f"{path}/decisions", json=asked).json()
        client.post(f"/v1/decisions/{made['ticket']}/reward", json={"reward": 1.0})
        assert 0 < made["probability"] <= 1
        assert made["propensity"] is None
    records = client.get(f"{path}/decisions").json()["decisions"]
    assert [one["context"] for one in records[:2]] == [{"fan": 0}, {"fan": 1}]
    coins = {(one["coin"], one["p"] is None) for one in records}
    assert coins >= {(None, True), ("default", False)}
    exported = client.get(f"{path}/export").text.splitlines()
    assert '"{""fan"":0}"' in exported[1]
    lines = client.get(f"{path}/decisions/{records[-1]['ticket']}").json()["arithmetic"]
    assert "What is sure of the rewards before it" in lines[0]
    asked = {"candidate": "video", "chances": {"now": 0.5, "video": 0.5}}
    assert client.post(f"{path}/decisions", json=asked).json()["propensity"] is not None
    refused = client.post(f"{path}/decisions", json={"context": {"long": "x" * 5000}})
    detail = problem(refused, 422, "invalid", "now")
    assert detail.startswith("context: must take at most 4096 bytes")
    wrong = {**body, "name": "wrong", "missing": "random", "window": 9}
    detail = problem(client.post("/v1/campaigns", json=wrong), 422, "invalid")
    assert "is refused under the randomised floor" in detail


@pytest.mark.parametrize("wrong", [{"candidate": "radio"}, {"request_key": "a\u0000"}])
def test_of_many_decisions_all_are_made_or_none(
    client: TestClient, page: str, wrong: dict[str, str]
) -> None:
    body = {"requests": [{}, wrong]}
    problem(client.post(f"{page}/decisions", json=body), 422, "invalid", "now")
    assert client.get(page).json()["status"]["decisions"] == 0


@pytest.mark.parametrize("body", [{"request_key": "a", "requests": [{}]}, {"requests": None}])
def test_one_and_many_do_not_mix(client: TestClient, page: str, body: dict[str, object]) -> None:
    problem(client.post(f"{page}/decisions", json=body), 422, "invalid", "now")


def test_rewards(client: TestClient, page: str) -> None:
    ticket = client.post(f"{page}/decisions").json()["ticket"]
    path = f"/v1/decisions/{ticket}/reward"
    problem(client.post(path, json={"reward": 1.5}), 422, "invalid", "now")
    assert client.post(path, json={"reward": 0.37}).json() == {
        "ticket": ticket,
        "result": "accepted",
    }
    assert client.post(path, json={"reward": 0.37}).json()["result"] == "duplicate"
    other = client.post(path, json={"reward": 0.5})
    assert "0.37 already" in problem(other, 409, "conflict", "now")
    assert client.get(page).json()["status"]["arms"][0]["seen"] == 1


def test_many_rewards_each_by_itself(client: TestClient, page: str) -> None:
    client.post("/v1/campaigns", json={**PAGE, "name": "other"})
    here, there = (
        client.post(f"/v1/campaigns/{name}/decisions").json()["ticket"]
        for name in ("page", "other")
    )
    sent = [(here, 1), (there, 0.5), (here, 0), (there, 7), ("abc-1-0", 0)]
    body = {"rewards": [{"ticket": ticket, "reward": reward} for ticket, reward in sent]}
    results = client.post("/v1/rewards", json=body).json()["results"]
    assert [one["ticket"] for one in results] == [ticket for ticket, _ in sent]
    assert [one.get("result") or one["problem"]["status"] for one in results] == [
        "accepted",
        "accepted",
        409,
        422,
        404,
    ]


def test_voids(client: TestClient, page: str) -> None:
    ticket = client.post(f"{page}/decisions").json()["ticket"]
    problem(client.post(f"/v1/decisions/{ticket}/void"), 409, "conflict", "now")
    client.post("/v1/campaigns", json={**PAGE, "name": "voids", "voids": True})
    ticket = client.post("/v1/campaigns/voids/decisions").json()["ticket"]
    results = [client.post(f"/v1/decisions/{ticket}/void").json()["result"] for _ in range(2)]
    assert results == ["accepted", "duplicate"]


@pytest.mark.parametrize(
    ("ticket", "default_arm"),
    [("abc-1-0", None), ("{id}-999-0", "now"), ("{id}-1-0", "now"), ("nonsense", None)],
)
def test_unknown_tickets(
    client: TestClient, page: str, ticket: str, default_arm: str | None
) -> None:
    ticket = ticket.replace("{id}", client.get(page).json()["status"]["id"])
    reward = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 0})
    problem(reward, 404, "unknown-ticket", default_arm)
    problem(client.post(f"/v1/decisions/{ticket}/void"), 404, "unknown-ticket", default_arm)
    problem(client.get(f"{page}/decisions/{ticket}"), 404, "unknown-ticket", "now")


def test_opening_a_campaign(client: TestClient) -> None:
    first = client.post("/v1/campaigns", json=PAGE)
    assert (first.status_code, first.headers["location"]) == (201, "/v1/campaigns/page")
    assert first.json()["settings"]["arms"] == PAGE["arms"]
    again = client.post("/v1/campaigns", json=PAGE)
    assert (again.status_code, again.json()["status"]["id"]) == (200, first.json()["status"]["id"])
    problem(client.post("/v1/campaigns", json={**PAGE, "max_loss": 0.2}), 409, "exists")
    listed = client.get("/v1/campaigns").json()["campaigns"]
    assert [one["name"] for one in listed] == ["page"]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../page"},
        {"name": ""},
        {"name": "a" * 65},
        {"arms": ["now"]},
        {"arms": ["now", "now"]},
        {"arms": [f"arm {i}" for i in range(65)]},
        {"max_loss": 1.5},
        {"max_loss": "0.1"},
        {"delta": 0},
        {"missing": "zero"},
        {"missing": None},
        {"typo": 1},
        {"low": 2.0},
    ],
)
def test_settings_that_are_refused(
    client: TestClient, service: Service, change: dict[str, Any]
) -> None:
    problem(client.post("/v1/campaigns", json={**PAGE, **change}), 422, "invalid")
    assert service.host.data.store.names() == []


def test_what_silence_means_must_be_said(client: TestClient, service: Service) -> None:
    unsaid = {name: value for name, value in PAGE.items() if name != "missing"}
    refused = client.post("/v1/campaigns", json=unsaid)
    assert problem(refused, 422, "invalid") == "missing: must be given"
    assert service.host.data.store.names() == []


def test_pause_resume_stop(client: TestClient, page: str) -> None:
    assert client.post(f"{page}/pause").json()["status"]["state"] == "paused"
    assert client.post(f"{page}/decisions").json()["reason"] == "paused"
    assert client.post(f"{page}/resume").json()["status"]["state"] == "running"
    assert client.post(f"{page}/start-epoch").json()["status"]["epoch"] == 2
    for _ in range(2):  # a retry does not start another one
        answer = client.post(f"{page}/start-epoch", json={"epoch": 2})
        assert answer.json()["status"]["epoch"] == 3
    problem(client.post(f"{page}/start-epoch", json={"epoch": 1}), 409, "conflict", "now")
    problem(client.post(f"{page}/start-epoch", json={"epoch": 4}), 409, "conflict", "now")
    made = client.post(f"{page}/decisions", json={"request_key": "a"}).json()
    assert client.post(f"{page}/stop").json()["status"]["state"] == "stopped"
    problem(client.post(f"{page}/decisions"), 409, "stopped", "now")
    problem(client.post(f"{page}/pause"), 409, "stopped", "now")
    again = client.post(f"{page}/decisions", json={"request_key": "a"})
    assert again.json() == made  # a retry still gets its answer
    reward = client.post(f"/v1/decisions/{made['ticket']}/reward", json={"reward": 1})
    assert reward.json()["result"] == "accepted"


def test_pages_of_decisions_and_events(client: TestClient, page: str) -> None:
    tickets = [client.post(f"{page}/decisions").json()["ticket"] for _ in range(5)]
    for order, expected in (("oldest", tickets), ("newest", tickets[::-1])):
        found, cursor = [], None
        while True:
            query = {"limit": 2, "order": order} | ({} if cursor is None else {"cursor": cursor})
            part = client.get(f"{page}/decisions", params=query).json()
            found += [one["ticket"] for one in part["decisions"]]
            cursor = part["next"]
            if cursor is None:
                break
        assert found == expected
    events = client.get(f"{page}/events", params={"limit": 3}).json()
    assert [one["kind"] for one in events["events"]] == ["opened", "decided", "decided"]
    rest = client.get(f"{page}/events", params={"cursor": events["next"]}).json()
    assert [one["seq"] for one in rest["events"]] == [4, 5, 6]
    client.post(f"{page}/pause")
    changes = client.get(f"{page}/events", params={"kind": "changes", "order": "newest"}).json()
    assert [one["kind"] for one in changes["events"]] == ["paused", "opened"]
    for query in ({"limit": 0}, {"limit": 1001}, {"limit": "x"}, {"order": "up"}, {"typo": "1"}):
        problem(client.get(f"{page}/decisions", params=query), 422, "invalid", "now")


def test_export(client: TestClient, page: str) -> None:
    made = client.post(f"{page}/decisions", json={"requests": [{}] * 1000}).json()["decisions"]
    made += [client.post(f"{page}/decisions").json() for _ in range(2)]
    client.post(f"/v1/decisions/{made[0]['ticket']}/reward", json={"reward": 0.25})
    rows = list(csv.DictReader(io.StringIO(client.get(f"{page}/export").text)))
    assert [row["ticket"] for row in rows] == [one["ticket"] for one in made]
    assert [rows[0][name] for name in ("outcome", "reward", "arm")] == ["observed", "0.25", "now"]
    lines = client.get(f"{page}/export", params={"format": "jsonl"}).text.splitlines()
    assert [json.loads(line)["ticket"] for line in lines] == [one["ticket"] for one in made]


def test_explanations(client: TestClient, page: str) -> None:
    ticket = client.post(f"{page}/decisions").json()["ticket"]
    client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
    made = client.post(f"{page}/decisions", json={"candidate": "video"}).json()
    found = client.get(f"{page}/decisions/{made['ticket']}").json()
    assert found["decision"]["reason"] == made["reason"] == "budget-low"
    assert found["words"].startswith("video was proposed, and the default was played")
    assert found["guaranteed_budget"] == pytest.approx(made["guaranteed_budget"])
    assert found["arithmetic"][1].startswith("now: 1 play, earned 1")
    assert found["candidate_budget"] < 0


def test_a_challenger_is_not_explained_by_the_coin_of_the_control_group(client: TestClient) -> None:
    body = {"arms": ["now", "video"], "max_loss": 0.5, "missing": "unknown", "holdback": 0.3}
    client.post("/v1/campaigns", json={**body, "name": "coins"})
    page = "/v1/campaigns/coins"
    for _ in range(40):
        made = client.post(f"{page}/decisions", json={"candidate": "video"}).json()
        client.post(f"/v1/decisions/{made['ticket']}/reward", json={"reward": 1})
        if made["reason"] == "explore":
            break
    found = client.get(f"{page}/decisions/{made['ticket']}").json()
    assert found["decision"]["coin"] == "candidate"
    assert found["words"].startswith("video was played to learn about it")


def test_unknown_names_and_paths(client: TestClient) -> None:
    for method, path in (
        ("POST", "/decisions"),
        ("GET", ""),
        ("POST", "/pause"),
        ("GET", "/series"),
        ("GET", "/export"),
        ("GET", "/events"),
        ("GET", "/decisions/a-1"),
    ):
        problem(client.request(method, f"/v1/campaigns/none{path}"), 404, "unknown-campaign")
    problem(client.get("/v2"), 404, "unknown-path")
    problem(client.get("/docs/files/none.js"), 404, "page")
    problem(client.post("/docs"), 405, "page")


def test_a_damaged_ledger_does_not_keep_out_the_others(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with TestClient(Service(Config(data, create=True)), base_url="http://127.0.0.1") as client:
        for name in ("page", "other", "third"):
            client.post("/v1/campaigns", json={**PAGE, "name": name})
            made = client.post(f"/v1/campaigns/{name}/decisions").json()
    damage_event(data / "campaigns" / "page.ledger")
    (data / "campaigns" / "other.ledger").write_bytes(b"nonsense" * 1000)
    with TestClient(Service(Config(data, create=True)), base_url="http://127.0.0.1") as client:
        listed = {one["name"]: one for one in client.get("/v1/campaigns").json()["campaigns"]}
        assert {name: one["available"] for name, one in listed.items()} == {
            "page": False,
            "other": False,
            "third": True,
        }
        damaged = client.post("/v1/campaigns/page/decisions")
        assert "damaged" in problem(damaged, 503, "unavailable", "now")
        # Nothing of its ledger can be read, and the index still knows its default arm.
        problem(client.post("/v1/campaigns/other/decisions"), 503, "unavailable", "now")
        assert client.post("/v1/campaigns/third/decisions").status_code == 200
        assert (
            client.post(f"/v1/decisions/{made['ticket']}/reward", json={"reward": 1}).status_code
            == 200
        )
        assert client.get("/readyz").json()["unavailable"] == ["other", "page"]
        assert 'floorline_campaign_available{campaign="page"} 0.0' in client.get("/metrics").text


def damage_event(ledger: Path) -> None:
    import apsw

    db = apsw.Connection(str(ledger))
    db.execute("UPDATE events SET time = time + 1 WHERE seq = 2")
    db.close()


def test_a_campaign_whose_opening_was_cut_off_can_be_opened(tmp_path: Path) -> None:
    from floorline.live.ledgers import open_ledger

    open_ledger(
        Folder(tmp_path, create=True).store.locator("page")
    ).close()  # a file without events
    with TestClient(Service(Config(tmp_path, create=True)), base_url="http://127.0.0.1") as client:
        assert client.get("/v1/campaigns").json() == {"campaigns": []}
        assert client.post("/v1/campaigns", json=PAGE).status_code == 201


def test_health_and_docs(client: TestClient, page: str) -> None:
    assert client.get("/livez").json() == {"status": "live"}
    assert client.get("/readyz").json() == {
        "status": "ready",
        "campaigns": 1,
        "unavailable_campaigns": 0,
        "unavailable": [],
    }
    client.post(f"{page}/decisions")
    metrics = client.get("/metrics").text
    assert re.search(r'floorline_decisions_total{campaign="page",reason="[a-z-]+"} 1.0', metrics)
    assert 'floorline_plays_total{arm="now",campaign="page"} 1.0' in metrics
    assert "floorline_commit_operations_sum" in metrics
    described = client.get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    assert set(described["paths"]["/v1/campaigns"]) == {"get", "post"}
    shown = client.get("/docs").text
    for file in ("swagger-ui.css", "swagger-ui-bundle.js"):
        assert f"/docs/files/{file}" in shown
        assert client.get(f"/docs/files/{file}").status_code == 200
    assert "http://" not in shown and "https://" not in shown  # it works without internet


def test_finish_and_then_stop(client: TestClient, page: str) -> None:
    assert "must be" in problem(
        client.post(f"{page}/finish", json={"arm": "nobody"}), 422, "invalid", "now"
    )
    assert problem(client.post(f"{page}/finish", json={}), 422, "invalid", "now") == (
        "arm: must be given"
    )
    for _ in range(2):
        status = client.post(f"{page}/finish", json={"arm": "video"}).json()["status"]
        assert (status["state"], status["serves"]) == ("finished", "video")
    made = client.post(f"{page}/decisions").json()
    assert (made["arm"], made["is_default"], made["reason"]) == ("video", False, "finished")
    words = client.get(f"{page}/decisions/{made['ticket']}").json()["words"]
    assert words == "The campaign is finished, and everybody gets video."
    problem(client.post(f"{page}/finish", json={"arm": "quiz"}), 409, "conflict", "video")
    assert client.post(f"{page}/stop").json()["status"]["serves"] == "video"
    problem(client.post(f"{page}/decisions"), 409, "stopped", "video")


def test_a_stopped_campaign_names_the_arm_to_play_also_after_a_restart(tmp_path: Path) -> None:
    with TestClient(Service(Config(tmp_path, create=True)), base_url=LOCAL) as client:
        client.post("/v1/campaigns", json=PAGE)
        assert client.post("/v1/campaigns/page/stop", json={"arm": "quiz"}).status_code == 200
    with TestClient(Service(Config(tmp_path)), base_url=LOCAL) as client:
        problem(client.post("/v1/campaigns/page/decisions"), 409, "stopped", "quiz")


def test_an_order_above_the_range_is_refused_shown_and_no_zero(client: TestClient) -> None:
    euros = {**PAGE, "high": 50.0, "unit": "EUR", "missing": "zero", "window": 60.0}
    settings = client.post("/v1/campaigns", json=euros).json()["settings"]
    assert (settings["unit"], settings["beyond"]) == ("EUR", "refuse")
    ticket = client.post("/v1/campaigns/page/decisions").json()["ticket"]
    refused = client.post("/v1/rewards", json={"rewards": [{"ticket": ticket, "reward": 60}]})
    (receipt,) = refused.json()["results"]
    assert "at most 50" in receipt["problem"]["detail"]
    status = client.get("/v1/campaigns/page").json()["status"]
    assert (status["refused"], status["pending"]) == (1, 1)
    (made,) = client.get("/v1/campaigns/page/decisions").json()["decisions"]
    assert (made["outcome"], made["reward"]) == ("refused", None)
