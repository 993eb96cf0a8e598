"""The drift watch where rewards are late or never come.

False alarms of a correct build: each comparison with a level allows what a rate of exactly that
level exceeds with probability 1e-9, and there are ten; the tests of medians say their own.
"""

import json
import sys
from collections import deque

import numpy as np
import pytest

from floorline.live import CampaignSettings
from floorline.live.block_ends import BlockEnds
from floorline.live.change_search import ChangeSearch
from floorline.live.default_blocks import BLOCK
from floorline.live.drift import DriftWatch, new_drift_watch
from floorline.live.filled_evidence import Counts
from floorline.testing.odds import too_often

NEVER = 10**9


def new_watch(level=0.01, **settings):
    given = {"arms": ("now", "video"), "max_loss": 0.1, "drift_level": level}
    return new_drift_watch(CampaignSettings(**given | settings))


def feed(watch, rewards, lost, delay):
    """Plays one by one until an alarm: how many, or NEVER."""
    pending = deque()
    for number, (reward, is_lost) in enumerate(zip(rewards, lost, strict=True)):
        block = watch.decided()
        if not is_lost:
            pending.append((number, block, reward))
        while pending and pending[0][0] <= number - delay:
            _, block, reward = pending.popleft()
            watch.observed(block, reward)
        if watch.alarm:
            return number + 1
    return NEVER


def clicks(means, seed, share=0.0):
    rng = np.random.default_rng([seed, 21])
    rewards = (rng.random(len(means)) < means).astype(float)
    return rewards.tolist(), (rng.random(len(means)) < share).tolist()


DOUBLED = np.r_[np.full(5000, 0.03), np.full(20_000, 0.06)]


def plays_to_alarm(seed, share, delay, **settings):
    return feed(new_watch(**settings), *clicks(DOUBLED, seed, share), delay) - 5000


@pytest.mark.parametrize(("share", "delay", "runs"), [(0.001, 0, 100), (0.001, 1000, 100)])
def test_a_doubled_default_is_found_although_rewards_never_come(share, delay, runs):
    """After a median of 3,500 plays, and the delay.

    Of 1,000 other runs 22% take longer: for half of these to do so, the odds are below 1e-6.
    """
    found = [plays_to_alarm(seed, share, delay) for seed in range(runs)]
    assert np.median(found) <= 3500 + delay
    assert min(found) > 0, "it was found before it happened"


def test_the_watch_of_earlier_ledgers_is_blind_then():
    """Negative control: one reward that never comes leaves it with intervals."""
    found = [plays_to_alarm(seed, 0.001, 0, drift_watch="evidence") for seed in range(30)]
    assert np.median(found) > 5000


@pytest.mark.parametrize("seed", range(8))
def test_late_rewards_delay_an_alarm_by_as_much(seed):
    """Or by less, if half a block says enough: no end is taken in the midst of what is pending."""
    on_time = plays_to_alarm(seed, 0.0, 0)
    for delay in (150, 1000, 4000):
        assert delay - BLOCK < plays_to_alarm(seed, 0.0, delay) - on_time <= delay


@pytest.mark.parametrize(("before", "after"), [(0.06, 0.03), (0.97, 0.93), (0.5, 0.4)])
def test_falls_are_found_as_well(before, after):
    means = np.r_[np.full(8000, before), np.full(20_000, after)]
    found = feed(new_watch(), *clicks(means, 4, share=0.001), 200)
    assert 8000 < found < NEVER


@pytest.mark.parametrize("delay", [0, 500])
def test_a_known_mean_that_is_not_so_is_found(delay):
    for seed, mean in enumerate((0.03, 0.06)):
        rewards, lost = clicks(np.full(20_000, mean), seed, share=0.002)
        found = feed(new_watch(default_mean=0.03), rewards, lost, delay)
        assert (found < NEVER) == (mean == 0.06)


