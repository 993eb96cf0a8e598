"""Theorem 4: its environments, its conditions, and that no conservative policy beats it."""

import math
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

from floorline import (
    CATALOGUE,
    Gaussian,
    Policy,
    PolicySetup,
    Scripted,
    kernel,
    make_policy,
    simulate,
)
from floorline.proposers import Proposer
from floorline.theory import lower_bound, lower_bound_means

HORIZON = 10_000
RUNS = 100
DELTA = 1e-4

# max_loss 0.1 is case 1 of the proof (exploring costs most), 0.001 case 2 (the floor does).
LOSSES = [0.1, 0.001]


def gaussian(policy, means, max_loss):
    """Each run's pseudo-regret under Gaussian rewards."""
    return simulate(
        policy, Gaussian(means), horizon=HORIZON, runs=RUNS, max_loss=max_loss
    ).pseudo_regret[:, -1]


def coins(policy, means, max_loss):
    """The same where challengers pay 0 or 1 by chance, and the default arm always its mean."""
    rng, gaps = np.random.default_rng(4), max(means) - np.array(means)
    regrets = []
    for seed in range(RUNS):
        table = (rng.random((HORIZON, len(means))) < means).astype(float)
        table[:, 0] = means[0]
        found = simulate(policy, Scripted(table), horizon=HORIZON, runs=1, seed=seed)
        regrets.append(found.plays[0, -1] @ gaps)
    return np.array(regrets)


def bound_and_worst(policy_for, max_loss, unit_rewards=False):
    """The lower bound, and the largest mean regret over the proof's environments.

    Six standard errors are taken off: each mean would be that far off less than once in 10^8.
    """
    asked = (5, HORIZON, max_loss, 0.5, None if unit_rewards else 1.0)
    found = []
    for means in lower_bound_means(*asked, delta=DELTA):
        regret = (coins if unit_rewards else gaussian)(policy_for(means), means, max_loss)
        found.append(regret.mean() - 6 * regret.std() / math.sqrt(RUNS))
    return lower_bound(*asked, delta=DELTA), max(found)


def conservative():
    """Every policy of the catalogue that promises the floor, in each of its forms."""
    for name, entry in CATALOGUE.items():
        if entry.guarantee.startswith("the floor"):
            yield pytest.param(name, {}, id=name)
    yield pytest.param("conservative-ucb", {"learned": True}, id="learned")
    yield pytest.param("conservative-ucb", {"fallback": "best-lower"}, id="best-lower")
    yield pytest.param("budget-first", {"warm_up": "certain"}, id="certain")


def test_the_catalogue_says_which_policies_are_conservative():
    """A policy with a floor of its own says so; one without does not."""
    found = {param.values[0] for param in conservative()}
    setting = PolicySetup(n_arms=5, horizon=HORIZON, default_mean=0.5)
    floors = {name: make_policy(name, setting).floor for name in CATALOGUE}
    # The randomised floor is under rewards received, of which the theorem does not speak.
    assert found == {
        name
        for name, floor in floors.items()
        if floor.max_loss is not None and not floor.counts_received
    }
    assert found >= {"conservative-ucb", "conservative-thompson", "budget-first", "safe-exp3-ix"}


SLOW = ("information-directed", "kl-ucb", "thompson-votes")
SLOW_TO_COMPILE = ("anytime-moss", "bayes-ucb", "empirical-ucb", "exp3-ix")


def in_short_form(name, max_loss):
    """Whether `make test` has this case; `make soak` has them all."""
    return not name.endswith(SLOW) and (not name.endswith(SLOW_TO_COMPILE) or max_loss == LOSSES[0])


@pytest.mark.parametrize(
    ("name", "changes", "max_loss"),
    [
        pytest.param(
            *param.values,
            max_loss,
            id=f"{param.id}-{max_loss}",
            marks=[] if in_short_form(param.values[0], max_loss) else [pytest.mark.soak],
        )
        for max_loss in LOSSES
        for param in conservative()
    ],
)
def test_every_conservative_policy_loses_at_least_the_bound_somewhere(name, changes, max_loss):
    setting = PolicySetup(
        n_arms=5, horizon=HORIZON, default_mean=0.5, max_loss=max_loss, delta=DELTA, **changes
    )
    policy = make_policy(name, setting)
    bound, worst = bound_and_worst(lambda means: policy, max_loss, policy.unit_rewards)
    assert worst >= bound


class Answer(NamedTuple):
    arm: int


@kernel
def always(rules: Answer, arms: Any, memory: Any, round: int, rng: Any) -> int:
    return rules.arm


