"""Campaigns in machine code: the same decisions, through everything that may happen to them."""

import json
import logging
import os
import random
import subprocess
import sys
from types import SimpleNamespace

import pytest
from campaigns import new_campaign, play, replayed

from floorline.live import Campaign, acceleration, snapshot
from floorline.live import campaign as campaigns
from floorline.live.acceleration import accelerate
from floorline.live.replay import start

FLOORS = ("confidence", "joint", "joint-steady", "joint-variance", "randomised")
REWARDS = {"now": [1.0, 0.0], "video": [1.0, 0.0, 1.0], "quiz": [0.0]}


def story(decisions, **settings):
    """The tickets of a campaign whose rewards come late and in any order, and its state."""
    campaign = new_campaign(clock=iter(range(10**9)).__next__, holdback=0.05, **settings)
    rng, waiting, tickets = random.Random(7), [], []
    for _ in range(decisions):
        tickets.append(campaign.decide())
        waiting.append(tickets[-1])
        while len(waiting) > 90 or (waiting and rng.random() < 0.45):
            ticket = waiting.pop(rng.randrange(len(waiting)))
            campaign.observe(ticket, rng.random() if ticket.arm == "quiz" else rng.randint(0, 1))
    return campaign, [(one.arm, one.reason, one.guaranteed_budget) for one in tickets]


@pytest.mark.parametrize("floor", FLOORS)
def test_decisions_are_the_same_to_the_last_bit(monkeypatch, machine_code, floor):
    settings = {"floor": floor, "max_loss": 0.2}
    if floor == "joint-variance":
        settings["policy"] = "conservative-empirical-ucb"
    campaign, decided = story(400, **settings)
    assert campaign._state.compiled is not None
    monkeypatch.setenv(acceleration.SWITCH, "off")
    interpreted, expected = story(400, **settings)
    assert interpreted._state.compiled is None
    assert decided == expected and len({arm for arm, *_ in decided}) > 1
    assert campaign.state() == interpreted.state() == replayed(campaign)


def test_a_campaign_goes_on_in_lists_while_its_arms_change(machine_code):
    campaign = new_campaign(arms_may_change=True, max_loss=0.5)
    compiled = []
    for change in (
        lambda: campaign.add_arm("game"),
        lambda: campaign.retire_arm("quiz"),
        lambda: campaign.promote_arm("video"),
        lambda: campaign.start_epoch("now"),
    ):
        play(campaign, REWARDS | {"game": [1.0]}, 30)
        compiled.append(campaign._state.compiled is not None)
        change()
        compiled.append(campaign._state.compiled is not None)
    assert compiled == [True, False, True, True, True, False, True, False]
    play(campaign, REWARDS | {"game": [1.0]}, 30)
    assert campaign.state() == replayed(campaign)


def test_there_is_room_for_any_number_of_open_decisions(machine_code):
    campaign = new_campaign()
    tickets = [campaign.decide() for _ in range(300)]
    assert campaign._state.compiled is not None and len(campaign._state.book.run) >= 300
    for ticket in tickets[::-2]:
        campaign.observe(ticket, 1.0)
    assert campaign.state() == replayed(campaign)


def test_a_snapshot_of_machine_code_is_plain_json(machine_code):
    campaign = new_campaign()
    play(campaign, REWARDS, 20)
    values = json.loads(json.dumps(campaign.state()))
    assert snapshot.plain(snapshot.from_json(values)) == values


def test_an_interrupt_while_switching_leaves_nothing_half_done(monkeypatch, machine_code):
    campaign = new_campaign()
    play(campaign, REWARDS, 5)

    def interrupted(knowledge):
        knowledge.arms.plays = memoryview(b"")
        raise KeyboardInterrupt

    campaign._state.leave_machine_code()
    with monkeypatch.context() as patch:
        patch.setattr("floorline.live.recorder.accelerate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            campaign.decide()
    play(campaign, REWARDS, 5)
    assert campaign.status().decisions == 10 and campaign.state() == replayed(campaign)


def state_of(**settings):
    return start(new_campaign(**settings)._ledger)[0]


def test_code_is_compiled_by_another_process_and_used_when_it_is_there(
    monkeypatch, tmp_path, wait_until
):
    monkeypatch.setenv("FLOORLINE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv(acceleration.SWITCH, "on")
    monkeypatch.setattr(campaigns, "LOOK_EVERY", 5)
    monkeypatch.setattr(acceleration, "_compilers", {})
    from floorline.live.compiled_kernels import _paths

    _paths.cache_clear()
    campaign = new_campaign(max_loss=0.12)

    def is_compiled():
        play(campaign, REWARDS, 5)
        return campaign._state.compiled is not None

    assert not is_compiled()
    (compiler,) = acceleration._compilers.values()
    wait_until(lambda: compiler.poll() is not None)
    assert compiler.returncode == 0 and is_compiled()
    _paths.cache_clear()


def test_nothing_is_compiled_if_that_is_switched_off(monkeypatch):
    monkeypatch.setattr(acceleration, "stored_code", None)
    accelerate(state_of())  # or it would fail
    assert os.environ[acceleration.SWITCH] == "off"


@pytest.mark.parametrize("executable", ["", "/usr/bin/uwsgi", "/opt/app/shop"])
def test_a_program_that_includes_python_is_not_started(monkeypatch, tmp_path, executable):
    monkeypatch.setenv(acceleration.SWITCH, "on")
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(acceleration, "_compilers", {})
    monkeypatch.setattr(acceleration, "stored_code", lambda *_: (tmp_path / "missing",))
    monkeypatch.setattr(subprocess, "Popen", None)
    accelerate(state_of())
    assert acceleration._compilers == {}


@pytest.mark.parametrize("failing", ["the compiler", "the loading"])
def test_a_failure_is_reported_once_and_decisions_go_on(monkeypatch, caplog, tmp_path, failing):
    code = (tmp_path / "damaged",)
    if failing == "the loading":
        code[0].write_bytes(b"damaged")
    monkeypatch.setenv(acceleration.SWITCH, "on")
    monkeypatch.setattr(campaigns, "LOOK_EVERY", 1)
    monkeypatch.setattr(acceleration, "stored_code", lambda *_: code)
    failed = SimpleNamespace(poll=lambda: 3, returncode=3)
    monkeypatch.setattr(acceleration, "_compilers", {code: failed})
    acceleration._report_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        play(new_campaign(), REWARDS, 10)
    assert [record.message for record in caplog.records] == [
        "campaigns stay interpreted, and decide as before, but slower"
    ]


def test_a_policy_that_python_does_not_know_by_name_stays_interpreted(monkeypatch):
    monkeypatch.setenv(acceleration.SWITCH, "on")
    monkeypatch.setattr(acceleration, "stored_code", lambda *_: None)
    monkeypatch.setattr(subprocess, "Popen", None)
    state = state_of()
    accelerate(state)
    assert state.compiled is None


def test_campaigns_of_the_same_kind_share_their_code(machine_code):
    one, other = (
        new_campaign(max_loss=0.1),
        Campaign.open(
            ":memory:", arms=["a", "b", "c", "d"], max_loss=0.3, policy="conservative-ucb"
        ),
    )
    for campaign in (one, other):
        campaign.decide()
    codes = [campaign._state.compiled._update for campaign in (one, other)]
    assert codes[0] is codes[1]
