"""The floor with late and lost rewards, where cuts decide.

False alarms: a case fails if its breaches exceed what a breach rate of exactly delta exceeds with
probability 1e-9; there are fewer than 100 cases.
"""

import math
from dataclasses import dataclass

import pytest

from floorline import (
    Bernoulli,
    Boundary,
    ByReward,
    ConfidenceFloor,
    Delayed,
    Policy,
    kernel,
    optimistic,
    simulate,
)
from floorline.core.cuts import move_cuts
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Memory, Rules
from floorline.core.slots import interval
from floorline.testing.hostile import hostile
from floorline.testing.odds import breaks_floor

RUNS = 1000
HORIZON = 1500
DELTA = 0.1

WORSE = [0.5, 0.05, 0.1, 0.2]
SETTINGS = {
    "late and lost": (WORSE, {"delay": 100, "lost": 0.01}),
    "nearly as good, late and lost": ([0.5, 0.43], {"delay": range(150), "lost": 0.02}),
    "zeros late and lost": (
        WORSE,
        {"delay": ByReward(zero=400, above=0), "lost": [0, *[ByReward(zero=0.9, above=0)] * 3]},
    ),
    "default's conversions late and lost": (
        WORSE,
        {"delay": ByReward(zero=0, above=200), "lost": [ByReward(zero=0, above=0.5), 0, 0, 0]},
    ),
    "late and skipped": (WORSE, {"delay": range(200), "lost": 0.1, "missing": "random"}),
    "rare clicks": ([0.04, 0.02], {"delay": 100, "lost": 0.005}),
}


def run(floor, setting, proposer=optimistic, boundary="beta-binomial"):
    means, options = SETTINGS[setting]
    policy = Policy(proposer(), floor, Boundary(boundary, DELTA, noise_scale=0.5))
    environment = Delayed(Bernoulli(means), **options)
    return simulate(policy, environment, horizon=HORIZON, runs=RUNS, seed=4)


@pytest.mark.parametrize("proposer", [optimistic, hostile])
@pytest.mark.parametrize("default_mean", ["learned", "known"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_floor_holds_with_cuts(setting, default_mean, proposer):
    known = SETTINGS[setting][0][0] if default_mean == "known" else None
    assert not breaks_floor(run(ConfidenceFloor(0.1, known), setting, proposer), DELTA)


@pytest.mark.parametrize("boundary", ["stitched", "authors"])
def test_the_floor_holds_with_cuts_under_other_boundaries(boundary):
    for setting in ("late and lost", "zeros late and lost"):
        found = run(ConfidenceFloor(0.1), setting, boundary=boundary)
        assert not breaks_floor(found, DELTA), setting


# Two kinds of cuts that look reasonable, and are not safe.


@kernel
def cut_arrivals(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, low, high, arm: int
) -> None:
    """Broken: a cut through the rewards in the order in which they arrived."""
    if arms.seen[arm] > 0 and not (arm == 0 and not math.isnan(rules.default_mean)):
        lower, upper = interval(
            rules.boundary, memory.boundary, arm, arms.seen[arm], arms.total[arm]
        )
        pending.cut_lower[arm] = lower
        pending.cut_upper[arm] = upper


@kernel
def fill_in_average(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, low, high, arm: int
) -> None:
    """Broken: a missing reward is the average of those that were seen."""
    if arms.seen[arm] > 0 and not (arm == 0 and not math.isnan(rules.default_mean)):
        plays = pending.length[arm]
        total = plays * arms.average[arm]
        lower, upper = interval(rules.boundary, memory.boundary, arm, plays, total)
        pending.cut_lower[arm] = lower
        pending.cut_upper[arm] = upper


@dataclass(frozen=True)
class CutsArrivals(ConfidenceFloor):
    def kernels(self):
        return {**super().kernels(), move_cuts: cut_arrivals}


@dataclass(frozen=True)
class FillsInAverage(ConfidenceFloor):
    def kernels(self):
        return {**super().kernels(), move_cuts: fill_in_average}


@pytest.mark.parametrize("floor", [CutsArrivals, FillsInAverage])
@pytest.mark.parametrize("proposer", [optimistic, hostile])
def test_other_cuts_are_caught(floor, proposer):
    assert breaks_floor(run(floor(0.1), "zeros late and lost", proposer), DELTA)
