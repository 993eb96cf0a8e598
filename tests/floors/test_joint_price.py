"""What the joint floor costs, by the limits that it was accepted by. Seeded.

With three seeds each average was at least 5.5 standard errors inside its limit, for the confidence
floor, as negative control, outside: with seven limits and as many controls another seed raises an
alarm with probability below 1e-6.
"""

from dataclasses import dataclass, replace

import pytest

from floorline import (
    Bernoulli,
    ConfidenceFloor,
    Delayed,
    Gaussian,
    PolicySetup,
    make_policy,
    simulate,
)
from floorline.core.cuts import move_cuts, no_cuts

PAPER = Gaussian([0.5, 0.6, 0.4, 0.4, 0.4])


def regret_a_round(learned, delta, floor="joint"):
    setup = PolicySetup.of(PAPER, 10_000, learned=learned, delta=delta, floor=floor)
    found = simulate(make_policy("conservative-ucb", setup), PAPER, horizon=10_000, runs=2000)
    return found.pseudo_regret[:, -1].mean() / 10_000


@pytest.mark.parametrize(
    ("learned", "delta", "limit"),
    [(False, 1e-4, 0.054), (True, 1e-4, 0.060), (False, 0.05, 0.034), (True, 0.05, 0.038)],
)
def test_regret_on_the_papers_instance(learned, delta, limit):
    """Negative control: the confidence floor does not pass."""
    assert regret_a_round(learned, delta) < limit
    assert regret_a_round(learned, delta, "confidence") > limit


@dataclass(frozen=True)
class Uncut(ConfidenceFloor):
    """Intervals of version 0.1: closed plays, or all plays with the worst for missing rewards."""

    def kernels(self):
        return {**super().kernels(), move_cuts: no_cuts}


def share_of_the_best(means, runs, floor="joint", *, uncut=False, **late):
    environment = Delayed(Bernoulli(means), **late) if late else Bernoulli(means)
    options = {"learned": True, "delta": 0.05, "boundary": "beta-binomial", "floor": floor}
    policy = make_policy("conservative-ucb", PolicySetup.of(environment, 50_000, **options))
    if uncut:
        policy = replace(policy, floor=Uncut(policy.floor.max_loss))
    found = simulate(policy, environment, horizon=50_000, runs=runs)
    return found.plays[:, -1, 1].mean() / 50_000


@pytest.mark.parametrize(
    ("means", "runs", "limit"),
    [([0.03, 0.04], 320, 0.90), ([0.03, 0.04, 0.02, 0.02, 0.02], 512, 0.74)],
)
def test_share_of_the_better_page(means, runs, limit):
    """Clicks, 50,000 decisions, the default's mean learned; the confidence floor as control."""
    assert share_of_the_best(means, runs) > limit
    assert share_of_the_best(means, 32, "confidence") < limit


LATE_AND_LOST = {"means": [0.03, 0.04], "delay": 1000, "lost": 0.001}


def test_share_where_rewards_are_late_and_lost():
    """Negative control: the confidence floor without cuts, which leaves 46%."""
    assert share_of_the_best(runs=72, **LATE_AND_LOST) > 0.78
    assert share_of_the_best(runs=128, floor="confidence", **LATE_AND_LOST) > 0.75
    assert share_of_the_best(runs=32, floor="confidence", uncut=True, **LATE_AND_LOST) < 0.75


@pytest.mark.soak
def test_share_under_the_confidence_floor_where_rewards_are_late_and_lost():
    """The average is 78.8%, six standard errors above the limit."""
    assert share_of_the_best(runs=2048, floor="confidence", **LATE_AND_LOST) > 0.78
