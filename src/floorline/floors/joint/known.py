"""The joint floor's answers where the default's mean is known."""

from __future__ import annotations

import math

from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.floors.confidence_account import rounds_short
from floorline.floors.joint.account import add_gain
from floorline.floors.joint.evidence import default_deficit
from floorline.floors.joint.forms import JointRules, leaves_cost, sure_sum
from floorline.floors.joint.memory import CHALLENGERS, PLAYS, SPREAD, SURE, TOTAL, VOIDED


@kernel
def known_budget(rules: JointRules, memory: Floats, round: int, default_plays: int) -> float:
    """Return a lower bound on the rescaled budget after `round`, with so many default plays."""
    deficit = default_deficit(rules.max_loss, round, default_plays)
    earned = max(memory[SURE] - memory[VOIDED], 0.0)
    return earned - deficit * rules.default_mean + rules.shift * round  # type: ignore[no-any-return]


@kernel
def refuse_below_zero(
    rules: JointRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 0 if the budget surely stays at or above zero with a challenger, else 1."""
    if candidate == 0 or known_budget(rules, memory, round, arms.plays[0]) >= 0.0:
        return 0.0
    return 1.0


@kernel
def budget_of_known(rules: JointRules, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return a lower bound on the budget if `arm` is played now."""
    default_plays = arms.plays[0] + 1 if arm == 0 else arms.plays[0]
    return rules.width * known_budget(rules, memory, round, default_plays)


@kernel
def budget_of_known_now(rules: JointRules, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return a lower bound on the budget after `rounds` decisions."""
    return rules.width * known_budget(rules, memory, rounds, arms.plays[0])


@kernel
def share_of_known(
    rules: JointRules, arms: Arms, memory: Floats, default_plays: int, rounds: int
) -> float:
    """Return a lower bound on what was earned, divided by what the default would have earned."""
    low = rules.low / rules.width
    earned = max(memory[SURE] - memory[VOIDED], 0.0) + default_plays * rules.default_mean
    owed = rounds * (low + rules.default_mean)
    return (rounds * low + earned) / owed if owed > 0.0 else 1.0


@kernel
def rounds_to_save(
    rules: JointRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> int:
    """Return how many plays of a default of known mean make a challenger affordable, at least 1."""
    plays = arms.plays[0]
    budget = -math.inf if candidate == 0 else known_budget(rules, memory, round, plays)
    count = rounds_short(rules.saving, rules.slack, budget, round)
    if known_budget(rules, memory, round + count, plays + count) < 0.0:
        count += 1  # if that is not enough, the floor is asked again and says so
    return count


@kernel
def credit_challengers(
    rules: JointRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Add a challenger's reward to the sum, and update how much of it is certain."""
    if arm > 0:
        gain = (reward - rules.low) / rules.width
        add_gain(memory, CHALLENGERS, gain)
        if not leaves_cost(gain):
            plays, total = memory[CHALLENGERS + PLAYS], memory[CHALLENGERS + TOTAL]
            memory[SURE] = sure_sum(rules, plays, total, memory[CHALLENGERS + SPREAD])
