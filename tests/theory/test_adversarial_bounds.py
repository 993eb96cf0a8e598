"""Theorem 3, its corollary, and the bounds of the algorithms that it is used with.

The algorithms here are a few lines of NumPy, many runs at a time, so that the
bounds are tested by themselves.
"""

import math

import numpy as np
import pytest

from floorline.theory import (
    exp3_ix_envelope,
    exp3_ix_regret,
    last_safe_round,
    prior_exp3_regret,
    safe_exp3_ix_regret,
    safe_playing_regret,
)

# 50 runs a test, each outside its bound with a chance of at most DELTA: the odds of a false
# alarm in this file are below 3 in 10^7.
DELTA = 1e-9
RUNS = 50
HORIZON = 20_000


def exp3_ix(rewards, *, seed, floor=None, exploring=True):
    """Regret and last safe round of runs of Exp3-IX; with a floor it plays safe when it must.

    rewards: rounds x arms. floor: (max_loss, default_mean) of arm 0.
    """
    rng = np.random.default_rng(seed)
    horizon, n_arms = rewards.shape
    losses = np.zeros((RUNS, n_arms))
    clock, earned, last_safe = np.ones(RUNS), np.zeros(RUNS), np.zeros(RUNS)
    lines = np.arange(RUNS)
    for t in range(horizon):
        acts = (
            np.ones(RUNS, bool) if floor is None else earned >= (1 - floor[0]) * floor[1] * (t + 1)
        )
        eta = np.sqrt(math.log(n_arms) / (n_arms * clock)) if exploring else np.zeros(RUNS)
        weights = np.exp(-eta[:, None] * (losses - losses.min(axis=1, keepdims=True)))
        p = weights / weights.sum(axis=1, keepdims=True)
        arm = (p.cumsum(axis=1) < rng.random((RUNS, 1))).sum(axis=1).clip(max=n_arms - 1)
        arm[~acts] = 0
        losses[lines, arm] += acts * (1 - rewards[t, arm]) / (p[lines, arm] + eta / 2)
        clock += acts
        earned += rewards[t, arm]
        last_safe[~acts] = t + 1
    return rewards.sum(axis=0).max() - earned, last_safe


