"""The loop over the rounds of a run against an adversary, where only received rewards count."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.records import ROUNDING, Arms, Memory, Rules
from floorline.core.slots import chance, credit
from floorline.core.steps import candidate_of, decide_on, forget, observe, play
from floorline.environments.adversary import set_rewards
from floorline.simulation.loops.run import NO_SUCH_ARM, Measure, RunRecords, Scratch, write_plays


@kernel
def adversarial_run(
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

    The budget counts rewards received; the regret is relative to the best fixed arm in
    hindsight; the pseudo-regret averages what each choice paid over the proposer's own
    probabilities, if they are known. Under a randomised floor the adversary knows the
    candidate and the coin's probability, the pseudo-regret is averaged over the coin, and
    the budget is relative to what the default would have paid.
    """
    forget(rules, arms, memory)
    n_arms = len(arms.plays)
    rewards, totals, chances = scratch
    for i in range(n_arms):
        totals[i] = 0.0
    owed = measure.default_mean - measure.gains[0]
    played = 0
    hidden = 0  # default plays that a proposer with a private clock does not see
    received = 0.0
    expected = 0.0
    lowest = math.inf
    breach = 0
    for c in range(measure.checkpoints.size):
        while played < measure.checkpoints[c]:
            candidate = candidate_of(rules, arms, memory, played + 1 - hidden, rng)
            if candidate < 0 or candidate >= n_arms:
                outcome.first_breach[run] = NO_SUCH_ARM
                return
            decision = decide_on(rules, arms, memory, played + 1, candidate, rng)
            for i in range(n_arms):
                chances[i] = chance(rules.proposer, arms, memory.proposer, candidate, i)
            if measure.received:  # everything is shown but the coin
                for i in range(n_arms):
                    chances[i] = 0.0
                chances[candidate] = 1.0 - decision.fallback_probability
                chances[0] += decision.fallback_probability
            set_rewards(environment, arms, chances, played + 1, side_rng, rewards)
            average = 0.0
            for i in range(n_arms):
                totals[i] += rewards[i]
                average += chances[i] * rewards[i]
            arm = decision.arm
            probability = decision.fallback_probability
            reward = rewards[arm]
            if rules.private_clock and not decision.acted:
                hidden += 1
                mean = rules.default_mean
                credit(rules.floor, arms, memory.floor, 0, probability, mean, mean)
            else:
                play(rules, arms, memory, arm, probability)
                observe(rules, arms, memory, arm, probability, reward)
            played += 1
            received += reward
            of_default = measure.default_mean * played
            if measure.received:
                expected += average
                of_default = totals[0]
                budget = received - measure.keep * of_default
            else:
                expected += reward if not decision.acted or math.isnan(average) else average
                budget = received - owed * played
            if budget < lowest:
                lowest = budget
                if breach == 0 and budget < -2.0 * ROUNDING * of_default:
                    breach = played
        best = totals[0]
        for i in range(1, n_arms):
            best = max(best, totals[i])
        outcome.regret[run, c] = best - received
        outcome.pseudo_regret[run, c] = best - expected
        outcome.lowest_budget[run, c] = lowest
        if measure.wants_rewards:
            outcome.rewards[run, c] = received
        write_plays(arms, outcome, run, c, hidden)
    outcome.first_breach[run] = breach
