"""The loop over rounds whose rewards come late, for floors on the rewards received."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.kernel import kernel
from floorline.core.pending import NONE
from floorline.core.records import ROUNDING, Arms, Counts, Floats, Memory, Rules
from floorline.core.steps import candidate_of, decide_on, forget, observe, play
from floorline.environments.arrivals import DelayedRules, arrival_of
from floorline.environments.base import draw
from floorline.simulation.loops.late import expect_reward
from floorline.simulation.loops.run import NO_SUCH_ARM, Measure, RunRecords, write_checkpoint


class DecisionScratch(NamedTuple):
    """The decisions of a run, by their round counted from 0, and the arrivals of their rewards.

    Arrivals have the numbers that they have in `LateScratch`.
    """

    arm: Counts
    probability: Floats
    reward: Floats
    is_open: NDArray[np.bool_]
    first: Counts
    after: Counts


def new_decision_scratch(horizon: int) -> DecisionScratch:
    """Return working memory for runs of `horizon` rounds."""
    return DecisionScratch(
        arm=np.zeros(horizon, int),
        probability=np.zeros(horizon),
        reward=np.zeros(horizon),
        is_open=np.zeros(horizon, bool),
        first=np.zeros(horizon, int),
        after=np.zeros(2 * horizon, int),
    )


@kernel
def observe_arrivals(
    rules: Rules, arms: Arms, memory: Memory, scratch: DecisionScratch, round: int
) -> None:
    """Observe the rewards that arrive after `round`; the first report is final."""
    arrival = scratch.first[round]
    while arrival != NONE:
        slot = arrival if arrival < scratch.arm.size else arrival - scratch.arm.size
        if scratch.is_open[slot]:
            scratch.is_open[slot] = False
            observe(
                rules,
                arms,
                memory,
                scratch.arm[slot],
                scratch.probability[slot],
                scratch.reward[slot],
            )
        arrival = scratch.after[arrival]


@kernel
def late_received_run(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    scratch: DecisionScratch,
    environment: DelayedRules,
    measure: Measure,
    rng: Any,
    side_rng: Any,
    outcome: RunRecords,
    run: int,
) -> None:
    """Play one run from the start and write its results into row `run` of `outcome`.

    A decision counts when it is made, with its eventual reward. Delays,
    losses and what the default would have earned come from `side_rng`: without delay and loss,
    plays are those of `round_by_round_run`.
    """
    forget(rules, arms, memory)
    for i in range(scratch.first.size):
        scratch.first[i] = NONE
    played = 0
    received = 0.0
    of_default = 0.0
    lowest = math.inf
    breach = 0
    for c in range(measure.checkpoints.size):
        while played < measure.checkpoints[c]:
            observe_arrivals(rules, arms, memory, scratch, played)
            candidate = candidate_of(rules, arms, memory, played + 1, rng)
            if candidate < 0 or candidate >= len(arms.plays):
                outcome.first_breach[run] = NO_SUCH_ARM
                return
            decision = decide_on(rules, arms, memory, played + 1, candidate, rng)
            arm = decision.arm
            play(rules, arms, memory, arm, decision.fallback_probability)
            reward = draw(environment.rewards, arm, rng)
            arrival = arrival_of(environment, arm, played + 1, reward, side_rng)
            expect_reward(scratch, played, arm, decision.fallback_probability, arrival)
            received += arrival.reward
            if arm == 0:
                of_default += arrival.reward
            else:
                unseen = draw(environment.rewards, 0, side_rng)
                of_default += arrival_of(environment, 0, played + 1, unseen, side_rng).reward
            played += 1
            budget = received - measure.keep * of_default
            if budget < lowest:
                lowest = budget
                if breach == 0 and budget < -ROUNDING * of_default:
                    breach = played
        write_checkpoint(arms, measure, outcome, run, c, lowest, received)
    outcome.first_breach[run] = breach
