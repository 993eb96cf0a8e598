import math

import numpy as np
import pytest

from floorline import Bernoulli, ByReward, Delayed, Gaussian, Tabulated
from floorline.core.kernel import bind
from floorline.core.records import FOREVER
from floorline.environments.arrivals import arrival_of
from floorline.environments.base import draw

CLICKS = Bernoulli([0.5, 0.8])
VALUES = Tabulated([[0, 2], [0, 1, 3]], [[0.5, 0.5], [0.2, 0.4, 0.4]])


def all_fates(environment, arm=0, count=20_000, round=7):
    """Rewards of an arm; after which round each is closed, what it counts as, and comes again."""
    rng = np.random.default_rng(1)
    draws = bind(environment.kernels()[draw], environment.kernels())
    rules = environment.rules()
    rewards = [draws(rules.rewards, arm, rng) for _ in range(count)]
    ahead = zip(*(arrival_of(rules, arm, round, r, rng) for r in rewards), strict=True)
    return np.array(rewards), *(np.array(one) for one in ahead)


def fates(environment, arm=0, count=20_000, round=7):
    """The same but for what comes again."""
    return all_fates(environment, arm, count, round)[:3]


def test_nothing_is_late_or_lost_unless_told():
    rewards, after, counted = fates(Delayed(CLICKS))
    assert (after == 7).all()
    assert np.array_equal(rewards, counted)


def test_delays_are_drawn_evenly():
    """Each share within 6 standard errors, ten of them: below 1e-7."""
    _, after, _ = fates(Delayed(CLICKS, delay=range(3, 13)))
    _, counts = np.unique(after - 7, return_counts=True)
    assert counts.size == 10
    assert counts / 20_000 == pytest.approx(0.1, abs=6 * 0.3 / math.sqrt(20_000))
    assert set(after) == set(range(10, 20))


def test_delay_may_depend_on_the_reward():
    rewards, after, _ = fates(Delayed(CLICKS, delay=ByReward(zero=50, above=[1, 2])))
    assert set(after[rewards == 0]) == {57}
    assert set(after[rewards == 1]) == {8, 9}


def test_delays_change_the_order():
    rng = np.random.default_rng(1)
    for delay, in_order in ((range(20), False), (20, True)):
        rules = Delayed(CLICKS, delay=delay).rules()
        after = [arrival_of(rules, 0, round, 1.0, rng).closed_after for round in range(1, 101)]
        assert (np.diff(after) >= 0).all() == in_order


def test_news_comes_in_batches():
    _, after, _ = fates(Delayed(CLICKS, delay=range(20), batch=10))
    assert set(after) == {10, 20, 30}
    early = fates(Delayed(CLICKS, batch=10), round=10)[1]
    assert set(early) == {10}


@pytest.mark.parametrize("lost", [0.3, [0.1, 0.3], [0, ByReward(zero=0.3, above=0.3)]])
def test_a_share_is_lost(lost):
    _, after, counted = fates(Delayed(CLICKS, lost=lost), arm=1)
    assert (after == FOREVER).mean() == pytest.approx(0.3, abs=6 * 0.46 / math.sqrt(20_000))
    assert not np.isnan(counted).any()


def test_loss_may_depend_on_the_reward():
    rewards, after, _ = fates(Delayed(CLICKS, lost=[ByReward(zero=0, above=0.9), 0]))
    assert (after[rewards == 0] == 7).all()
    assert (after[rewards == 1] == FOREVER).mean() == pytest.approx(0.9, abs=0.02)


def test_what_is_lost_at_random_is_skipped_after_the_window():
    environment = Delayed(CLICKS, delay=range(10), lost=0.5, missing="random", window=30)
    rewards, after, counted = fates(environment)
    gone = np.isnan(counted)
    assert gone.mean() == pytest.approx(0.5, abs=0.03)
    assert (after[gone] == 37).all()
    assert np.array_equal(rewards[~gone], counted[~gone])
    assert environment.means == (0.5, 0.8)


