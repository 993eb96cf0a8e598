"""Campaigns and batches, through clients of both kinds."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pytest

from floorline.cli.main import main
from floorline.client import (
    AsyncClient,
    CampaignView,
    Client,
    Decision,
    RewardReceipt,
    ServiceError,
)
from floorline.client.async_campaigns import AsyncCampaignAdmin
from floorline.client.campaigns import CampaignAdmin
from floorline.client.fallback import DefaultArms
from floorline.service.api.routes import OPERATIONS

ARMS = ["now", "video", "quiz"]


class Waiting:
    """Lets a test call an asynchronous client as if it were the other one."""

    def __init__(self, wrapped: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._wrapped = wrapped
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._wrapped, name)
        if not callable(found):
            return Waiting(found, self._loop)

        def call(*arguments: Any, **options: Any) -> Any:
            result = found(*arguments, **options)
            return self._loop.run_until_complete(result) if inspect.isawaitable(result) else result

        return call


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Makes a client of either kind."""
    loop = asyncio.new_event_loop()
    made: list[Any] = []

    def make(url: str, **options: Any) -> Any:
        kind = Client if request.param == "sync" else AsyncClient
        client = kind(url, **options)
        made.append(client if request.param == "sync" else Waiting(client, loop))
        return made[-1]

    yield make
    for client in made:
        client.close(0.1)
    loop.close()


@pytest.fixture
def client(service: Any, connect: Callable[..., Any]) -> Any:
    return connect(service.url, timeout=20)


def test_the_life_of_a_campaign(client: Any, request: pytest.FixtureRequest) -> None:
    name = f"life-{request.node.callspec.id}"
    opened = client.campaigns.open(name, ARMS, 0.1, missing="zero", window=60)
    assert (opened.name, opened.available, opened.default_arm) == (name, True, "now")
    assert opened.settings["missing"] == "zero"
    again = client.campaigns.open(name, ARMS, 0.1, missing="zero", window=60)
    assert again.settings == opened.settings
    with pytest.raises(ServiceError, match="exists") as caught:
        client.campaigns.open(name, ARMS, 0.2, missing="zero", window=60)
    assert caught.value.status == 409

    assert client.campaigns.pause(name).status["state"] == "paused"
    assert client.campaigns.pause(name).status["state"] == "paused"
    assert client.decide(name).reason == "paused"
    assert client.campaigns.resume(name).status["state"] == "running"
    assert name in [view.name for view in client.campaigns.list_all()]
    assert client.campaigns.finish(name, "video").status["state"] == "finished"
    finished = client.decide(name)
    assert (finished.arm, finished.is_default, finished.reason) == ("video", False, "finished")
    assert client.campaigns.stop(name, "quiz").status["state"] == "stopped"
    assert client.campaigns.show(name).status["decisions"] == 2
    stopped = client.decide(name)
    assert (stopped.ticket, stopped.arm, stopped.is_default) == (None, "quiz", False)
    assert stopped.reason == "stopped"
    with pytest.raises(ServiceError, match="unknown-campaign"):
        client.campaigns.show("nowhere")


def test_arms_come_and_go(client: Any, request: pytest.FixtureRequest) -> None:
    name = f"arms-{request.node.callspec.id}"
    client.campaigns.open(name, ["now", "video"], 0.1, missing="unknown", arms_may_change=True)
    for _ in range(2):  # a repeated call changes nothing
        added = client.campaigns.add_arm(name, "a/b quiz")
        assert [arm["name"] for arm in added.status["arms"]] == ["now", "video", "a/b quiz"]
    for _ in range(2):
        assert client.campaigns.retire_arm(name, "video").status["retired"] == ["video"]
    for _ in range(2):
        assert client.campaigns.promote_arm(name, "a/b quiz").default_arm == "a/b quiz"
    made = client.decide(name)
    assert (made.arm, made.is_default) == ("a/b quiz", True)
    again = client.campaigns.open(
        name, ["now", "video"], 0.1, missing="unknown", arms_may_change=True
    )
    assert again.settings["arms"] == ["a/b quiz", "video", "now"]
    with pytest.raises(ServiceError, match="a/b quiz is the default") as caught:
        client.campaigns.retire_arm(name, "a/b quiz")
    assert caught.value.status == 422


def test_what_people_write_and_what_is_erased(client: Any, request: pytest.FixtureRequest) -> None:
    name = f"erased-{request.node.callspec.id}"
    client.campaigns.open(name, ARMS, 0.1, missing="unknown")
    client.campaigns.note(name, "the shop was closed")
    assert client.campaigns.label(name, ["web"]).status["labels"] == ["web"]
    assert client.campaigns.archive(name).status["archived"]
    assert not client.campaigns.archive(name, False).status["archived"]
    for _ in range(2):  # a repeated call changes nothing
        assert client.campaigns.start_epoch(name, 1, default="quiz").status["epoch"] == 2
    first = client.decide(name, "ada", context={"age": 36})
    client.decide(name, "bob")
    assert client.campaigns.erase(name, "ada") == 1
    assert client.campaigns.erase(name, request_key="ada") == 0
    assert client.campaigns.erase(name, before=4e9) == 1
    assert client.decide(name, "ada").ticket != first.ticket
    with pytest.raises(ServiceError, match="request_key, before: give one of them"):
        client.campaigns.erase(name)
    with pytest.raises(ServiceError, match="finished or stopped") as caught:
        client.campaigns.delete(name)
    assert caught.value.status == 409
    client.campaigns.stop(name)
    assert client.campaigns.delete(name)
    assert not client.campaigns.delete(name), "it is gone"
    assert name not in [view.name for view in client.campaigns.list_all()]


