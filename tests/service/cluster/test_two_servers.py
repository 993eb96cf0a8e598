"""Several servers on one database: one owner a campaign, found from everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from serving import PAGE, Server, problem

StartServer = Callable[..., Server]
Sql = Callable[[str], list[Any]]


@pytest.fixture
def sql(postgres: Any, database: str) -> Sql:
    return lambda statement: postgres.execute(database.rpartition("/")[2], statement)


@pytest.fixture
def pair(start: StartServer, database: str) -> list[Server]:
    """Two servers that were started at the same time."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda _: start(database), range(2)))


def owners(sql: Sql) -> dict[str, str]:
    """The address of each campaign's owner."""
    return dict(
        sql(
            "SELECT name, address FROM floorline.owners JOIN floorline.servers USING (server) "
            "JOIN floorline.campaigns USING (campaign)"
        )
    )


def test_any_server_answers_for_any_campaign(pair: list[Server], sql: Sql) -> None:
    first, second = (server.client() for server in pair)
    for number in range(3):
        settings = {**PAGE, "name": f"page{number}"}
        assert first.post("/v1/campaigns", json=settings).status_code == 201
        repeated = second.post("/v1/campaigns", json=settings)
        assert repeated.status_code == 200, repeated.text
        path = f"/v1/campaigns/page{number}"
        made = [client.post(f"{path}/decisions", json={}).json() for client in (first, second)]
        again = [
            client.post(f"{path}/decisions", json={"request_key": "a"}).json()
            for client in (first, second)
        ]
        assert again[0] == again[1]
        rewards = [{"ticket": ticket["ticket"], "reward": 1} for ticket in made]
        for client, expected in ((second, "accepted"), (first, "duplicate")):
            results = client.post("/v1/rewards", json={"rewards": rewards}).json()["results"]
            assert [receipt["result"] for receipt in results] == [expected] * 2
        reward = {"reward": 1}
        told = first.post(f"/v1/decisions/{again[0]['ticket']}/reward", json=reward).json()
        assert told["result"] == "accepted"
        shown = [client.get(path).json()["status"]["decisions"] for client in (first, second)]
        assert shown == [3, 3]
    lists = [client.get("/v1/campaigns").json()["campaigns"] for client in (first, second)]
    for found in lists:
        assert [one["name"] for one in found] == [f"page{number}" for number in range(3)]
        assert all(one["available"] for one in found)
    for number, (one, other) in enumerate(((first, second), (second, first))):
        path = f"/v1/campaigns/page{number}"
        assert one.post(f"{path}/stop").status_code == 200
        assert other.post(f"{path}/delete", json={"name": f"page{number}"}).status_code == 200
        assert [client.get(path).status_code for client in (one, other)] == [404, 404]
        left = [client.get("/v1/campaigns").json()["campaigns"] for client in (one, other)]
        assert [len(found) for found in left] == [2 - number] * 2
    assert second.post("/v1/campaigns", json={**PAGE, "name": "page0"}).status_code == 201
    assert first.get("/v1/campaigns/page0").json()["status"]["decisions"] == 0


def test_owners_are_spread_and_handed_over(
    start: StartServer, database: str, sql: Sql, wait_until: Callable[..., None]
) -> None:
    first = start(database)
    for number in range(8):
        first.client().post("/v1/campaigns", json={**PAGE, "name": f"page{number}"})
    assert set(owners(sql).values()) == {first.url}
    second = start(database)

    def decide_everywhere() -> None:
        for server in (first, second):
            for number in range(8):
                path = f"/v1/campaigns/page{number}/decisions"
                answer = server.client().post(path, json={})
                assert answer.status_code == 200, answer.text

    decide_everywhere()
    wait_until(lambda: (decide_everywhere(), len(set(owners(sql).values())) == 2)[1])
    assert first.end() == 0
    client = second.client()
    for number in range(8):
        assert client.post(f"/v1/campaigns/page{number}/decisions", json={}).status_code == 200
    assert set(owners(sql).values()) == {second.url}
    assert second.end() == 0
    assert owners(sql) == {}


def test_streams_are_relayed(pair: list[Server]) -> None:
    for number, server in enumerate(pair):
        client = server.client()
        client.post("/v1/campaigns", json={**PAGE, "name": f"page{number}"})
        for other in pair:
            path = f"/v1/campaigns/page{number}"
            assert other.client().post(f"{path}/decisions", json={}).status_code == 200
            table = other.client().get(f"{path}/export")
            assert table.headers["content-type"].startswith("text/csv"), table.text
            assert table.text.startswith("ticket,")
            with other.client().stream("GET", f"{path}/live") as updates:
                lines = updates.iter_lines()
                assert next(lines) == "event: update"
                assert json.loads(next(lines).removeprefix("data: "))["status"]


def test_names_and_errors_are_the_same_from_everywhere(pair: list[Server]) -> None:
    names = ["größe", "価格", "prix-1", "prix-2"]
    first, second = (server.client() for server in pair)
    for name in names:
        assert first.post("/v1/campaigns", json={**PAGE, "name": name}).status_code == 201
        assert second.post(f"/v1/campaigns/{name}/decisions", json={}).status_code == 200
        tables = [client.get(f"/v1/campaigns/{name}/export").text for client in (first, second)]
        assert tables[0] == tables[1] and tables[0].count("\n") == 2
    for path in ("campaigns/a%00b/decisions", "decisions/a%00b-2-3/void"):
        assert [c.post(f"/v1/{path}", json={}).status_code for c in (first, second)] == [404, 404]
    assert first.get("/v1/campaigns/none/decisions/a%00b-2-3").status_code == 404
    for key, code in (("one", None), ("two\nlines", "INVALID_CONTEXT")):
        body = {"context": {"targetingKey": key, "country": "NZ"}}
        answers = [c.post("/ofrep/v1/evaluate/flags", json=body).json() for c in (first, second)]
        assert answers[0] == answers[1]
        assert [flag.get("errorCode") for flag in answers[0]["flags"]] == [code] * 4
    for name in names:
        records = second.get(f"/v1/campaigns/{name}/decisions").json()["decisions"]
        assert [one["context"] for one in records] == [None, {"country": "NZ"}]


def test_keys_are_shared(
    pair: list[Server], database: str, floorline: Any, wait_until: Callable[..., None]
) -> None:
    assert pair[0].client().post("/v1/campaigns", json=PAGE).status_code == 201
    key = floorline("key", "create", "--data", database, "--scopes", "decide").stdout.strip()
    headers = {"Authorization": f"Bearer {key}"}

    def is_closed(server: Server) -> bool:
        # Not a decision, which the campaign's owner may refuse before this server knows the key.
        return server.client().get("/v1/campaigns").status_code == 401

    for server in pair:
        wait_until(lambda server=server: is_closed(server))
        path = "/v1/campaigns/page/decisions"
        answer = server.client().post(path, json={}, headers=headers)
        assert answer.status_code == 200, answer.text
        problem(server.client().get("/v1/campaigns", headers=headers), 403, "wrong-scope")


def test_strangers_forward_nothing(pair: list[Server]) -> None:
    for secret in ("", "00" * 32):
        answer = (
            pair[0]
            .client()
            .post("/internal/requests", content=b"\x90", headers={"x-floorline-secret": secret})
        )
        problem(answer, 404, "unknown-path")
