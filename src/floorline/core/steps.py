"""The two verbs, `decide` and `observe`, and the slots that a policy's parts fill."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel, slot
from floorline.core.records import Arms, Decision, Floats, Rules


@slot
def propose(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """The arm that the proposer would like to play in this round, counted from 1."""
    raise NotImplementedError


@slot
def learn(rules: Any, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Let the proposer take note of a reward that `arms` already includes."""
    raise NotImplementedError


@slot
def guaranteed_budget(rules: Any, arms: Arms, round: int, arm: int) -> float:
    """The budget still guaranteed if `arm` is played now; negative: not affordable."""
    raise NotImplementedError


@slot
def default_rounds(rules: Any, arms: Arms, round: int, candidate: int) -> int:
    """Default rounds from now until `candidate` is affordable, if nothing else changes."""
    raise NotImplementedError


@slot
def fall_back(rules: Any, arms: Arms) -> int:
    """The arm played when the candidate is not affordable."""
    raise NotImplementedError


@slot
def charge(rules: Any, arms: Arms, arm: int) -> None:
    """Let the floor take note of a play that `arms` already includes."""
    raise NotImplementedError


@slot
def credit(rules: Any, arms: Arms, arm: int, reward: float, lower_before: float) -> None:
    """Let the floor take note of a reward that `arms` already includes."""
    raise NotImplementedError


@slot
def chance(rules: Any, arms: Arms, memory: Floats, candidate: int, arm: int) -> float:
    """How likely `arm` was to be proposed when `candidate` was, given all before."""
    raise NotImplementedError


@slot
def interval(rules: Any, seen: int, total: float) -> tuple[float, float]:
    """Lower and upper end of an arm's confidence interval after `seen` >= 1 rewards."""
    raise NotImplementedError


@slot
def lower_end(rules: Any, seen: int, total: float) -> float:
    """The lower end of that interval alone, for when the other is not wanted."""
    raise NotImplementedError


@slot
def upper_end(rules: Any, seen: int, total: float) -> float:
    """The upper end of that interval alone."""
    raise NotImplementedError


@kernel
def forget(rules: Rules, arms: Arms, memory: Floats) -> None:
    """Set everything learned back to the start."""
    for i in range(len(arms.plays)):
        arms.plays[i] = 0
        arms.seen[i] = 0
        arms.total[i] = 0.0
        arms.average[i] = 0.0
        arms.lower[i] = rules.lowest_reward
        arms.upper[i] = math.inf
    if not math.isnan(rules.default_mean):
        arms.lower[0] = rules.default_mean  # Alg. 1, line 3
        arms.upper[0] = rules.default_mean
    arms.earned[0] = 0.0
    arms.aside[0] = 0
    for i in range(len(memory)):
        memory[i] = 0.0


@kernel
def nominate(rules: Rules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """The candidate of this round, which may be an arm that does not exist."""
    own_round = round - arms.aside[0]
    return int(propose(rules.proposer, arms, memory, own_round, rng))  # Alg. 1, line 9


@kernel
def decide(rules: Rules, arms: Arms, memory: Floats, round: int, rng: Any) -> Decision:
    """The decision of one round: the candidate if the floor affords it, else the fallback."""
    return permit(rules, arms, round, nominate(rules, arms, memory, round, rng))


@kernel
def permit(rules: Rules, arms: Arms, round: int, candidate: int) -> Decision:
    """The floor's answer to a candidate, which may be an arm that does not exist."""
    if 0 <= candidate < len(arms.plays):
        budget = guaranteed_budget(rules.floor, arms, round, candidate)  # Alg. 1, line 10
        if budget >= 0.0:  # Alg. 1, lines 11 to 14
            return Decision(candidate, candidate, True, budget)
    arm = fall_back(rules.floor, arms)
    return Decision(candidate, arm, False, guaranteed_budget(rules.floor, arms, round, arm))


@kernel
def play(rules: Rules, arms: Arms, arm: int) -> None:
    """Count a play. It weighs on the budget from now on, before its reward is known."""
    arms.plays[arm] += 1
    charge(rules.floor, arms, arm)


@kernel
def observe(rules: Rules, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Take in the reward of an earlier play.

    Differs: where the default mean is known, a default reward counts as exactly
    that mean, so that proposers know it too.
    """
    if arm == 0 and not math.isnan(rules.default_mean):
        observe_known_default(rules, arms, memory, 1)
        return
    seen = arms.seen[arm] + 1
    total = arms.total[arm] + reward
    arms.seen[arm] = seen
    arms.total[arm] = total
    arms.average[arm] = total / seen
    before = arms.lower[arm]
    lower, upper = interval(rules.boundary, seen, total)
    arms.lower[arm] = max(lower, rules.lowest_reward)  # Alg. 1, line 7
    arms.upper[arm] = upper
    credit(rules.floor, arms, arm, reward, before)
    learn(rules.proposer, arms, memory, arm, reward)


@kernel
def observe_known_default(rules: Rules, arms: Arms, memory: Floats, rounds: int) -> None:
    """Take in `rounds` rewards of a default arm whose mean is known; several only if it skips."""
    arms.seen[0] += rounds
    arms.total[0] += rounds * rules.default_mean
    arms.average[0] = rules.default_mean
    credit(rules.floor, arms, 0, rounds * rules.default_mean, rules.default_mean)
    learn(rules.proposer, arms, memory, 0, rules.default_mean)


@kernel
def set_aside(rules: Rules, arms: Arms) -> None:
    """Count a play of a default arm of known mean that the proposer shall not know of."""
    arms.aside[0] += 1
    credit(rules.floor, arms, 0, rules.default_mean, rules.default_mean)
