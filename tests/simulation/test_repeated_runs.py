"""Rewards that come twice count once.

False alarms: the floor is crossed too often if the breaches exceed what a breach rate of
exactly delta exceeds with probability 1e-9.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binom

from floorline import (
    Bernoulli,
    Boundary,
    ByReward,
    ConfidenceFloor,
    Delayed,
    Gaussian,
    Policy,
    PolicySetup,
    kernel,
    make_policy,
    optimistic,
    simulate,
)
from floorline.core.cuts import is_time_for_cuts, move_cuts
from floorline.core.late import receive
from floorline.core.pending import CLOSED, NONE
from floorline.core.records import Arms, Memory, Rules
from floorline.simulation.loops.late import LateScratch, take_arrivals

RUNS = 1000
HORIZON = 1000
DELTA = 0.1

SETTINGS = {
    "at once": {},
    "out of order": {"delay": range(100), "lost": [0.1, 0.3, 0]},
    "conversions first": {"delay": ByReward(zero=250, above=0)},
    "batches": {"delay": range(30), "batch": 20},
    "skipped": {"delay": range(100), "lost": 0.3, "missing": "random", "window": 50},
    "zero": {"delay": range(100), "lost": 0.1, "missing": "zero", "window": 50},
}


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("rewards", [Bernoulli([0.5, 0.6, 0.2]), Gaussian([0.5, 0.8, 0.2], 0.25)])
@pytest.mark.parametrize("policy", ["conservative-ucb", "conservative-thompson"])
def test_runs_are_those_without_repeats(policy, rewards, setting):
    once, twice = (
        Delayed(rewards, **SETTINGS[setting], repeated=share) for share in (0.0, [1, 0.5, 0.5])
    )
    chosen = make_policy(
        policy,
        PolicySetup(
            n_arms=3,
            horizon=HORIZON,
            default_mean=once.means[0],
            learned=True,
            max_loss=0.2,
            delta=DELTA,
            noise_scale=once.noise_scale,
            bounded=once.bounded,
        ),
    )
    options = {"horizon": HORIZON, "runs": 100, "checkpoints": [10, 100, HORIZON], "rewards": True}
    one, other = (simulate(chosen, environment, **options) for environment in (once, twice))
    for field in ("plays", "rewards", "lowest_budget", "first_breach"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field


# A form that looks reasonable, and is not safe.


@kernel
def count_again(
    rules: Rules, arms: Arms, memory: Memory, scratch: LateScratch, low, high, round: int
) -> None:
    """Broken: a reward that comes again is that of one more play."""
    news = scratch.first[round]
    while news != NONE:
        place = news if news < scratch.arm.size else news - scratch.arm.size
        arm, reward = scratch.arm[place], scratch.reward[place]
        if scratch.is_open[place]:
            scratch.is_open[place] = False
            receive(rules, arms, memory, scratch.pending, arm, place, reward)
            if is_time_for_cuts(scratch.pending, arm):
                move_cuts(rules, arms, memory, scratch.pending, low, high, arm)
        else:
            arms.seen[arm] += 1
            arms.total[arm] += reward
            arms.average[arm] = arms.total[arm] / arms.seen[arm]
            scratch.pending.length[arm] += 1
            scratch.pending.stale[arm] = CLOSED
        news = scratch.after[news]


@dataclass(frozen=True)
class CountsAgain(ConfidenceFloor):
    def kernels(self):
        return {**super().kernels(), take_arrivals: count_again}


@pytest.mark.parametrize("boundary", ["beta-binomial", "stitched"])
def test_counting_what_comes_again_is_caught(boundary):
    """Conversions are reported twice: a challenger at 0.3 then looks like one at 0.46."""
    clicks, twice = Bernoulli([0.5, 0.3]), [0, ByReward(zero=0, above=1)]
    found = [
        simulate(
            Policy(optimistic(), floor, Boundary(boundary, DELTA, noise_scale=0.5)),
            Delayed(clicks, delay=range(10), repeated=repeated),
            horizon=HORIZON,
            runs=RUNS,
        )
        for floor, repeated in (
            (ConfidenceFloor(0.1), twice),
            (CountsAgain(0.1), 0.0),
            (CountsAgain(0.1), twice),
        )
    ]
    sound, nothing_again, broken = ((one.first_breach > 0).sum() for one in found)
    most = binom.isf(1e-9, RUNS, DELTA)
    assert sound == nothing_again <= most < broken
    assert np.array_equal(found[0].plays, found[1].plays)
    assert not np.array_equal(found[0].plays, found[2].plays)
