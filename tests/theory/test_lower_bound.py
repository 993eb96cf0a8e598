"""Theorem 4: its environments, its conditions, and that no conservative policy beats it."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from floorline import CATALOGUE, Gaussian, Policy, Scripted, Setting, kernel, named, simulate
from floorline.proposers import Proposer
from floorline.theory import lower_bound, lower_bound_means

HORIZON = 10_000
RUNS = 100
DELTA = 1e-4

# max_loss 0.1 is case 1 of the proof (exploring costs most), 0.001 case 2 (the floor does).
LOSSES = [0.1, 0.001]

# For Bernoulli rewards the divergence between the proof's arms is at most
# (2 gap)^2 / (q (1 - q)) with q = 0.5 + gap, below (2 gap)^2 / (2 * 0.1) as gap <= 0.2 here:
# that of Gaussian rewards whose variance is 0.1. The proof uses nothing else of the noise.
BERNOULLI_SCALE = math.sqrt(0.1)


def in_expectation(max_loss):
    """The loss in expectation of a floor that holds with probability 1 - DELTA (means >= 0)."""
    return 1 - (1 - max_loss) * (1 - DELTA)


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
    asked = (5, HORIZON, in_expectation(max_loss), 0.5, BERNOULLI_SCALE if unit_rewards else 1.0)
    found = []
    for means in lower_bound_means(*asked):
        assert not unit_rewards or max(means) <= 0.7
        regret = (coins if unit_rewards else gaussian)(policy_for(means), means, max_loss)
        found.append(regret.mean() - 6 * regret.std() / math.sqrt(RUNS))
    return lower_bound(*asked), max(found)


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
    assert found == {name for name in CATALOGUE if make_policy(name, setting).floor.max_loss is not None}
    assert found >= {"conservative-ucb", "conservative-thompson", "budget-first", "safe-exp3-ix"}


@pytest.mark.parametrize("max_loss", LOSSES)
@pytest.mark.parametrize(("name", "changes"), list(conservative()))
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
                assert str(error).startswith("default_mean: must be from ")
                continue
            accepted += 1
            assert len(environments) == 4
            assert 0 <= np.min(environments) <= np.max(environments) <= 1
    assert accepted > 50


def test_other_noise_scales_are_other_units_of_reward():
    ones = lower_bound(5, HORIZON, 0.004, 0.5)
    assert math.isclose(lower_bound(5, HORIZON, 0.004, 0.25, noise_scale=0.5), ones / 2)


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