@pytest.mark.parametrize("max_loss", LOSSES)
def test_a_policy_that_is_told_the_answer_is_below_the_bound(max_loss):
    """The control: what no algorithm can do is seen."""

    def told(means):
        return Policy(Proposer(always, rules=Answer(int(np.argmax(means)))))

    bound, worst = bound_and_worst(told, max_loss)
    assert worst < bound


def test_the_two_cases_meet_where_the_bound_is_the_larger_of_both():
    constant = 16 * math.e + 8
    for max_loss in (0.001, 0.004, 0.0055, 0.006, 0.1, 1.0):
        bound = lower_bound(5, HORIZON, max_loss, 0.5)
        floor, exploring = 4 / (constant * max_loss * 0.5), math.sqrt(4 * HORIZON / constant)
        assert math.isclose(bound, max(floor, exploring))
        gap = lower_bound_means(5, HORIZON, max_loss, 0.5)[1][1] - 0.5
        if exploring >= floor:
            assert math.isclose(gap, (4 * math.e + 2) * bound / HORIZON)
        else:
            assert math.isclose(gap, 4 / (4 * max_loss * 0.5 * HORIZON))


def test_the_proofs_means_lie_in_the_unit_interval_whenever_the_conditions_hold():
    accepted = 0
    for max_loss in (0.001, 0.01, 0.1, 1.0):
        for default_mean in np.linspace(0, 1, 41):
            try:
                environments = lower_bound_means(4, 1000, max_loss, default_mean)
            except ValueError as error:
                limits = re.match(r"default_mean: must be from (\S+) to (\S+) ", str(error))
                assert (
                    str(error).startswith("horizon: must be longer")
                    if limits is None
                    else (float(limits[1]) <= float(limits[2]))
                )
                continue
            accepted += 1
            assert len(environments) == 4
            assert 0 <= np.min(environments) <= np.max(environments) <= 1
    assert accepted > 50


def test_other_noise_scales_are_other_units_of_reward():
    ones = lower_bound(5, HORIZON, 0.004, 0.5)
    assert math.isclose(lower_bound(5, HORIZON, 0.004, 0.25, noise_scale=0.5), ones / 2)


def test_a_floor_that_may_fail_counts_with_what_it_loses_in_expectation():
    """E12: a floor that fails with delta keeps (1 - max_loss) (1 - delta) in expectation."""
    assert lower_bound(5, HORIZON, 0.001, 0.5) == pytest.approx(155.4, abs=0.1)
    assert lower_bound(5, HORIZON, 0.001, 0.5, delta=0.05) == pytest.approx(27.9, abs=0.1)
    for max_loss, delta in ((0.001, 0.05), (0.1, 0.05), (0.01, 0.0)):
        loss = 1 - (1 - max_loss) * (1 - delta)
        expected = lower_bound(5, HORIZON, loss, 0.5)
        assert lower_bound(5, HORIZON, max_loss, 0.5, delta=delta) == expected


def coin_divergence(p, q):
    return p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))


def test_rewards_of_0_or_1_have_the_largest_scale_that_covers_their_divergence():
    """E12: the proof needs the divergence to be at most (2 gap)^2 / (2 scale^2)."""
    assert lower_bound(2, 10**6, 0.1, 0.03, None, delta=0.05) == pytest.approx(16.9, abs=0.1)
    checked = 0
    for default_mean in (0.01, 0.03, 0.3, 0.5, 0.9, 0.99):
        for max_loss in (1e-4, 0.1):
            asked = (4, 10**6, max_loss, default_mean)
            try:
                worse, better = lower_bound_means(*asked, None)[1][2:0:-1]
            except ValueError:
                continue
            checked += 1
            gap = better - default_mean
            variance = better * (1 - better) / 2
            assert coin_divergence(worse, better) <= (2 * gap) ** 2 / (2 * variance)
            # It is the bound of Gaussian rewards of that variance, and none larger will do.
            assert lower_bound(*asked, None) == pytest.approx(
                lower_bound(*asked, math.sqrt(variance))
            )
            more = lower_bound_means(*asked, 1.01 * math.sqrt(variance))[1][1]
            assert 1.01**2 * variance > more * (1 - more) / 2
    assert checked > 8


@pytest.mark.parametrize("default_mean", [0.0, 1.0])
def test_rewards_of_0_or_1_that_never_differ_have_no_bound(default_mean):
    with pytest.raises(ValueError, match=r"^default_mean: must be above 0 and below 1"):
        lower_bound(2, 1000, 0.1, default_mean, None)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((1, 100, 0.1, 0.5), "n_arms"),
        ((3, 0, 0.1, 0.5), "horizon"),
        ((3, 100, 0.0, 0.5), "max_loss"),
    ],
)
def test_bad_arguments_are_named(arguments, name):
    with pytest.raises(ValueError, match=f"^{name}: must be "):
        lower_bound(*arguments)
