"""The loop over the rounds of a run in a stochastic environment, and the loop over runs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.kernel import kernel, slot
from floorline.core.records import TOLERANCE, Arms, Counts, Floats, Rules
from floorline.core.steps import (
    default_rounds,
    fall_back,
    forget,
    guaranteed_budget,
    nominate,
    observe,
    observe_known_default,
    play,
)
from floorline.environments.base import draw, draw_sum

NO_SUCH_ARM = -1
"""Written in place of the first breach when a proposer names an arm that does not exist."""


class Measure(NamedTuple):
    """What a run is measured by; none of it is known to the policy."""

    checkpoints: Counts
    gaps: Floats
    """How much less than the best arm each arm pays in expectation."""
    gains: Floats
    """What a play of each arm adds to the budget in expectation."""
    means: Floats
    default_mean: float
    wants_rewards: bool
    wants_misses: bool
    """Whether every interval is held against its arm's mean."""
    wants_quantiles: bool = True


class Outcome(NamedTuple):
    """What is kept of each run, at every checkpoint; what is not kept has no rows."""

    pseudo_regret: NDArray[np.float64]
    regret: NDArray[np.float64]
    lowest_budget: NDArray[np.float64]
    plays: NDArray[np.int64]
    rewards: NDArray[np.float64]
    first_breach: Counts
    first_miss: Counts
    """The first round after which an interval did not contain its arm's mean; 0: none."""


def rows(outcome: Outcome, start: int, stop: int) -> Outcome:
    """Some of the runs, as views."""
    part: Any = (array[start:stop] for array in outcome)
    return Outcome(*part)


@slot
def one_run(
    rules: Rules, arms: Arms, memory: Floats, room: Any, environment: Any, measure: Measure,
    rng: Any, side_rng: Any, outcome: Outcome, run: int,
) -> None:  # fmt: skip
    """Play one run from the start and write what comes of it into row `run` of `outcome`.

    `room` is for the loop's own use: three numbers an arm, or what `new_room` gives.
    """
    raise NotImplementedError


@slot
def missed(measure: Measure, arms: Arms, arm: int) -> bool:
    """Whether an arm's interval does not contain its mean; False where nobody asks."""
    raise NotImplementedError


@kernel
def not_watched(measure: Measure, arms: Arms, arm: int) -> bool:
    """False: the compiler then leaves the question out."""
    return False


@kernel
def misses_mean(measure: Measure, arms: Arms, arm: int) -> bool:
    """Whether an arm's interval does not contain its mean."""
    return not arms.lower[arm] <= measure.means[arm] <= arms.upper[arm]


@kernel
def stochastic_run(
    rules: Rules, arms: Arms, memory: Floats, room: Floats, environment: Any, measure: Measure,
    rng: Any, side_rng: Any, outcome: Outcome, run: int,
) -> None:  # fmt: skip
    """Play one run from the start and write what comes of it into row `run` of `outcome`.

    Rewards of a default arm whose mean is known teach nothing. They are drawn
    only if asked for, from `side_rng`, so that asking changes nothing else.
    """
    forget(rules, arms, memory)
    known_default = not math.isnan(rules.default_mean)
    played = 0
    budget = 0.0
    lowest = math.inf
    breach = 0
    miss = 0
    received = 0.0
    for c in range(measure.checkpoints.size):
        while played < measure.checkpoints[c]:
            candidate = nominate(rules, arms, memory, played + 1, rng)
            if candidate < 0 or candidate >= arms.plays.size:
                outcome.first_breach[run] = NO_SUCH_ARM
                return
            guaranteed = guaranteed_budget(rules.floor, arms, played + 1, candidate)
            # Branches, not one choice of arm: the processor then runs ahead into the likely one.
            if candidate == 0 or not guaranteed >= 0.0:
                arm = 0
                if not guaranteed >= 0.0:
                    arm = fall_back(rules.floor, arms)
                if arm == 0 and known_default:
                    rounds = 1
                    if rules.skips:
                        rounds = default_rounds(rules.floor, arms, played + 1, candidate)
                        rounds = min(rounds, measure.checkpoints[c] - played)
                    arms.plays[0] += rounds
                    observe_known_default(rules, arms, memory, rounds)
                    if measure.wants_rewards:
                        received += draw_sum(environment, 0, rounds, side_rng)
                    played += rounds
                    lowest = min(lowest, budget + measure.gains[0])  # later rounds only add
                    budget += rounds * measure.gains[0]
                    if candidate == 0 or not rules.skips or played == measure.checkpoints[c]:
                        continue
                    arm = candidate  # saved up for
            else:
                arm = candidate
            play(rules, arms, arm)
            reward = draw(environment, arm, rng)
            observe(rules, arms, memory, arm, reward)
            received += reward
            played += 1
            if miss == 0 and missed(measure, arms, arm):  # only now has an interval changed
                miss = played
            budget += measure.gains[arm]
            if budget < lowest:  # a first breach is always a new low
                lowest = budget
                if breach == 0 and budget < -TOLERANCE * measure.default_mean * played:
                    breach = played
        write_checkpoint(arms, measure, outcome, run, c, lowest, received)
    outcome.first_breach[run] = breach
    if measure.wants_misses:
        outcome.first_miss[run] = miss


@kernel
def write_checkpoint(
    arms: Arms, measure: Measure, outcome: Outcome, run: int, checkpoint: int, lowest: float,
    received: float,
) -> None:  # fmt: skip
    """Write how a run stands in a stochastic environment, whether or not rewards come late."""
    outcome.lowest_budget[run, checkpoint] = lowest
    if measure.wants_rewards:
        outcome.rewards[run, checkpoint] = received
    write_plays(arms, outcome, run, checkpoint)
    regret = 0.0
    for i in range(arms.plays.size):
        regret += outcome.plays[run, checkpoint, i] * measure.gaps[i]
    outcome.pseudo_regret[run, checkpoint] = regret


@kernel
def write_plays(arms: Arms, outcome: Outcome, run: int, checkpoint: int) -> None:
    """Write how often each arm was played so far, whether or not the proposer knows."""
    for i in range(arms.plays.size):
        outcome.plays[run, checkpoint, i] = arms.plays[i]
    outcome.plays[run, checkpoint, 0] += arms.aside[0]


@kernel
def many_runs(
    rules: Rules, arms: Arms, memory: Floats, room: Any, environment: Any, measure: Measure,
    rng: Any, side_rng: Any, outcome: Outcome, stop: Counts,
) -> None:  # fmt: skip
    """Play one run after the other, all from one stream of random numbers."""
    for run in range(outcome.first_breach.size):
        if stop[0] != 0:
            return
        one_run(rules, arms, memory, room, environment, measure, rng, side_rng, outcome, run)
