"""Campaigns in machine code: the same decisions, through everything that may happen to them."""

import json
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from campaigns import new_campaign, play, replayed

from floorline.core import machine_code as machine_code_file
from floorline.live import Campaign, LedgerError, acceleration, snapshot
from floorline.live import campaign as campaigns
from floorline.live.acceleration import accelerate
from floorline.live.compiled_kernels import STEPS
from floorline.live.replay import start
from floorline.live.state import State
from floorline.live.verify import verify

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


@pytest.fixture
def anew(monkeypatch, tmp_path):
    """Nothing is compiled or loaded yet."""
    monkeypatch.setenv("FLOORLINE_CACHE_DIR", str(tmp_path / "code"))
    monkeypatch.setenv(acceleration.SWITCH, "on")
    monkeypatch.setattr(acceleration, "_preparations", {})
    monkeypatch.setattr(machine_code_file, "_loaded", {})
    acceleration.report_once.cache_clear()


def prepared(state):
    """The preparation of a campaign's machine code, at its end."""
    accelerate(state)
    (preparation,) = acceleration._preparations.values()
    preparation.join(300)
    assert not preparation.is_alive()
    return preparation


def test_code_is_compiled_by_another_process_and_loaded_the_next_time(anew, monkeypatch):
    state = state_of()
    assert len(prepared(state).code) == len(STEPS) and state.compiled is None
    accelerate(state)
    assert state.compiled is not None
    monkeypatch.setattr(acceleration, "_preparations", {})
    monkeypatch.setattr(acceleration, "run_compiler", None)
    assert len(prepared(state_of()).code) == len(STEPS)


def test_damaged_code_is_compiled_again(anew, monkeypatch, tmp_path):
    prepared(state_of())
    damaged = next((tmp_path / "code").glob("*/*.o"))
    damaged.write_bytes(b"")
    monkeypatch.setattr(acceleration, "_preparations", {})
    monkeypatch.setattr(machine_code_file, "_loaded", {})
    assert len(prepared(state_of()).code) == len(STEPS) and damaged.stat().st_size > 1000


def test_campaigns_in_several_threads_load_the_same_code(anew):
    prepared(state_of())
    machine_code_file._loaded.clear()
    acceleration._preparations.clear()
    ready = threading.Barrier(4)

    def decide(_):
        campaign = new_campaign()
        ready.wait()
        play(campaign, REWARDS, 1500)
        return campaign

    with ThreadPoolExecutor(4) as threads:
        campaigns = list(threads.map(decide, range(4)))
    assert all(campaign.state() == replayed(campaign) for campaign in campaigns)


def test_nothing_is_prepared_if_that_is_switched_off(anew, monkeypatch):
    monkeypatch.setenv(acceleration.SWITCH, "off")
    accelerate(state_of())
    assert acceleration._preparations == {}


def test_the_compiler_imports_nothing_from_the_working_directory(anew, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "numba.py").write_text("raise SystemExit(7)")
    assert len(prepared(state_of()).code) == len(STEPS)


@pytest.mark.parametrize("executable", ["", "/usr/bin/uwsgi", "/opt/app/shop"])
def test_a_program_that_includes_python_is_not_started(anew, monkeypatch, caplog, executable):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(subprocess, "run", None)
    assert prepared(state_of()).code == []
    assert "sys.executable is a program that includes Python" in caplog.text


def test_a_failure_is_reported_once_and_decisions_go_on(anew, monkeypatch, caplog):
    monkeypatch.setattr(campaigns, "LOOK_EVERY", 1)
    monkeypatch.setattr(acceleration, "load", lambda path: 1 / 0)
    play(new_campaign(), REWARDS, 10)
    prepared(state_of())
    assert [record.getMessage() for record in caplog.records] == [
        "campaigns stay interpreted, and decide as before but slower: "
        "ZeroDivisionError: division by zero"
    ]


def test_where_code_cannot_be_stored_campaigns_stay_interpreted(anew, monkeypatch, caplog):
    monkeypatch.setattr("floorline.core.machine_code.folder_for", lambda options: None)
    state = state_of()
    assert prepared(state).code == []
    accelerate(state)
    assert state.compiled is None and caplog.records == []


def test_a_state_out_of_step_with_its_ledger_makes_no_decision(monkeypatch):
    monkeypatch.setattr(campaigns, "LOOK_EVERY", 1)
    campaign = new_campaign()
    play(campaign, REWARDS, 5)
    with pytest.raises(LedgerError), campaign.transaction():
        with monkeypatch.context() as patch:
            patch.setattr(State, "start_play", None)
            with pytest.raises(TypeError):
                campaign.decide()
        campaign.decide()
    play(campaign, REWARDS, 5)
    assert campaign.status().decisions == 10 and campaign.state() == replayed(campaign)


def test_a_tie_is_decided_as_if_interpreted(monkeypatch, machine_code):
    settings = {"floor": "joint", "default_mean": 0.0, "max_loss": 0.2}
    reasons = []
    for switch in ("on", "off"):
        monkeypatch.setenv(acceleration.SWITCH, switch)
        campaign = new_campaign(**settings)
        tickets = play(campaign, {"now": [0.0], "video": [0.0], "quiz": [0.0]}, 20)
        reasons.append([ticket.reason for ticket in tickets])
    assert reasons[0] == reasons[1]


def test_a_reward_whose_square_rounds_differently_is_counted_the_same(machine_code, tmp_path):
    settings = {"floor": "joint-variance", "policy": "conservative-empirical-ucb"}
    campaign = new_campaign(tmp_path / "c", **settings)
    for _ in range(3):
        campaign.observe(campaign.decide(), 0.04538805984571925)
    campaign.save_snapshot()
    assert campaign._state.compiled is not None
    campaign.close()
    assert verify(str(tmp_path / "c")).problems == []


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
