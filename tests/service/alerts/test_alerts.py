"""Which alerts a service raises, from conditions to a receiver."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from receiving import Receiver
from serving import Server

from floorline.live import Campaign, Status
from floorline.live.estimates import Gain
from floorline.service.alerts import watch
from floorline.service.alerts.conditions import KINDS, RewardFlow, alerts_of
from floorline.service.alerts.delivery import AlertDelivery
from floorline.service.alerts.watch import Watch
from floorline.service.alerts.webhooks import WebhookFile
from floorline.service.host.folder import Folder
from floorline.service.http.keys import SCOPES, KeyFile

RULES = Path(__file__).parents[3] / "deploy" / "prometheus-rules.yml"


@pytest.fixture
def campaign() -> Campaign:
    return Campaign.open(
        ":memory:", arms=["now", "b"], max_loss=0.1, missing="zero", window=60.0, seed=1
    )


def raised(campaign: Campaign, flow: RewardFlow | None = None, **changes: object) -> set[str]:
    status: Status = replace(campaign.status(), **changes)
    return set(alerts_of(status, campaign.settings, flow or RewardFlow()))


def test_a_quiet_campaign_raises_nothing(campaign: Campaign) -> None:
    assert raised(campaign) == set()
    assert raised(campaign, gain=Gain(1.0, 0.0, 2.0), winner=None) == set()


def test_each_condition_raises_its_alert(campaign: Campaign) -> None:
    assert raised(campaign, guaranteed_share=0.85) == {"floor-in-doubt"}
    assert raised(campaign, alarm="the mean was, and is") == {"drift"}
    assert raised(campaign, problems=["most are silent"]) == {"learning-stalled"}
    assert raised(campaign, winner="b") == {"winner-found"}


def test_a_finished_campaign_raises_nothing(campaign: Campaign) -> None:
    assert raised(campaign, state="finished", winner="b", problems=["x"]) == set()


def test_rewards_that_stop_are_noticed_and_rare_ones_are_not(campaign: Campaign) -> None:
    def look(flow: RewardFlow, decisions: int, seen: int, pending: int = 0) -> set[str]:
        arms = [replace(arm, seen=0, lost=0) for arm in campaign.status().arms]
        arms[0] = replace(arms[0], seen=seen)
        return raised(campaign, flow, decisions=decisions, pending=pending, arms=arms)

    flow = RewardFlow()
    assert look(flow, 1000, 100) == set()
    assert look(flow, 1190, 100) == set()  # 19 would have been expected
    assert look(flow, 1400, 100, pending=300) == set()  # whose time is not over
    assert look(flow, 1400, 100, pending=150) == {"rewards-stopped"}
    assert look(flow, 1400, 101) == set()
    rare = RewardFlow()
    look(rare, 10_000, 10)
    assert look(rare, 25_000, 10) == set()


def test_the_disk(service, monkeypatch: pytest.MonkeyPatch) -> None:
    looking = Watch(service.host, AlertDelivery(WebhookFile(service.host.data.path)))
    assert looking._of_service() == {}
    few = SimpleNamespace(free=100 * 2**20, total=100 * 2**30)
    monkeypatch.setattr(watch.shutil, "disk_usage", lambda _: few)
    assert list(looking._of_service()) == [(None, "disk-full")]


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