def test_the_clients_do_all_that_an_administrator_may() -> None:
    words = {one.id.removeprefix("campaigns_") for one in OPERATIONS if one.scope == "admin"}
    for admin in (CampaignAdmin, AsyncCampaignAdmin):
        offered = {name for name in vars(admin) if not name.startswith("_")}
        assert offered == words - {"create"} | {"open", "list_all", "show"}
    for name in words - {"create"}:
        plain, awaited = (getattr(kind, name) for kind in (CampaignAdmin, AsyncCampaignAdmin))
        assert inspect.signature(plain) == inspect.signature(awaited)


def test_the_program_runs_a_campaign(
    service: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = service.open("by-hand", arms_may_change=True)

    def run(*words: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["floorline", "campaign", *words, "--url", service.url])
        with pytest.raises(SystemExit) as ended:
            main()
        return (ended.value.code or 0, *capsys.readouterr())

    assert run("add-arm", name, "chat")[0] == 0
    assert run("retire-arm", name, "video")[0] == 0
    code, out, _ = run("promote-arm", name, "chat")
    first = f"{name} (running): chat is the default, against quiz, now"
    assert (code, out.splitlines()[0]) == (0, first)
    assert "(paused)" in run("pause", name)[1] and "(running)" in run("resume", name)[1]
    code, out, err = run("retire-arm", name, "chat")
    assert (code, out) == (2, "") and "chat is the default" in err
    assert "everybody gets quiz" in run("finish", name, "quiz")[1]
    assert "(stopped)" in run("stop", name)[1]


def test_without_the_service_a_finished_campaign_has_its_winner() -> None:
    default = Decision("a-1-1", "now", True, None, "budget-low", 0.0, 1.0)
    winner = Decision("a-2-1", "video", False, None, "finished", 0.0, 1.0)
    gone = ServiceError("unreachable", "nobody answers")
    arms = DefaultArms({"page": "now"})
    arms.learn("page", winner)
    alone = arms.fallback_decision("page", gone)
    assert (alone.ticket, alone.arm, alone.is_default) == (None, "video", False)
    arms.learn("page", default)
    assert arms.fallback_decision("page", gone).arm == "now"


def test_many_decisions_and_rewards(service: Any, campaign: str, client: Any) -> None:
    keys = [f"visit-{number}" for number in range(1500)]
    decisions = client.decide_many(campaign, keys)
    assert len({decision.ticket for decision in decisions}) == 1500
    assert client.decide_many(campaign, keys[-3:], timeout=10) == decisions[-3:]
    assert client.decide(campaign, keys[0]) == decisions[0]

    rewards = [(decision.ticket, 0.5) for decision in decisions]
    receipts = client.reward_many([*rewards, rewards[0], ("abc-1-0", 1.0), (rewards[0][0], 9.0)])
    assert receipts[:1500] == [RewardReceipt(ticket, "accepted", None) for ticket, _ in rewards]
    assert receipts[1500].result == "duplicate"
    unknown, invalid = (receipt.problem for receipt in receipts[1501:])
    assert (unknown.reason, unknown.status) == ("unknown-ticket", 404)
    assert (invalid.reason, invalid.status) == ("invalid", 422)
    status = service.status(campaign)
    assert (status["decisions"], status["pending"]) == (1500, 0)


def test_many_decisions_with_candidates(campaign: str, client: Any) -> None:
    decisions = client.decide_many(campaign, [None, None], ["quiz", None])
    assert decisions[0].candidate == "quiz"
    assert len({decision.ticket for decision in decisions}) == 2
    with pytest.raises(ValueError, match="candidates: must be as many as request_keys, 2, not 1"):
        client.decide_many(campaign, [None, None], ["quiz"])
    assert client.decide_many(campaign, []) == []


def test_many_decisions_without_a_service(connect: Callable[..., Any]) -> None:
    client = connect("http://127.0.0.1:9", defaults={"page": "now"}, timeout=10)
    fallback = Decision(None, "now", True, None, "unreachable", None, None)
    assert client.decide_many("page", [None, "a"]) == [fallback, fallback]
    with pytest.raises(ServiceError, match="unreachable"):
        client.decide_many("other", [None])
    with pytest.raises(ServiceError, match="unreachable"):
        client.reward_many([("a-1-0", 1.0)])
    with pytest.raises(ServiceError, match="unreachable"):
        client.campaigns.list_all()
    with pytest.raises(ValueError, match="ticket: must be one that the service gave"):
        client.reward_many([("forged", 1.0)])


@pytest.mark.parametrize(
    ("method", "path", "message", "inside"),
    [
        ("post", "/v1/campaigns/{name}/decisions", Decision, None),
        ("post", "/v1/rewards", RewardReceipt, "results"),
        ("get", "/v1/campaigns/{name}", CampaignView, None),
    ],
)
def test_messages_have_the_fields_that_the_service_documents(
    service: Any, method: str, path: str, message: Any, inside: str | None
) -> None:
    document = service.send("/openapi.json")

    def resolve(schema: Any) -> Any:
        while "$ref" in schema or "anyOf" in schema:
            schema = schema["anyOf"][0] if "anyOf" in schema else schema
            if "$ref" in schema:
                name = schema["$ref"].rpartition("/")[2]
                schema = document["components"]["schemas"][name]
        return schema

    response = document["paths"][path][method]["responses"]["200"]
    schema = resolve(response["content"]["application/json"]["schema"])
    if inside:
        schema = resolve(schema["properties"][inside]["items"])
    assert set(schema["properties"]) == {field.name for field in fields(message)}