def lost_clicks(kind, runs, blocks, rng):
    """Plays, rewards known and their sum for each block, where the loss depends on the reward."""
    mean = rng.choice([0.1, 0.3], (runs, 1))
    ones = rng.binomial(BLOCK, np.broadcast_to(mean, (runs, blocks)))
    share = np.zeros(blocks)
    share[blocks // 2 if "later" in kind else 0 :] = 0.5 if "half" in kind else 0.02
    lost_ones = rng.binomial(ones, share if "ones" in kind else 0.0)
    lost_zeros = rng.binomial(BLOCK - ones, share if "zeros" in kind else 0.0)
    return BLOCK - lost_ones - lost_zeros, ones - lost_ones


def has_alarm(level, seen, totals):
    watch = new_watch(level)
    for one, total in zip(seen.tolist(), totals.tolist(), strict=True):
        watch.decided()
        watch.plays[-1], watch.seen[-1], watch.totals[-1] = BLOCK, one, total
    watch.decided()  # looks at the last one
    return watch.alarm is not None


def false_alarms(kind, runs):
    """Alarms at the levels 0.5 and 0.01: the latter are among the former."""
    found = zip(*lost_clicks(kind, runs, 60, np.random.default_rng(len(kind))), strict=True)
    loud = [blocks for blocks in found if has_alarm(0.5, *blocks)]
    return len(loud), sum(has_alarm(0.01, *blocks) for blocks in loud)


KINDS = ["ones later", "zeros later", "half of ones later", "half of zeros later", "ones zeros"]


@pytest.mark.parametrize("kind", KINDS)
def test_losses_that_depend_on_the_reward_are_no_change(kind):
    for found, level in zip(false_alarms(kind, 1000), (0.5, 0.01), strict=True):
        assert not too_often(found, 1000, level), level


def ignored(self, start, end):
    """Missing plays are no plays."""
    plays, up, missing = (self.sums[:, end] - self.sums[:, start]).tolist()
    return Counts(up, plays - missing - up, 0)


def averaged(self, start, end):
    """Missing rewards are as the others."""
    up, down, _ = ignored(self, start, end)
    plays = self.sums[0, end] - self.sums[0, start]
    scale = float(plays) / max(up + down, 1)
    return Counts(up * scale, down * scale, 0)


@pytest.mark.parametrize("counts", [ignored, averaged])
@pytest.mark.parametrize("kind", ["half of ones later", "half of zeros later"])
def test_missing_rewards_that_are_not_filled_in_at_the_worst_are_caught(monkeypatch, counts, kind):
    """Negative control."""
    monkeypatch.setattr(BlockEnds, "counts", counts)
    monkeypatch.setattr(
        ChangeSearch,
        "_is_visible",
        lambda self, sums, points, needed, end: np.ones(len(points), bool),
    )
    for found, level in zip(false_alarms(kind, 100), (0.5, 0.01), strict=True):
        assert too_often(found, 100, level)


def random_events(watch, steps, rng, later=0.8, skipped=0.02):
    """Plays, rewards in any order, some never, some plays skipped; yields after each."""
    open_plays = []
    for step in range(steps):
        if not open_plays or rng.random() < 0.5:
            open_plays.append(watch.decided())
        else:
            place = int(len(open_plays) * rng.beta(0.5, 0.5))
            block = open_plays.pop(place)
            chance = rng.random()
            if chance < skipped:
                watch.skipped(block)
            elif chance < 0.97:
                watch.observed(block, float(rng.random() < (0.2 if step < steps / 2 else later)))
        yield


def test_a_restored_watch_is_the_same():
    """Its sums are those of one that never stopped, and so are its alarms."""
    alarms = 0
    for seed in range(4):
        one, other = new_watch(), new_watch()
        events = [random_events(w, 6000, np.random.default_rng(seed)) for w in (one, other)]
        for number, _ in enumerate(zip(*events, strict=True)):
            if number % 7 == 0:
                stored = json.loads(json.dumps(other.to_json()))
                other.__init__(other._settings)
                other.restore(stored)
            assert one.alarm == other.alarm, number
            assert one.total == other.total
        assert one.to_json() == other.to_json()
        alarms += one.alarm is not None
    assert alarms >= 2, "the test must see some"


@pytest.mark.parametrize("skipped", [0.02, 0.9])
def test_sums_are_kept_up_to_date(skipped):
    """They are those of a watch that adds up all blocks."""
    watch = new_watch()
    events = random_events(watch, 6000, np.random.default_rng(9), later=0.2, skipped=skipped)
    for number, _ in enumerate(events):
        if number % 5 == 0:
            fresh = DriftWatch(watch._settings)
            fresh.restore(watch.to_json())
            for one in (watch, fresh):
                one._look()
            assert np.array_equal(watch._ends.sums, fresh._ends.sums)
            assert np.array_equal(watch._ends.best(), fresh._ends.best())


def test_every_play_that_is_skipped_is_looked_at():
    """A watch that adds up all blocks each time raises the same alarms."""
    alarms = 0
    for seed in range(6):
        one, other = new_watch(0.2), new_watch(0.2)
        other.skipped = super(DriftWatch, other).skipped
        rngs = [np.random.default_rng([seed, 5]) for _ in range(2)]
        events = [
            random_events(w, 6000, r, skipped=0.6) for w, r in zip((one, other), rngs, strict=True)
        ]
        for _ in zip(*events, strict=True):
            assert one.alarm == other.alarm
        assert one.to_json() == other.to_json()
        alarms += one.alarm is not None
    assert alarms >= 2, "the test must see some"


def watch_of(n_blocks):
    """A watch of blocks that all await one reward, and of one that has begun."""
    watch = new_watch()
    for _ in range(n_blocks):
        watch.decided()
        watch.plays[-1], watch.seen[-1] = BLOCK, BLOCK - 1
    watch.decided()  # begins a block and looks at all of those before
    return watch


def test_a_play_that_is_skipped_has_no_block_added_up_again():
    watch, called = watch_of(1000), []
    sys.setprofile(lambda frame, event, argument: called.append(frame.f_code.co_name))
    watch.skipped(0)
    sys.setprofile(None)
    assert watch._ends.counts(0, 1) == Counts(0.0, 99.0, 0.0)
    assert "best" in called, "it is looked at"
    assert "replace_after" not in called


def calls_for_an_early_reward(n_blocks):
    """How many function calls, NumPy's included, a reward of the first block takes."""
    watch = watch_of(n_blocks)
    watch._first_changed, events = n_blocks, []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    watch.observed(0, 1.0)
    sys.setprofile(None)
    assert watch._ends.sums[1, 1] == 1.0
    return len([event for event in events if event in ("call", "c_call")])


def test_a_late_reward_takes_as_many_steps_however_many_plays_followed():
    assert calls_for_an_early_reward(2000) == calls_for_an_early_reward(1000)


def test_an_alarm_says_what_is_sure():
    watch = new_watch()
    rewards = np.r_[np.tile([1.0, 0.0], 1000), np.ones(1000)].tolist()
    feed(watch, rewards, [number in (11, 2010) for number in range(3000)], 0)
    assert watch.alarm == (
        "the default earned at most 0.5005 a play in its first 2,000 plays, "
        "and at least 0.99 a play in the 100 after them"
    )
