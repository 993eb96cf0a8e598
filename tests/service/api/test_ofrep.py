"""OFREP, as its providers use it: one flag, and all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE
from starlette.testclient import TestClient

from floorline.service.api import ofrep
from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host.folder import Folder
from floorline.service.http.keys import SCOPES, KeyFile

ALL = "/ofrep/v1/evaluate/flags"
ONE = f"{ALL}/page"


def context(key: str | None) -> dict[str, Any]:
    return {"context": {"country": "NZ", **({} if key is None else {"targetingKey": key})}}


def test_a_flag_is_a_decision(client: TestClient, page: str) -> None:
    answer = client.post(ONE, json=context("user")).json()
    assert list(answer) == ["key", "value", "variant", "reason", "metadata"]
    assert (answer["key"], answer["value"], answer["variant"]) == ("page", "now", "now")
    assert answer["reason"] == "DEFAULT"
    ticket = answer["metadata"]["ticket"]
    reward = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1}).json()
    assert reward["result"] == "accepted"


def test_a_targeting_key_is_a_request_key(client: TestClient, page: str) -> None:
    def ticket(key: str | None) -> str:
        return str(client.post(ONE, json=context(key)).json()["metadata"]["ticket"])

    assert ticket("one") == ticket("one") != ticket("two")
    assert ticket(None) != ticket(None)
    assert ticket("") != ticket("")
    made = client.post(f"{page}/decisions", json={"request_key": "one"}).json()
    assert made["ticket"] == ticket("one")


def test_attributes_are_kept_with_each_decision(client: TestClient, page: str) -> None:
    client.post(
        "/v1/campaigns", json={**PAGE, "name": "other", "floor": "randomised", "holdback": 0.1}
    )
    client.post(ONE, json=context(None))
    client.post(ONE, json={"context": {"targetingKey": "bare"}})
    client.post(ALL, json={"context": {"targetingKey": "all", "tags": ["a"], "age": 7}})
    client.post(ALL, json={"context": {"targetingKey": "all", "age": 8}})  # decided already
    records = client.get(f"{page}/decisions").json()["decisions"]
    kept = {"tags": ["a"], "age": 7}
    assert [one["context"] for one in records] == [{"country": "NZ"}, None, kept]
    other = client.get("/v1/campaigns/other/decisions").json()["decisions"]
    assert [one["context"] for one in other] == [kept]


def test_errors_are_those_of_ofrep(client: TestClient, page: str) -> None:
    for path, body, status, code in (
        (f"{ALL}/none", context("one"), 404, "FLAG_NOT_FOUND"),
        (ONE, context("x" * 201), 400, "INVALID_CONTEXT"),
        (ONE, context("two\nlines"), 400, "INVALID_CONTEXT"),
        (ONE, {"context": 1}, 400, "INVALID_CONTEXT"),
        (ONE, {"context": {"targetingKey": 1}}, 400, "INVALID_CONTEXT"),
        (ONE, {"context": {"long": "x" * 4096}}, 400, "INVALID_CONTEXT"),
        (ALL, {"context": {"targetingKey": 1}}, 400, "INVALID_CONTEXT"),
        (ALL, context(None), 400, "TARGETING_KEY_MISSING"),
        (ALL, {}, 400, "TARGETING_KEY_MISSING"),
    ):
        answer = client.post(path, json=body)
        document = answer.json()
        assert (answer.status_code, document["status"], document["errorCode"]) == (
            status,
            status,
            code,
        )
        assert document["key"] == path.removeprefix(ALL).removeprefix("/")
        assert document["errorDetails"] == document["detail"]
    assert client.post(ONE, content="{", headers={"Content-Type": "text/plain"}).json()[
        "errorCode"
    ] == ("PARSE_ERROR")


def test_a_stopped_campaign_has_the_arm_that_it_was_stopped_with(
    client: TestClient, page: str
) -> None:
    sticky = client.post(ONE, json=context("early")).json()
    client.post(f"{page}/stop", json={"arm": "quiz"})
    answer = client.post(ONE, json=context("late")).json()
    assert (answer["value"], answer["reason"]) == ("quiz", "STATIC")
    assert answer["metadata"] == {"reason": "stopped"}
    assert client.post(ONE, json=context("early")).json() == sticky


def test_all_flags_come_with_a_tag(client: TestClient, page: str) -> None:
    client.post("/v1/campaigns", json={**PAGE, "name": "other"})
    first = client.post(ALL, json=context("one"))
    flags = first.json()["flags"]
    assert [flag["key"] for flag in flags] == ["other", "page"]
    assert flags[1] == client.post(ONE, json=context("one")).json()
    tag = first.headers["etag"]
    for sent in (tag, f'W/{tag}, "other"'):
        again = client.post(ALL, json=context("one"), headers={"If-None-Match": sent})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    for key, sent in (("one", '"other"'), ("two", tag)):
        answer = client.post(ALL, json=context(key), headers={"If-None-Match": sent})
        assert answer.status_code == 200
    status = client.get(page).json()["status"]
    assert status["decisions"] == 2  # one for each targeting key, however often it asks


def test_a_campaign_that_fails_does_not_break_the_others(
    client: TestClient, page: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post("/v1/campaigns", json={**PAGE, "name": "other"})
    get = service.host.registry.get

    async def fail(name: str) -> Any:
        if name == "other":
            raise ValueError("it is broken")
        return await get(name)

    monkeypatch.setattr(service.host.registry, "get", fail)
    broken, fine = client.post(ALL, json=context("one")).json()["flags"]
    assert broken == {
        "key": "other",
        "errorCode": "INVALID_CONTEXT",
        "errorDetails": "it is broken",
    }
    assert fine["value"] == "now"


def test_too_many_flags_are_refused(
    client: TestClient, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ofrep, "MAX_FLAGS", 0)
    answer = client.post(ALL, json=context("one"))
    assert answer.status_code == 400
    assert answer.json()["detail"] == "there are 1 campaigns; use a key that is limited to 0"


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[tuple[TestClient, dict[str, str]]]:
    """A service with two campaigns, and the headers of a key for one of them."""
    data = tmp_path / "data"
    keys = KeyFile(Folder(data, create=True).keys)
    admin, limited = keys.create(SCOPES), keys.create(["decide"], campaigns=["page"])
    with TestClient(Service(Config(data)), base_url="http://127.0.0.1:8400") as client:
        for name in ("page", "other"):
            headers = {"Authorization": f"Bearer {admin}"}
            client.post("/v1/campaigns", json={**PAGE, "name": name}, headers=headers)
        yield client, {"Authorization": f"Bearer {limited}"}


def test_a_limited_key_has_the_flags_of_its_campaigns(
    keyed: tuple[TestClient, dict[str, str]],
) -> None:
    client, headers = keyed
    flags = client.post(ALL, json=context("one"), headers=headers).json()["flags"]
    assert [flag["key"] for flag in flags] == ["page"]


def test_the_description_tells_the_members_of_problems(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    for path in (f"{ALL}/{{key}}", ALL):
        evaluate = described["paths"][path]["post"]
        content = evaluate["responses"]["400"]["content"]["application/problem+json"]
        word = content["schema"]["$ref"].rpartition("/")[2]
        assert {"errorCode", "errorDetails", "key"} <= set(
            described["components"]["schemas"][word]["properties"]
        )
    assert "content" not in described["paths"][ALL]["post"]["responses"]["304"]
