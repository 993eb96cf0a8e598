"""Requests that are wrong: the right status, and a problem document that names the default."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from serving import PAGE, problem
from starlette.testclient import TestClient
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.server import ServerState

from floorline.live import Campaign
from floorline.service.app import Service
from floorline.service.http import transfer
from floorline.service.http.exchange import Exchange, Outbox
from floorline.service.http.limits import MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES
from floorline.service.http.problems import Problem

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"\xff\xfe{}",
        b'{"request_key": "\xff"}',
        b'{"request_key": "\\ud800"}',
        b"[" * 100_000,
        b'{"requests":' * 50_000,
        b'{"request_key": NaN}',
        b"{} {}",
    ],
)
def test_bodies_that_are_no_json(client: TestClient, page: str, body: bytes) -> None:
    answer = client.post(f"{page}/decisions", content=body, headers=JSON)
    assert answer.status_code in (400, 422)
    word = "malformed" if answer.status_code == 400 else "invalid"
    problem(answer, answer.status_code, word, "now")


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"requests":[{"a":' * 10_000, b"\xff"])
def test_deep_nesting_and_wrong_encoding_are_malformed_or_invalid_everywhere(
    client: TestClient, page: str, body: bytes
) -> None:
    for path in ("/v1/campaigns", "/v1/rewards", "/v1/decisions/a-1/reward", f"{page}/decisions"):
        answer = client.post(path, content=body[: MAX_BODY_BYTES - 1], headers=JSON)
        assert answer.status_code in (400, 422), path
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", '"1"', "true", "null"])
def test_numbers_that_are_none(client: TestClient, page: str, number: str) -> None:
    ticket = client.post(f"{page}/decisions").json()["ticket"]
    body = f'{{"reward": {number}}}'.encode()
    answer = client.post(f"/v1/decisions/{ticket}/reward", content=body, headers=JSON)
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert client.get(page).json()["status"]["arms"][0]["seen"] == 0


@pytest.mark.parametrize(
    "body",
    [
        {"request_key": ""},
        {"request_key": "a" * 201},
        {"request_key": 1},
        {"candidate": "radio"},
        {"candidate": 1},
        {"request_key": "a\u0000"},
        {"typo": 1},
        {"requests": []},
        {"requests": [{}] * 1001},
        {"requests": [{"typo": 1}]},
        [],
        1,
        None,
    ],
)
def test_values_that_are_not_allowed(client: TestClient, page: str, body: object) -> None:
    answer = client.post(f"{page}/decisions", content=json.dumps(body).encode(), headers=JSON)
    problem(answer, 422, "invalid", "now")
    assert client.get(page).json()["status"]["decisions"] == 0


def test_bodies_that_are_too_large(client: TestClient, page: str) -> None:
    large = b" " * (MAX_BODY_BYTES + 1)
    problem(client.post("/v1/campaigns", content=large, headers=JSON), 413, "too-large")
    larger = b" " * (MAX_BATCH_BODY_BYTES + 1)
    problem(client.post(f"{page}/decisions", content=larger, headers=JSON), 413, "too-large", "now")
    parts = (b" " * 40_000 for _ in range(40))  # without a declared length
    answer = client.post(f"{page}/decisions", content=parts, headers=JSON)
    problem(answer, 413, "too-large", "now")
    wrong = client.post("/v1/campaigns", content=b"{}", headers={**JSON, "content-length": "x"})
    problem(wrong, 413, "too-large")


def test_the_largest_batch_fits(client: TestClient, page: str) -> None:
    body = {"requests": [{"request_key": f"{i:0200d}", "candidate": "quiz"} for i in range(1000)]}
    assert len(client.post(f"{page}/decisions", json=body).json()["decisions"]) == 1000


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/jsonx", ""])
def test_other_media_types(client: TestClient, page: str, kind: str) -> None:
    headers = {"content-type": kind}
    answer = client.post(f"{page}/decisions", content=b"{}", headers=headers)
    problem(answer, 415, "not-json", "now")


def test_json_with_a_character_set(client: TestClient, page: str) -> None:
    headers = {"content-type": "application/json; charset=utf-8"}
    assert client.post(f"{page}/decisions", content=b"{}", headers=headers).status_code == 200


def test_wrong_methods(client: TestClient, page: str) -> None:
    for method, path, allow in (
        ("DELETE", page, "GET"),
        ("PUT", f"{page}/decisions", "GET, POST"),
        ("GET", "/v1/rewards", "POST"),
        ("POST", "/livez", "GET, HEAD"),
        ("PATCH", "/v1/campaigns", "GET, POST"),
        ("HEAD", "/metrics", "GET"),
    ):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allow)
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("part", [b"", b"{"])
def test_a_body_that_does_not_come(monkeypatch: pytest.MonkeyPatch, part: bytes) -> None:
    monkeypatch.setattr(transfer, "BODY_TIMEOUT_SECONDS", 0.01)

    async def read() -> None:
        transport = asyncio.Transport()
        state, flow = ServerState(), FlowControl(transport)
        exchange = Exchange({}, transport, flow, Outbox(), state, True, False, lambda: None)
        if part:
            exchange.add(part)
        await asyncio.wait_for(transfer.read_body({}, exchange.receive, 100), 10)

    with pytest.raises(Problem) as raised:
        asyncio.run(read())
    assert raised.value.status == 408


@pytest.mark.parametrize("parts", [0, 1])
def test_a_client_that_leaves_has_not_sent_an_empty_body(parts: int) -> None:
    messages: list[Any] = [{"type": "http.request", "body": b"{}", "more_body": True}] * parts
    messages.append({"type": "http.disconnect"})

    async def receive() -> Any:
        return messages.pop(0)

    with pytest.raises(Problem) as raised:
        asyncio.run(transfer.read_body({}, receive, 100))
    assert raised.value.status == 400


@pytest.mark.parametrize("name", ["page\n", "page\n\n", "\npage"])
def test_a_name_has_no_newline(client: TestClient, name: str) -> None:
    problem(client.post("/v1/campaigns", json={**PAGE, "name": name}), 422, "invalid")
    arms = {**PAGE, "arms": ["now", name]}
    problem(client.post("/v1/campaigns", json=arms), 422, "invalid")
    ticket = {
        "rewards": [{"ticket": f"ab-1{name[4:]}" if name[0] == "p" else "\nab-1", "reward": 1}]
    }
    problem(client.post("/v1/rewards", json=ticket), 422, "invalid")


def test_one_campaign_cannot_break_the_lists_of_all(
    client: TestClient, page: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/v1/campaigns", json={**PAGE, "name": "other"})
    campaign = service.host.registry.pool._open["page"].queue._campaign

    def broken() -> None:
        raise OverflowError("secret")

    status = Campaign.status
    monkeypatch.setattr(
        Campaign, "status", lambda one: broken() if one is campaign else status(one)
    )
    listed = client.get("/v1/campaigns").json()["campaigns"]
    assert [one["available"] for one in listed] == [True, False]
    assert "secret" not in listed[1]["problem"]
    text = client.get("/metrics").text
    assert 'floorline_campaign_available{campaign="page"} 0.0' in text
    assert 'floorline_campaign_available{campaign="other"} 1.0' in text
    assert client.post(f"{page}/decisions").status_code == 200  # though there is no point of it


def test_an_internal_error_says_nothing_of_the_inside(
    client: TestClient, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("secret")

    monkeypatch.setattr(Campaign, "decide", broken)
    answer = client.post(f"{page}/decisions")
    assert "secret" not in problem(answer, 500, "internal", "now")
    monkeypatch.undo()
    assert client.post(f"{page}/decisions").status_code == 200


def test_a_key_may_hold_any_printable_characters(client: TestClient, page: str) -> None:
    for key in ("..", "é🙂", "'; DROP TABLE events; --", " "):
        first, again = (
            client.post(f"{page}/decisions", json={"request_key": key}).json() for _ in range(2)
        )
        assert first == again
    assert client.get(page).json()["status"]["decisions"] == 4


def test_names_stay_in_the_folder(client: TestClient) -> None:
    for name in ("..", "a/b", ".hidden", "a\u0000b", "%2e%2e", "e\u0301"):
        problem(client.post("/v1/campaigns", json={**PAGE, "name": name}), 422, "invalid")


def test_health_without_a_body(client: TestClient) -> None:
    for path in ("/livez", "/readyz"):
        assert client.head(path).status_code == 200
