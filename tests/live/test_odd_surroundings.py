"""Campaigns in odd company: texts and clocks of other types, interrupts, forks, stale files."""

import ctypes
import enum
import itertools
import os
from contextlib import closing
from threading import Thread

import numpy as np
import pytest

from floorline.live import Campaign, LedgerError
from floorline.live.ledgers import read_ledger
from floorline.live.verify import verify

SHOP = {"arms": ["now", "video"], "max_loss": 0.1, "seed": 1}


class Key(str, enum.Enum):  # noqa: UP042 (people have such)
    VISIT = "visit-1"


def read_again(path):
    """The campaign's events, read by a process that knows nothing of who wrote them."""
    assert verify(str(path)).problems == []
    with Campaign.open(path) as campaign:
        return list(campaign.events())


@pytest.mark.parametrize("key", [np.str_("visit-1"), Key.VISIT])
def test_a_request_key_of_another_type_is_kept_as_plain_text(tmp_path, key):
    with Campaign.open(tmp_path / "c", **SHOP) as campaign:
        ticket = campaign.decide(key)
        assert campaign.decide("visit-1") == ticket
    assert read_again(tmp_path / "c")[-1].key == "visit-1"


def test_names_and_words_of_another_type_are_kept_as_plain_text(tmp_path):
    arms = list(np.array(["now", "video"]))
    policy = np.str_("conservative-thompson")
    with Campaign.open(tmp_path / "c", **{**SHOP, "arms": arms}, policy=policy) as campaign:
        campaign.decide(candidate=arms[1])
        campaign.change(policy=np.str_("conservative-ucb"))
        campaign.pause()
        assert campaign.decide(candidate=arms[1]).candidate == "video"
    assert len(read_again(tmp_path / "c")) == 5


@pytest.mark.parametrize("kind", [int, np.float64, np.float32])
def test_a_clock_of_another_type_is_kept_as_a_plain_number(tmp_path, kind):
    times = itertools.count(1000)
    with Campaign.open(tmp_path / "c", **SHOP, clock=lambda: kind(next(times))) as campaign:
        campaign.observe(campaign.decide(), 1.0)
    assert [event.kind for event in read_again(tmp_path / "c")] == ["opened", "decided", "observed"]


@pytest.mark.parametrize("wrong", [float("inf"), float("nan"), -5.0])
def test_a_clock_that_is_wrong_for_a_moment_leaves_time_where_it_is(tmp_path, wrong):
    times = iter([10.0, 11.0, wrong, wrong, wrong, 12.0, 13.0, 14.0])
    with Campaign.open(tmp_path / "c", **SHOP, clock=lambda: next(times)) as campaign:
        for _ in range(3):
            campaign.decide()
    seen = [event.time for event in read_again(tmp_path / "c")]
    assert seen == sorted(seen) and seen[0] >= 10 and seen[-1] <= 14


def test_a_decision_whose_window_ends_in_a_group_cannot_be_voided():
    now = [0.0]
    campaign = Campaign.open(
        ":memory:", **SHOP, voids=True, missing="zero", window=10, clock=lambda: now[0]
    )
    ticket = campaign.decide()
    with campaign.transaction():
        now[0] = 11.0
        with pytest.raises(Exception, match="can no longer be voided"):
            campaign.void(ticket)
    assert next(campaign.history()).outcome == "expired"


def test_an_interrupt_in_the_middle_of_an_event_comes_through(tmp_path, monkeypatch):
    with Campaign.open(tmp_path / "c", **SHOP) as campaign:
        campaign.decide()
        before = campaign.state()
        with monkeypatch.context() as patch:
            patch.setattr(campaign._ledger, "append", interrupt)
            with pytest.raises(KeyboardInterrupt):
                campaign.decide()
        assert campaign.state() == before
        campaign.decide()
    assert len(read_again(tmp_path / "c")) == 3


def interrupt(*given, **named):
    raise KeyboardInterrupt


def test_what_an_interrupt_kept_from_ending_does_not_keep_the_next_from_being_durable(tmp_path):
    with Campaign.open(tmp_path / "c", **SHOP) as campaign:
        campaign.decide()
        abandoned = campaign.transaction()
        abandoned.__enter__()
        campaign.pause()
        del abandoned  # Python was interrupted on the way to its end
        campaign.resume()
        ticket = campaign.decide()
        with closing(read_ledger(str(tmp_path / "c"))) as ledger:
            kinds = [event.kind for event in ledger.events(1, 9)]
        assert kinds == ["decided", "paused", "resumed", "decided"]
        done = []
        thread = Thread(target=lambda: done.append(campaign.observe(ticket, 1.0)))
        thread.start()
        thread.join(20)
        assert done == ["accepted"]
    assert len(read_again(tmp_path / "c")) == 6


def test_going_back_may_be_interrupted_too(tmp_path, monkeypatch):
    with Campaign.open(tmp_path / "c", **SHOP) as campaign:
        campaign.decide()
        before = campaign.state()
        with monkeypatch.context() as patch:
            patch.setattr("floorline.live.recorder.load", interrupt)
            patch.setattr(campaign._recorder, "_end", interrupt)
            with pytest.raises(KeyboardInterrupt):
                campaign.decide()  # it is not committed
            with pytest.raises(KeyboardInterrupt):
                campaign.decide()  # nor gone back on
        assert campaign.state() == before
        campaign.decide()
    assert len(read_again(tmp_path / "c")) == 3


def test_a_log_without_its_ledger_is_not_written_over(tmp_path):
    path, log = tmp_path / "c", tmp_path / "c-wal"
    log.write_bytes(b"newest events")
    with pytest.raises(LedgerError, match=r"is gone, but its newest events are in .*c-wal"):
        Campaign.open(path, **SHOP)
    assert log.read_bytes() == b"newest events" and not path.exists()
    log.unlink()
    Campaign.open(path, **SHOP).close()


def fork_in_c():
    """Fork as servers written in C do: Python's hooks are not called."""
    return ctypes.PyDLL(None).fork()


@pytest.mark.parametrize("fork", [os.fork, fork_in_c])
def test_a_forked_process_cannot_write(tmp_path, fork):
    with Campaign.open(tmp_path / "c", **SHOP) as campaign:
        campaign.decide()
        child = fork()
        if child == 0:  # nothing of the tests may go on here
            try:
                campaign.decide()
            except LedgerError as error:
                os._exit(3 if "was forked from" in str(error) else 4)
            os._exit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        campaign.decide()
    assert len(read_again(tmp_path / "c")) == 3
