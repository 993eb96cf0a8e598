"""The two verbs, `decide` and `observe`, and the one rule by which a floor is applied."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.random import uniform
from floorline.core.records import Arms, Choice, Memory, Rules
from floorline.core.slots import (
    charge,
    credit,
    fallback_arm,
    fallback_probability,
    guaranteed_budget,
    held_back,
    interval,
    learn,
    note,
    propose,
    toss,
)


@kernel
def forget(rules: Rules, arms: Arms, memory: Memory) -> None:
    """Reset everything learned."""
    for i in range(len(arms.plays)):
        arms.plays[i] = 0
        arms.seen[i] = 0
        arms.total[i] = 0.0
        arms.average[i] = 0.0
        arms.lower[i] = rules.low
        arms.upper[i] = math.inf
    if not math.isnan(rules.default_mean):
        arms.lower[0] = rules.default_mean  # Alg. 1, line 3
        arms.upper[0] = rules.default_mean
    for i in range(len(memory.proposer)):
        memory.proposer[i] = 0.0
    for i in range(len(memory.floor)):
        memory.floor[i] = 0.0
    for i in range(len(memory.boundary)):
        memory.boundary[i] = 0.0


@kernel
def candidate_of(rules: Rules, arms: Arms, memory: Memory, round: int, rng: Any) -> int:
    """Return the candidate of this round, which may be an arm that does not exist."""
    return int(propose(rules.proposer, arms, memory.proposer, round, rng))  # Alg. 1, line 9


@kernel
def refusal_probability(
    rules: Rules, arms: Arms, memory: Memory, round: int, candidate: int
) -> float:
    """Return the probability with which a candidate is refused, including the holdback."""
    if candidate < 0 or candidate >= len(arms.plays):
        return 1.0
    # Alg. 1, lines 10 to 14
    probability = fallback_probability(rules.floor, arms, memory.floor, round, candidate)
    if candidate > 0:
        probability = held_back(rules.holdback, probability)
    return probability


@kernel
def apply_floor(
    rules: Rules, arms: Arms, memory: Memory, round: int, candidate: int, coin: Any
) -> tuple[bool, float]:
    """Return whether a candidate may be played, and the probability of the fallback arm.

    This is the only place where the floor is asked and its coin tossed.
    `coin` is the random generator for the coin, used only where there is one to toss. A
    candidate that does not exist is refused, and so is one whose probability is NaN.

    The arm is not returned: a returned arm is compiled to a conditional move, and simulation takes
    twice as long (docs/optimisations.md).
    """
    probability = refusal_probability(rules, arms, memory, round, candidate)
    return toss(probability, coin), probability


@kernel
def decide_on(
    rules: Rules, arms: Arms, memory: Memory, round: int, candidate: int, coin: Any
) -> Choice:
    """Return the choice between a candidate and the fallback arm."""
    granted, probability = apply_floor(rules, arms, memory, round, candidate, coin)
    arm = candidate
    if not granted:
        arm = fallback_arm(rules.floor, arms, memory.floor)
    return Choice(candidate, arm, granted, probability)


@kernel
def answer_candidate(
    rules: Rules, arms: Arms, memory: Memory, round: int, candidate: int, coin: Any
) -> tuple[int, int, bool, float, float]:
    """Return the fields of the choice between a candidate and the fallback arm, and the budget."""
    choice = decide_on(rules, arms, memory, round, candidate, coin)
    budget = guaranteed_budget(rules.floor, arms, memory.floor, round, choice.arm)
    return candidate, choice.arm, choice.acted, choice.fallback_probability, budget


@kernel
def no_coin(probability: float, coin: Any) -> bool:
    """Return whether the probability is 0: anything else refuses, including NaN."""
    return probability <= 0.0


@kernel
def toss_coin(probability: float, coin: Any) -> bool:
    """Return True with probability 1 - `probability`; no draw is made for 0, 1 or NaN."""
    return probability <= 0.0 or (probability < 1.0 and uniform(coin) >= probability)


@kernel
def no_holdback(holdback: float, probability: float) -> float:
    """Return the floor's own probability."""
    return probability


@kernel
def at_least_holdback(holdback: float, probability: float) -> float:
    """Return the floor's own probability, or the holdback where that is more."""
    return probability if probability >= holdback else holdback


@kernel
def decide(rules: Rules, arms: Arms, memory: Memory, round: int, rng: Any, coin: Any) -> Choice:
    """Return the decision of one round."""
    candidate = candidate_of(rules, arms, memory, round, rng)
    return decide_on(rules, arms, memory, round, candidate, coin)


@kernel
def play(rules: Rules, arms: Arms, memory: Memory, arm: int, probability: float) -> None:
    """Count a play. It weighs on the budget from now on, before its reward is known."""
    arms.plays[arm] += 1
    charge(rules.floor, arms, memory.floor, arm, probability)


@kernel
def observe(
    rules: Rules, arms: Arms, memory: Memory, arm: int, probability: float, reward: float
) -> None:
    """Record the reward of a play that was decided at a fallback `probability`.

    Differs: where the default mean is known, a default reward counts as exactly
    that mean, so that proposers know it too.
    """
    if arm == 0 and not math.isnan(rules.default_mean):
        observe_known_default(rules, arms, memory, probability, 1)
        return
    seen = arms.seen[arm] + 1
    total = arms.total[arm] + reward
    arms.seen[arm] = seen
    arms.total[arm] = total
    arms.average[arm] = total / seen
    before = arms.lower[arm]
    note(rules.boundary, memory.boundary, arm, reward)
    lower, upper = interval(rules.boundary, memory.boundary, arm, seen, total)
    arms.lower[arm] = max(lower, rules.low)  # Alg. 1, line 7
    arms.upper[arm] = upper
    credit(rules.floor, arms, memory.floor, arm, probability, reward, before)
    learn(rules.proposer, arms, memory.proposer, arm, reward)


@kernel
def observe_known_default(
    rules: Rules, arms: Arms, memory: Memory, probability: float, rounds: int
) -> None:
    """Record `rounds` rewards of a default arm whose mean is known; several if fast-forwarding."""
    mean = rules.default_mean
    arms.seen[0] += rounds
    arms.total[0] += rounds * mean
    arms.average[0] = mean
    credit(rules.floor, arms, memory.floor, 0, probability, rounds * mean, mean)
    learn(rules.proposer, arms, memory.proposer, 0, mean)


@kernel
def fast_forward(rules: Rules, arms: Arms, memory: Memory, rounds: int) -> None:
    """Play a default arm whose mean is known `rounds` times at once, as if step by step.

    Correct only if in all of these rounds the floor refuses the candidate, or the candidate is the
    default, and if default plays change neither the candidate nor the floor's account of a single
    one.
    """
    arms.plays[0] += rounds
    observe_known_default(rules, arms, memory, 1.0, rounds)
