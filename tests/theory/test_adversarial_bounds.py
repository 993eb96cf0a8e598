"""Theorem 3, its corollary, and the bounds of the algorithms that it is used with."""

import math
from typing import Any

import numpy as np
import pytest

from floorline import (
    Adaptive,
    Bernoulli,
    Late,
    Lure,
    Policy,
    Proposer,
    RealisedFloor,
    Scripted,
    Switching,
    exp3_ix,
    kernel,
    prior_exp3,
    simulate,
)
from floorline.simulation.stepping import step_through
from floorline.theory import (
    exp3_ix_envelope,
    exp3_ix_regret,
    last_safe_round,
    prior_exp3_regret,
    safe_exp3_ix_regret,
    safe_playing_regret,
)

# Fewer than 20 cases of 30 runs, each outside its bound with a chance of at most DELTA: the
# odds of a false alarm in this file are below 1 in 10^6.
DELTA = 1e-9
RUNS = 30
HORIZON = 200_000
LEVELS = [0.9, 1.0, 0.3, 0.95]

ADVERSARIES = [
    Switching(LEVELS, span=7000),
    Late(LEVELS, span=60_000),
    Lure(LEVELS, span=500),
    Adaptive(LEVELS),
    Scripted([[0.9, 0.0, 1.0, 0.0]] * HORIZON),
]


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("max_loss", [1.0, 0.7, 0.05])
def test_safe_exp3_ix_stays_within_theorem_3(adversary, max_loss):
    policy = Policy(exp3_ix(4), RealisedFloor(max_loss, 0.9))
    found = simulate(policy, adversary, horizon=HORIZON, runs=RUNS)
    bound = safe_exp3_ix_regret(4, HORIZON, max_loss, 0.9, DELTA)
    assert found.regret.max() <= bound
    assert bound == safe_playing_regret(exp3_ix_envelope(4, DELTA), HORIZON, max_loss, 0.9)


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda one: type(one).__name__)
def test_exp3_ix_stays_within_its_bound(adversary):
    points = [100, 3000, HORIZON]
    found = simulate(
        Policy(exp3_ix(4)), adversary, horizon=HORIZON, runs=RUNS, max_loss=1, checkpoints=points
    )
    for c, rounds in enumerate(points):
        assert found.regret[:, c].max() <= exp3_ix_regret(4, rounds, DELTA)


@kernel
def never_learn(rules: Any, arms: Any, memory: Any, round: int, rng: Any) -> int:
    return 1


def test_a_base_that_never_learns_is_within_neither():
    """The control: the bounds are not void at this horizon."""
    policy = Policy(Proposer(never_learn), RealisedFloor(0.7, 0.9))
    found = simulate(policy, ADVERSARIES[-1], horizon=HORIZON, runs=2)
    assert found.regret.min() > safe_exp3_ix_regret(4, HORIZON, 0.7, 0.9, DELTA)
    assert found.regret.min() > exp3_ix_regret(4, HORIZON, DELTA)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_safe_playing_steps_in_and_never_after_t_0(seed):
    horizon = 16_000
    policy = Policy(exp3_ix(2), RealisedFloor(0.7, 0.9))
    trace = step_through(policy, Bernoulli([0.9, 0.1]), horizon=horizon, seed=seed)
    safe = np.flatnonzero(trace.guaranteed < 0) + 1
    assert 1 <= safe.max() <= last_safe_round(exp3_ix_envelope(2, DELTA), 0.7, 0.9) < horizon


def test_prior_weighted_exp3_stays_within_its_bounds():
    """Six standard errors are granted: the odds of a false alarm are below 1 in 10^8."""
    horizon, target = 2000, 150.0
    bounds = prior_exp3_regret(3, horizon, target)
    policy = Policy(prior_exp3(3, horizon, target))
    for row, bound in [([1.0, 0.0, 0.0], bounds.default), ([0.0, 1.0, 0.0], bounds.challenger)]:
        found = simulate(policy, Scripted([row] * horizon), horizon=horizon, runs=200, max_loss=1)
        regret = found.regret[:, -1]
        assert 0 < regret.mean() <= bound + 6 * regret.std() / math.sqrt(200)
        assert bound < horizon * 2 / 3  # what playing uniformly would lose


def test_prior_weighted_exp3_has_the_bounds_of_the_target_that_it_takes():
    """A target beyond a uniform prior is not taken: 397.2 against a challenger was wrong."""
    uniform = math.sqrt(2 * 10_000 * 5 * math.log(5))
    bounds = prior_exp3_regret(5, 10_000, 500.0)
    assert bounds == pytest.approx((uniform, uniform))
    assert uniform == pytest.approx(401.2, abs=0.05)
    assert prior_exp3_regret(5, 10_000, 1e9) == bounds
    policy, clamped = prior_exp3(5, 10_000, 500.0), prior_exp3(5, 10_000, uniform)
    assert policy.rules.rate == clamped.rules.rate == uniform / 50_000
    assert np.exp(policy.rules.prior) == pytest.approx([0.2] * 5)


# --- t_0


def plain_last_safe_round(envelope, max_loss, default_mean, limit):
    fits = [
        t for t in range(1, limit + 1) if max_loss * default_mean * t <= envelope(t) + default_mean
    ]
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
    policy = Policy(exp3_ix(2), RealisedFloor(0.9, 0.5))
    found = simulate(policy, Scripted([[0.5, 1.0]] * 500), horizon=500, runs=RUNS)
    assert found.regret.min() > 0


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
