"""Which alerts a service raises, from conditions to a receiver."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from receiving import Receiver
from serving import Server

from floorline.live import Campaign, Status
from floorline.live.estimates import Gain
from floorline.service.alerts import watch
from floorline.service.alerts.conditions import KINDS, RewardFlow, alerts_of
from floorline.service.alerts.delivery import Alert, AlertDelivery
from floorline.service.alerts.raised import RaisedAlerts
from floorline.service.alerts.watch import Watch
from floorline.service.alerts.webhooks import WebhookFile
from floorline.service.data import opened_data
from floorline.service.host.folder import Folder
from floorline.service.host.owners import OwnedElsewhere
from floorline.service.http.keys import SCOPES, KeyFile

RULES = Path(__file__).parents[3] / "deploy" / "prometheus-rules.yml"


@pytest.fixture
def campaign() -> Campaign:
    return Campaign.open(
        ":memory:", arms=["now", "b"], max_loss=0.1, missing="zero", window=60.0, seed=1
    )


def raised(campaign: Campaign, flow: RewardFlow | None = None, **changes: object) -> set[str]:
    status: Status = replace(campaign.status(), **changes)
    return set(alerts_of(status, flow or RewardFlow()))


def test_a_quiet_campaign_raises_nothing(campaign: Campaign) -> None:
    assert raised(campaign) == set()
    assert raised(campaign, gain=Gain(1.0, 0.0, 2.0), winner=None) == set()


def test_each_condition_raises_its_alert(campaign: Campaign) -> None:
    assert raised(campaign, guaranteed_share=0.85, holds=False) == {"floor-in-doubt"}
    assert raised(campaign, alarm="the mean was, and is") == {"drift"}
    assert raised(campaign, problems=["most are silent"]) == {"learning-stalled"}
    assert raised(campaign, winner="b") == {"winner-found"}


def test_a_finished_campaign_raises_nothing(campaign: Campaign) -> None:
    assert raised(campaign, state="finished", winner="b", problems=["x"]) == set()


def test_rewards_that_stop_are_noticed_and_rare_ones_are_not(campaign: Campaign) -> None:
    def look(flow: RewardFlow, decisions: int, reported: int, pending: int = 0) -> set[str]:
        return raised(campaign, flow, decisions=decisions, pending=pending, reported=reported)

    flow = RewardFlow()
    assert look(flow, 1000, 100) == set() and not flow.is_known  # rewards may have stopped before
    assert look(flow, 1190, 100) == set()  # 19 would have been expected
    assert look(flow, 1400, 100, pending=300) == set()  # whose time is not over
    assert look(flow, 1400, 100, pending=150) == {"rewards-stopped"}
    assert not flow.is_known
    assert look(flow, 1400, 101) == set() and flow.is_known
    rare = RewardFlow()
    look(rare, 10_000, 10)
    assert look(rare, 25_000, 10) == set()


def test_the_disk(service, monkeypatch: pytest.MonkeyPatch) -> None:
    looking = Watch(
        service.host, AlertDelivery(WebhookFile(service.host.data.path)), RaisedAlerts()
    )
    assert asyncio.run(looking._of_service()) == {}
    few = SimpleNamespace(free=100 * 2**20, total=100 * 2**30)
    monkeypatch.setattr(watch.shutil, "disk_usage", lambda _: few)
    assert list(asyncio.run(looking._of_service())) == [(None, "disk-full")]


class Pool:
    """Open campaigns that are in doubt."""

    def __init__(self, *names: str) -> None:
        self.open = {name: SimpleNamespace(name=name, settings=None, queue=self) for name in names}
        self.is_taken_over = False

    def all(self) -> list[Any]:
        return list(self.open.values())

    async def submit(self, _: object) -> object:
        if not self.open:
            raise OSError("it was closed meanwhile")
        return None


class Names(set[str]):
    """The names of a catalogue."""

    unavailable: dict[str, Any]


def test_a_campaign_that_goes_elsewhere_or_is_closed_is_not_cleared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[str, str | None]] = []
    pool, elsewhere = Pool("here", "idle", "away"), set[str]()

    def route(name: str) -> None:
        if name in elsewhere:
            raise OwnedElsewhere(name, "b", "http://127.0.0.1:9")

    async def count_refused(here: int) -> int:
        return here

    async def notify(alert: Alert) -> None:
        told.append((alert.state, alert.campaign))

    owners = SimpleNamespace(route=route, count_refused=count_refused, speaks_for_service=True)
    lost = SimpleNamespace(why="its ledger is damaged")
    catalogue = Names(["here", "idle", "away", "away-too", "lost"])
    catalogue.unavailable = {"lost": lost, "away-too": lost}
    registry = SimpleNamespace(pool=pool, owners=owners, catalogue=catalogue)
    metrics = SimpleNamespace(refused_requests=0, set_alerts=lambda _: None)
    host: Any = SimpleNamespace(registry=registry, metrics=metrics, data=SimpleNamespace(path=None))
    delivery: Any = SimpleNamespace(notify=notify)
    looking = Watch(host, delivery, RaisedAlerts())
    monkeypatch.setattr(watch, "alerts_of", lambda *_: {"drift": "it drifts"})
    elsewhere.add("away-too")
    asyncio.run(looking.check())
    assert told == [("raised", name) for name in ("here", "idle", "away", "lost")]
    told.clear()
    pool.open.pop("idle")  # more are in use than may be open
    elsewhere.add(pool.open.pop("away").name)
    asyncio.run(looking.check())
    assert told == []
    assert {name for name, _ in looking.raised} == {"here", "idle", "lost"}
    catalogue.unavailable.clear()
    pool.open.clear()
    for deleted in ("here", "lost"):
        catalogue.discard(deleted)
    asyncio.run(looking.check())
    assert told == [("cleared", "here"), ("cleared", "lost")]


def test_from_a_campaign_to_a_receiver(start: Callable[..., Server], tmp_path: Path) -> None:
    """Nobody reports a reward, which stalls learning; then all are reported."""
    folder = Folder(tmp_path / "data", create=True)
    with Receiver(503) as receiver:
        WebhookFile(folder.path).add(receiver.url)
        server = start(tmp_path / "data", "--alert-interval", "0.2")
        with server.client() as client:
            page = {"name": "page", "arms": ["now", "b"], "max_loss": 0.1, "missing": "unknown"}
            client.post("/v1/campaigns", json=page)
            made = client.post("/v1/campaigns/page/decisions", json={"requests": [{}] * 120})
            refused, again = receiver.next().alert, receiver.next().alert  # the first got a 503
            assert refused == again
            assert (again["kind"], again["state"], again["campaign"]) == (
                "learning-stalled",
                "raised",
                "page",
            )
            assert 'floorline_alert{campaign="page",kind="learning-stalled"} 1.0' in (
                client.get("/metrics").text
            )
            rewards = [{"ticket": d["ticket"], "reward": 1} for d in made.json()["decisions"]]
            client.post("/v1/rewards", json={"rewards": rewards})
            assert receiver.next().alert["state"] == "cleared"


def test_of_several_servers_one_sends(
    start: Callable[..., Server], database: str, wait_until: Callable[..., None]
) -> None:
    """The owner for a campaign, also if it took over, and one of them for the service."""
    names = [f"p{number}" for number in range(4)]
    with Receiver() as receiver, opened_data(database, create=True) as opened:
        opened.webhooks.add(receiver.url)
        headers = {"Authorization": f"Bearer {opened.keys.create(SCOPES)}"}
        servers = [start(database, "--alert-interval", "1") for _ in range(2)]
        clients = [server.client(headers=headers) for server in servers]
        tickets = []
        for number, name in enumerate(names):
            page = {"name": name, "arms": ["a", "b"], "max_loss": 0.1, "missing": "unknown"}
            assert clients[number % 2].post("/v1/campaigns", json=page).status_code == 201
            requests = {"requests": [{}] * 120}
            made = clients[0].post(f"/v1/campaigns/{name}/decisions", json=requests).json()
            tickets += [decision["ticket"] for decision in made["decisions"]]

        heard: list[Any] = []
        quiet = 0
        while {one["campaign"] for one in heard} != set(names) or quiet < 3:
            for name in names:  # so that each has its owner, which looks at it when it is open
                clients[1].get(f"/v1/campaigns/{name}")
            quiet += 1
            with suppress(Empty):
                heard.append(receiver.messages.get(timeout=1).alert)
                quiet = 0
        assert {(one["kind"], one["state"]) for one in heard} == {("learning-stalled", "raised")}

        for server in servers:
            with server.client(headers={"Authorization": "Bearer fl_0_wrong"}) as stranger:
                for _ in range(60):
                    stranger.get("/v1/campaigns")
        alerts = [receiver.next().alert for _ in range(2)]
        assert [one["kind"] for one in alerts] == ["key-misuse"] * 2
        servers[0].end(signal.SIGKILL)
        rewards = [{"ticket": ticket, "reward": 1} for ticket in tickets]
        wait_until(
            lambda: clients[1].post("/v1/rewards", json={"rewards": rewards}).status_code == 200
        )
        misuse, cleared = [one["state"] for one in alerts], []
        while len(cleared) < len(names) or misuse[-1] != "cleared":
            alert = receiver.next().alert
            if alert["kind"] == "key-misuse":
                misuse.append(alert["state"])
            elif alert["state"] == "cleared":  # what was taken over may be raised once more before
                cleared.append(alert["campaign"])
        assert receiver.messages.empty()
        assert sorted(cleared) == names
        # Strangers who come to one server long after the other are two alerts, each sent once.
        assert misuse in (["raised", "cleared"], ["raised", "cleared"] * 2)
        wait_until(lambda: opened.alerts.read() == {})


def test_keys_that_are_tried(start: Callable[..., Server], tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data", create=True)
    KeyFile(folder.keys).create(SCOPES)
    with Receiver() as receiver:
        WebhookFile(folder.path).add(receiver.url, ["key-misuse"])
        server = start(tmp_path / "data", "--alert-interval", "1.5")
        with server.client(headers={"Authorization": "Bearer fl_0_wrong"}) as client:
            for _ in range(60):
                client.get("/v1/campaigns")
            alert = receiver.next().alert
    assert (alert["kind"], alert["campaign"]) == ("key-misuse", None)


def test_the_rules_for_prometheus_ask_for_what_there_is(client) -> None:
    rules = yaml.safe_load(RULES.read_text())["groups"][0]["rules"]
    expressions = " ".join(rule["expr"] for rule in rules)
    assert set(re.findall(r'kind="([\w-]+)"', expressions)) <= set(KINDS)
    types = dict(re.findall(r"^# TYPE (\w+) (\w+)", client.get("/metrics").text, re.M))
    known = set(types) | {f"{name}_bucket" for name in types if types[name] == "histogram"}
    asked = set(re.findall(r"floorline_\w+", expressions))
    assert asked <= known
    assert all(rule["annotations"]["summary"] and rule["labels"]["severity"] for rule in rules)