@pytest.mark.parametrize("lost", [0, 0.4])
def test_a_share_of_what_comes_comes_again_later(lost):
    """Shares within 6 standard errors, ten of them: below 1e-7."""
    environment = Delayed(CLICKS, delay=range(10), lost=lost, repeated=[0, 0.3])
    _, after, _, again = all_fates(environment, arm=1)
    came = after < FOREVER
    twice = again < FOREVER
    assert not twice[~came].any()
    assert twice[came].mean() == pytest.approx(0.3, abs=6 * 0.46 / math.sqrt(came.sum()))
    waits, counts = np.unique((again - after)[twice], return_counts=True)
    assert waits.tolist() == list(range(1, 11))
    assert counts / twice.sum() == pytest.approx(0.1, abs=6 * 0.3 / math.sqrt(twice.sum()))
    assert (all_fates(environment, arm=0)[3] == FOREVER).all()


def test_what_comes_again_may_depend_on_the_reward_and_comes_in_batches():
    environment = Delayed(CLICKS, delay=4, batch=10, repeated=ByReward(zero=0, above=1))
    rewards, after, _, again = all_fates(environment)
    assert (again[rewards == 0] == FOREVER).all()
    assert set(again[rewards == 1]) == {20}
    assert set(after) == {20}


def test_repeats_change_nothing_else():
    options = {"delay": range(10), "lost": 0.3, "missing": "random", "window": 6}
    for one, other in zip(
        fates(Delayed(CLICKS, **options)),
        fates(Delayed(CLICKS, **options, repeated=0.5)),
        strict=True,
    ):
        assert np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize(
    "environment",
    [
        Delayed(CLICKS, lost=[0.2, 0], missing="zero"),
        Delayed(CLICKS, lost=[ByReward(zero=0.9, above=0.25), 0], missing="zero"),
        Delayed(CLICKS, delay=ByReward(0, range(10)), lost=0.1, missing="zero", window=6),
        Delayed(VALUES, delay=range(10), lost=ByReward(0, 0.3), missing="zero", window=6),
        Delayed(Gaussian([0.5, 1.0], 2.0), lost=0.3, missing="zero"),
        Delayed(Gaussian([0.5, 1.0], 2.0), delay=range(10), missing="zero", window=4),
    ],
)
def test_where_silence_is_a_zero_the_means_are_of_rewards_so_counted(environment):
    """Within 6 standard errors: below 1e-8."""
    for arm in range(2):
        _, after, counted = fates(environment, arm)
        error = counted.std() / math.sqrt(counted.size)
        assert counted.mean() == pytest.approx(environment.means[arm], abs=6 * error)
        assert environment.low <= counted.min() <= counted.max() <= environment.high
        assert (after < FOREVER).all()
        assert counted.std() <= environment.noise_scale + 6 * error
    assert environment.means != environment.environment.means  # the control: not those drawn


def test_a_reward_that_counts_as_zero_widens_the_range():
    always = Tabulated([[1, 2], [1, 2]], [[0.5, 0.5], [0.5, 0.5]])
    unknown, zero = (Delayed(always, lost=0.5, missing=word) for word in ("unknown", "zero"))
    assert (unknown.low, unknown.high, unknown.noise_scale) == (1, 2, 0.5)
    assert (zero.low, zero.high, zero.noise_scale) == (0, 2, 1)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"delay": -1}, "delay"),
        ({"delay": 0.5}, "delay"),
        ({"delay": []}, "delay"),
        ({"delay": ByReward([1, -1], 0)}, "delay"),
        ({"lost": 1.5}, "lost"),
        ({"lost": [0.1]}, "lost"),
        ({"lost": [0.1, ByReward(0, 2)]}, "lost"),
        ({"repeated": -0.1}, "repeated"),
        ({"repeated": [0.1]}, "repeated"),
        ({"repeated": [0.1, ByReward(2, 0)]}, "repeated"),
        ({"missing": "ignored"}, "missing"),
        ({"missing": "zero", "window": -1}, "window"),
        ({"window": 5}, "window"),
        ({"batch": 0}, "batch"),
        ({"missing": "random", "lost": [ByReward(0, 0.5), 0]}, "missing"),
        ({"missing": "random", "delay": ByReward(0, 10), "window": 5}, "missing"),
        ({"missing": "zero", "lost": ByReward(0, 0.5), "environment": Gaussian([1, 1])}, "missing"),
    ],
)
def test_bad_input_is_named(options, named):
    with pytest.raises(ValueError, match=rf"^{named}: must "):
        Delayed(**{"environment": CLICKS, **options})


def test_delays_within_the_window_may_depend_on_the_reward_where_losses_do_not():
    Delayed(CLICKS, missing="random", delay=ByReward(0, 10), lost=0.5, window=10)