def switching(levels, horizon=HORIZON):
    """Rewards in which the challengers take turns at being best; arm 0 pays the first level."""
    default, low, high = levels
    rewards = np.full((horizon, 3), low)
    rewards[:, 0] = default
    rewards[: horizon // 3, 1] = high
    rewards[horizon // 3 :, 2] = high
    return rewards


@pytest.mark.parametrize("levels", [(0.5, 0.0, 1.0), (0.9, 0.2, 0.3)])
def test_exp3_ix_stays_within_its_bound_at_several_horizons(levels):
    for horizon in (300, 3000, HORIZON):
        regret, _ = exp3_ix(switching(levels, horizon), seed=1)
        assert regret.max() <= exp3_ix_regret(3, horizon, DELTA)


def test_playing_uniformly_does_not():
    regret, _ = exp3_ix(switching((0.0, 0.0, 1.0)), seed=1, exploring=False)
    assert regret.min() > exp3_ix_regret(3, HORIZON, 0.05)


@pytest.mark.parametrize(("max_loss", "default_mean"), [(1.0, 0.9), (0.7, 0.9), (0.3, 0.5)])
def test_safe_playing_stays_within_theorem_3(max_loss, default_mean):
    rewards = switching((default_mean, 0.0, 1.0))
    rewards[:2000, 1:] = 0.0  # the lure comes late
    envelope = exp3_ix_envelope(3, DELTA)
    regret, last_safe = exp3_ix(rewards, seed=2, floor=(max_loss, default_mean))
    assert last_safe.max() <= last_safe_round(envelope, max_loss, default_mean)
    assert regret.max() <= safe_playing_regret(envelope, HORIZON, max_loss, default_mean)
    assert max_loss == 1 or last_safe.min() > 0


def test_prior_weighted_exp3_stays_within_its_bound():
    """Six standard errors are granted: the odds of a false alarm are below 1 in 10^8."""
    n_arms, horizon, target = 3, 2000, 150.0
    rng = np.random.default_rng(3)
    eta = target / (horizon * n_arms)
    prior = math.exp(-(target**2) / (2 * horizon * n_arms))
    start = np.log([prior, (1 - prior) / 2, (1 - prior) / 2])
    bounds = prior_exp3_regret(n_arms, horizon, target)
    for rewards, against, bound in [
        (np.tile([1.0, 0.0, 0.0], (horizon, 1)), 0, bounds.default),
        (np.tile([0.0, 1.0, 0.0], (horizon, 1)), 1, bounds.challenger),
    ]:
        losses, earned = np.zeros((RUNS, n_arms)), np.zeros(RUNS)
        for t in range(horizon):
            logs = start - eta * losses
            p = np.exp(logs - logs.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            arm = (p.cumsum(axis=1) < rng.random((RUNS, 1))).sum(axis=1).clip(max=n_arms - 1)
            reward = rewards[t, arm]
            losses[np.arange(RUNS), arm] += (1 - reward) / p[np.arange(RUNS), arm]
            earned += reward
        regret = rewards[:, against].sum() - earned
        assert bound < horizon * 2 / 3  # what playing uniformly would lose
        assert 0 < regret.mean() - 6 * regret.std() / math.sqrt(RUNS) <= bound


# --- t_0


def plain_last_safe_round(envelope, max_loss, default_mean, limit):
    fits = [
        t for t in range(1, limit + 1)
        if max_loss * default_mean * t <= envelope(t) + default_mean
    ]  # fmt: skip
    return max(fits)


@pytest.mark.parametrize("max_loss", [0.03, 0.3, 1.0])
@pytest.mark.parametrize(
    "envelope",
    [lambda t: 3 * math.sqrt(t), lambda t: 0.0, lambda t: 5.0 + 40 * (t > 700), lambda t: t / 100],
)
def test_the_last_safe_round_is_the_largest_that_qualifies(envelope, max_loss):
    """Also for envelopes that jump: then the rounds that qualify are not all in one piece."""
    ours = last_safe_round(envelope, max_loss, 0.5, limit=2000)
    assert ours == plain_last_safe_round(envelope, max_loss, 0.5, 2000)


def test_without_a_limit_the_exact_round_is_found_however_far():
    envelope = exp3_ix_envelope(11, 1e-6)
    found = last_safe_round(envelope, 0.001, 0.1)
    assert 10**12 < found < 10**15
    assert 1e-4 * found <= envelope(found) + 0.1
    assert 1e-4 * (found + 1) > envelope(found + 1) + 0.1


def test_no_loss_allowed_means_safe_for_ever():
    assert last_safe_round(lambda t: 1.0, 0.0, 0.5, limit=500) == 500


# --- the printed corollary


def test_the_printed_envelope_is_void_for_one_challenger_and_otherwise_above_ours():
    """With all K + 1 arms counted, 7 sqrt(N t log N) log(4 t^2 / delta) is the weaker bound."""
    assert exp3_ix_envelope(2, 0.05, as_printed=True)(10_000) == 0
    assert safe_exp3_ix_regret(2, 10_000, 0.1, 0.5, 0.05, as_printed=True) == 0
    for n_arms in (2, 3, 10, 1000):
        for t in (1, 10, 10**6):
            for delta in (1.0, 0.05, 1e-9):
                size = 7 * math.sqrt(n_arms * t * math.log(n_arms)) * math.log(4 * t * t / delta)
                assert exp3_ix_envelope(n_arms, delta)(t) <= size


def test_a_run_with_one_challenger_has_regret_where_the_paper_prints_0():
    rewards = np.zeros((500, 2))
    rewards[:, 0], rewards[:, 1] = 0.5, 1.0
    regret, _ = exp3_ix(rewards, seed=4, floor=(0.9, 0.5))
    assert regret.min() > 0


def test_the_printed_closed_form_drops_rounds_that_its_own_t_0_has():
    """With the same envelope throughout: t_0 is larger than 49 K log K log^2(.) / slope^2."""
    max_loss, default_mean, delta = 0.5, 1.0, 0.05
    envelope = exp3_ix_envelope(3, delta, as_printed=True)
    exact = last_safe_round(envelope, max_loss, default_mean)
    closed = (envelope(exact) / (max_loss * default_mean)) ** 2 / exact
    assert 1 < exact - closed < 2 / max_loss + 1


@pytest.mark.parametrize("as_printed", [False, True])
def test_envelopes_never_fall(as_printed):
    envelope = exp3_ix_envelope(5, 0.05, as_printed=as_printed)
    values = [envelope(t) for t in (*range(1, 200), 10**4, 10**8, 10**15)]
    assert values == sorted(values)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: exp3_ix_regret(1, 10, 0.1), "n_arms"),
        (lambda: exp3_ix_envelope(3, 0.0), "delta"),
        (lambda: last_safe_round(lambda t: 1.0, 1.5, 0.5), "max_loss"),
        (lambda: last_safe_round(lambda t: 1.0, 0.5, 2.0), "default_mean"),
        (lambda: safe_playing_regret(lambda t: 1.0, 0, 0.5, 0.5), "horizon"),
        (lambda: safe_exp3_ix_regret(3, 10, 0.0, 0.5, 0.1, as_printed=True), "max_loss"),
        (lambda: prior_exp3_regret(3, 10, 0.0), "default_target"),
    ],
)
def test_bad_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=f"^{name}: must be "):
        call()
