"""The loop for means that change, and for floors on the rewards received.

It serves environments whose means depend on the round or on the visitor, and, in all that draw
their rewards, floors that compare with the default's own rewards in the same rounds.
"""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel, slot
from floorline.core.records import ROUNDING, TOLERANCE, Arms, Memory, Rules
from floorline.core.slots import fallback_arm, look
from floorline.core.steps import apply_floor, candidate_of, forget, observe, play
from floorline.environments.base import draw
from floorline.environments.moments import mean_now, visitor_kind
from floorline.simulation.loops.learners import arms_of, learner_of, memory_of
from floorline.simulation.loops.run import NO_SUCH_ARM, Measure, RunRecords, Scratch, write_plays


@slot
def mean_at(measure: Measure, environment: Any, arm: int, round: int, kind: int) -> float:
    """Return the mean reward of `arm` in this round for a visitor of this kind."""
    raise NotImplementedError


@slot
def reward_at(environment: Any, arm: int, round: int, kind: int, rng: Any) -> float:
    """Return a reward of `arm` in this round for a visitor of this kind."""
    raise NotImplementedError


@kernel
def steady_mean(measure: Measure, environment: Any, arm: int, round: int, kind: int) -> float:
    """Return the arm's mean, for environments whose means do not change."""
    return measure.means[arm]  # type: ignore[no-any-return]


@kernel
def steady_reward(environment: Any, arm: int, round: int, kind: int, rng: Any) -> float:
    """Return a draw of the arm, for environments whose means do not change."""
    return draw(environment, arm, rng)


@kernel
def changing_mean_at(measure: Measure, environment: Any, arm: int, round: int, kind: int) -> float:
    """Return the arm's current mean, for environments whose means change."""
    return mean_now(environment, arm, round, kind)


@kernel
def gap_at(measure: Measure, environment: Any, arm: int, round: int, kind: int) -> float:
    """Return how much less than the currently best arm `arm` pays in expectation."""
    best = mean_at(measure, environment, 0, round, kind)
    for i in range(1, len(measure.means)):
        best = max(best, mean_at(measure, environment, i, round, kind))
    return best - mean_at(measure, environment, arm, round, kind)


@kernel
def round_by_round_run(
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
    """Play one run from the start and write its results into row `run` of `outcome`.

    What the default would have earned where another arm was played comes from `side_rng`. It is
    drawn after the coin but independently of it, as if it had been drawn before.
    """
    n_arms = measure.means.size
    sets = len(arms.plays) // n_arms
    for number in range(sets):
        forget(rules, arms_of(arms, number, n_arms), memory_of(memory, number, sets))
    all_arms = arms_of(arms, 0, n_arms)
    all_memory = memory_of(memory, 0, sets)
    slack = ROUNDING if measure.received else TOLERANCE
    played = 0
    received = 0.0
    earned = 0.0  # what counts for the budget: rewards, or current means
    of_default = 0.0
    regret = 0.0
    lowest = math.inf
    breach = 0
    for c in range(measure.checkpoints.size):
        while played < measure.checkpoints[c]:
            kind = visitor_kind(environment, rng)
            learner = learner_of(kind)
            its_arms = arms_of(arms, learner, n_arms)
            its_memory = memory_of(memory, learner, sets)
            clock = played + 1
            if learner > 0:  # it counts the visitors of its kind
                clock = 1
                for i in range(n_arms):
                    clock += its_arms.plays[i]
            look(rules.proposer, its_memory.proposer, environment, kind)
            candidate = candidate_of(rules, its_arms, its_memory, clock, rng)
            if candidate < 0 or candidate >= n_arms:
                outcome.first_breach[run] = NO_SUCH_ARM
                return
            granted, probability = apply_floor(
                rules, all_arms, all_memory, played + 1, candidate, rng
            )
            arm = candidate
            if not granted:
                arm = fallback_arm(rules.floor, all_arms, all_memory.floor)
            played += 1
            reward = reward_at(environment, arm, played, kind, rng)
            play(rules, all_arms, all_memory, arm, probability)
            observe(rules, all_arms, all_memory, arm, probability, reward)
            if learner > 0:
                play(rules, its_arms, its_memory, arm, probability)
                observe(rules, its_arms, its_memory, arm, probability, reward)
            received += reward
            regret += gap_at(measure, environment, arm, played, kind)
            if not measure.received:
                earned += mean_at(measure, environment, arm, played, kind)
                of_default += mean_at(measure, environment, 0, played, kind)
            else:
                earned = received
                if arm == 0:
                    of_default += reward
                else:
                    of_default += reward_at(environment, 0, played, kind, side_rng)
            budget = earned - measure.keep * of_default
            if budget < lowest:
                lowest = budget
                if breach == 0 and budget < -slack * of_default:
                    breach = played
        outcome.pseudo_regret[run, c] = regret
        outcome.lowest_budget[run, c] = lowest
        if measure.wants_rewards:
            outcome.rewards[run, c] = received
        write_plays(all_arms, outcome, run, c, 0)
    outcome.first_breach[run] = breach
