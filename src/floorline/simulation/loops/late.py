"""The loop over the rounds of a run whose rewards come late, by the kernels of live campaigns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.cuts import is_time_for_cuts, move_cuts
from floorline.core.kernel import kernel
from floorline.core.late import receive, update_bounds
from floorline.core.pending import (
    NONE,
    PendingPlays,
    forget_plays,
    new_pending,
    open_play,
    skip_play,
)
from floorline.core.records import TOLERANCE, Arms, Counts, Floats, Memory, Rules
from floorline.core.slots import await_reward, take_late_reward
from floorline.core.steps import candidate_of, decide_on, forget
from floorline.environments.arrivals import Arrival, DelayedRules, arrival_of
from floorline.environments.base import draw
from floorline.simulation.loops.run import NO_SUCH_ARM, Measure, RunRecords, write_checkpoint


class LateScratch(NamedTuple):
    """The plays of a run, each in the slot of its round counted from 0, and their arrivals.

    The first arrival of a play has the number of its slot; a repeated one has that number plus
    the number of rounds.
    """

    pending: PendingPlays
    arm: Counts
    probability: Floats
    """For each play: the fallback probability at which it was decided."""
    reward: Floats
    """The value each play is closed with; NaN if it is skipped."""
    is_open: NDArray[np.bool_]
    """For each play: whether it is still open."""
    first: Counts
    """For each round: the first arrival after it."""
    after: Counts
    """For each arrival: the next one after the same round."""


def new_late_scratch(n_arms: int, horizon: int) -> LateScratch:
    """Return working memory for runs of `horizon` rounds."""
    return LateScratch(
        pending=new_pending(n_arms, horizon),
        arm=np.zeros(horizon, int),
        probability=np.zeros(horizon),
        reward=np.zeros(horizon),
        is_open=np.zeros(horizon, bool),
        first=np.zeros(horizon, int),
        after=np.zeros(2 * horizon, int),
    )


@kernel
def take_arrivals(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    scratch: LateScratch,
    low: float,
    high: float,
    round: int,
) -> None:
    """Close the plays whose reward arrives after `round`; a play is closed once."""
    arrival = scratch.first[round]
    while arrival != NONE:
        slot = arrival if arrival < scratch.arm.size else arrival - scratch.arm.size
        if scratch.is_open[slot]:
            scratch.is_open[slot] = False
            arm = scratch.arm[slot]
            reward = scratch.reward[slot]
            if math.isnan(reward):
                skip_play(scratch.pending, arm, slot)
            else:
                receive(rules, arms, memory, scratch.pending, arm, slot, reward)
                if is_time_for_cuts(scratch.pending, arm):
                    move_cuts(rules, arms, memory, scratch.pending, low, high, arm)
            probability = scratch.probability[slot]
            take_late_reward(rules.floor, arms, memory.floor, arm, slot, probability, reward)
        arrival = scratch.after[arrival]


@kernel
def expect_reward(
    scratch: Any, played: int, arm: int, probability: float, arrival: Arrival
) -> None:
    """Write a play into its slot, and schedule the arrivals of its reward."""
    scratch.arm[played] = arm
    scratch.probability[played] = probability
    scratch.reward[played] = arrival.reward
    scratch.is_open[played] = True
    expect_arrival(scratch.first, scratch.after, played, arrival.closed_after)
    expect_arrival(scratch.first, scratch.after, played + scratch.arm.size, arrival.again_after)


@kernel
def expect_arrival(first: Counts, after: Counts, arrival: int, round: int) -> None:
    """Schedule `arrival` after `round`, before the other arrivals of that round."""
    if round < first.size:
        after[arrival] = first[round]
        first[round] = arrival


@kernel
def late_run(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    scratch: LateScratch,
    environment: DelayedRules,
    measure: Measure,
    rng: Any,
    side_rng: Any,
    outcome: RunRecords,
    run: int,
) -> None:
    """Play one run from the start and write its results into row `run` of `outcome`.

    Delays, losses and the rewards of a default arm whose mean is known come from
    `side_rng`: without delay and loss, runs are those of `stochastic_run`.
    """
    pending = scratch.pending
    forget(rules, arms, memory)
    forget_plays(pending)
    for i in range(scratch.first.size):
        scratch.first[i] = NONE
    seen_by_proposer = Arms(
        arms.plays, arms.seen, arms.total, arms.average, arms.lower, pending.optimistic_upper
    )
    low, high = environment.low, environment.high
    known_default = not math.isnan(rules.default_mean)
    played = 0
    budget = 0.0
    lowest = math.inf
    breach = 0
    received = 0.0
    for c in range(measure.checkpoints.size):
        while played < measure.checkpoints[c]:
            take_arrivals(rules, arms, memory, scratch, low, high, played)
            update_bounds(rules, arms, memory, pending, low, high)
            if rules.caches:  # upper ends change with every play, and proposers do not see plays
                for i in range(memory.proposer.size):
                    memory.proposer[i] = 0.0
            candidate = candidate_of(rules, seen_by_proposer, memory, played + 1, rng)
            if candidate < 0 or candidate >= len(arms.plays):
                outcome.first_breach[run] = NO_SUCH_ARM
                return
            decision = decide_on(rules, arms, memory, played + 1, candidate, rng)
            arm, probability = decision.arm, decision.fallback_probability
            if arm == 0 and known_default:
                reward = draw(environment.rewards, arm, side_rng)
            else:
                reward = draw(environment.rewards, arm, rng)
            arms.plays[arm] += 1
            open_play(pending, arm, played)
            if is_time_for_cuts(pending, arm):
                move_cuts(rules, arms, memory, pending, low, high, arm)
            await_reward(rules.floor, arms, memory.floor, arm, played, probability)
            arrival = arrival_of(environment, arm, played + 1, reward, side_rng)
            expect_reward(scratch, played, arm, probability, arrival)
            received += reward if math.isnan(arrival.reward) else arrival.reward
            played += 1
            budget += measure.gains[arm]
            if budget < lowest:
                lowest = budget
                if breach == 0 and budget < -TOLERANCE * measure.default_mean * played:
                    breach = played
        write_checkpoint(arms, measure, outcome, run, c, lowest, received)
    outcome.first_breach[run] = breach
