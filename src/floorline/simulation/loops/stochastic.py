"""The loop over the rounds of a run in a stochastic environment."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.records import TOLERANCE, Arms, Memory, Rules
from floorline.core.slots import default_rounds, fallback_arm
from floorline.core.steps import (
    apply_floor,
    candidate_of,
    fast_forward,
    forget,
    observe,
    observe_known_default,
    play,
)
from floorline.environments.base import draw, draw_sum
from floorline.simulation.loops.run import (
    NO_RUN,
    NO_SUCH_ARM,
    Measure,
    RunRecords,
    Scratch,
    missed,
    next_run,
    write_checkpoint,
)


@kernel
def stochastic_run(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    scratch: Scratch,
    environment: Any,
    measure: Measure,
    rng: Any,
    side_rng: Any,
    outcome: RunRecords,
    run: int,
) -> None:
    """Play run `run`, then those that `next_run` returns; write each into its row of `outcome`.

    Rewards of a default arm whose mean is known carry no information. They are drawn
    only if wanted, from `side_rng`, so that the other results do not change.

    There is one loop over the rounds of all runs: on a GPU, lanes that leave a loop over the rounds
    of one run would wait there for the longest of 32.
    """
    known_default = not math.isnan(rules.default_mean)
    forget(rules, arms, memory)
    played = 0
    budget = 0.0
    lowest = math.inf
    breach = 0
    miss = 0
    received = 0.0
    c = 0
    while True:
        if played == measure.checkpoints[c]:
            write_checkpoint(arms, measure, outcome, run, c, lowest, received)
            c += 1
            if c < measure.checkpoints.size:
                continue
            outcome.first_breach[run] = breach
            if measure.wants_misses:
                outcome.first_miss[run] = miss
            run = next_run(rng, side_rng, run)
            if run == NO_RUN:
                return
            forget(rules, arms, memory)
            played = 0
            budget = 0.0
            lowest = math.inf
            breach = 0
            miss = 0
            received = 0.0
            c = 0
        candidate = candidate_of(rules, arms, memory, played + 1, rng)
        # As `refusal_probability` asks, so that the compiler drops its question; `.size` would not.
        if candidate < 0 or candidate >= len(arms.plays):
            outcome.first_breach[run] = NO_SUCH_ARM
            return
        granted, probability = apply_floor(rules, arms, memory, played + 1, candidate, rng)
        # Branches instead of one choice of arm: the processor can then predict the likely one.
        if candidate == 0 or not granted:
            arm = 0
            if not granted:
                arm = fallback_arm(rules.floor, arms, memory.floor)
            if arm == 0 and known_default:
                if rules.fast_forward:
                    rounds = default_rounds(rules.floor, arms, memory.floor, played + 1, candidate)
                    rounds = min(rounds, measure.checkpoints[c] - played)
                    fast_forward(rules, arms, memory, rounds)
                else:
                    rounds = 1
                    play(rules, arms, memory, 0, probability)
                    observe_known_default(rules, arms, memory, probability, 1)
                if measure.wants_rewards:
                    received += draw_sum(environment, 0, rounds, side_rng)
                played += rounds
                lowest = min(lowest, budget + measure.gains[0])  # later rounds only add
                budget += rounds * measure.gains[0]
                if candidate == 0 or not rules.fast_forward or played == measure.checkpoints[c]:
                    continue
                # The proposer would propose the same again, so only the floor is asked again.
                granted, probability = apply_floor(rules, arms, memory, played + 1, candidate, rng)
                if not granted:
                    continue
                arm = candidate  # now affordable
        else:
            arm = candidate
        play(rules, arms, memory, arm, probability)
        reward = draw(environment, arm, rng)
        observe(rules, arms, memory, arm, probability, reward)
        received += reward
        played += 1
        if miss == 0 and missed(measure, arms, arm):  # only now has an interval changed
            miss = played
        budget += measure.gains[arm]
        if budget < lowest:  # a first breach is always a new low
            lowest = budget
            if breach == 0 and budget < -TOLERANCE * measure.default_mean * played:
                breach = played
