"""The account of the paper's floor: what challengers have surely earned, and the resulting budget.

One formula serves the default mean known and learned: a known mean is an
interval of width zero (Alg. 1, line 3).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from floorline.core.kernel import kernel
from floorline.core.pending import PendingPlays
from floorline.core.records import FOREVER, TOLERANCE, Arms, Floats
from floorline.core.slots import guaranteed_budget

SURELY_EARNED = 0
"""Where the floor keeps what challengers have surely earned: plays times lower ends."""


class ConfidenceRules(NamedTuple):
    """The share of the default's reward that may be lost, and what building up the budget takes."""

    max_loss: float
    saving: float
    """Plays of a default arm whose mean is known that add 1 to the budget; infinite if none do."""
    slack: float
    """The tolerance of one round, in plays of the default arm."""


@kernel
def least_worth(arms: Arms, arm: int, weight: float, rounds: float) -> float:
    """Return the least that `weight` times the arm's mean can be; a weight within rounding is 0."""
    if abs(weight) <= TOLERANCE * rounds:
        return 0.0  # and not 0 times an infinite upper end
    return weight * (arms.lower[arm] if weight > 0.0 else arms.upper[arm])  # type: ignore[no-any-return]


@kernel
def budget_bound(
    max_loss: float, arms: Arms, default_plays: int, rounds: int, earned: float
) -> float:
    """Return a lower bound on the budget after `rounds`, if challengers surely earned `earned`.

    Differs: by sign, the lower or the upper end of the default's interval is
    used. The paper always takes the upper end; that leads to the same
    decisions but is not a lower bound while the default is ahead.
    """
    return earned + least_worth(arms, 0, default_plays - (1.0 - max_loss) * rounds, rounds)


@kernel
def confidence_budget(
    rules: ConfidenceRules, arms: Arms, memory: Floats, round: int, arm: int
) -> float:
    """Return a lower bound on the budget if `arm` is played now (Alg. 1, line 10)."""
    earned = memory[SURELY_EARNED]
    if arm == 0:
        return budget_bound(rules.max_loss, arms, arms.plays[0] + 1, round, earned)
    return budget_bound(rules.max_loss, arms, arms.plays[0], round, earned + arms.lower[arm])


@kernel
def refuse_unaffordable(
    rules: ConfidenceRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 0 if the budget surely stays at or above zero with the candidate, else 1."""
    return 0.0 if guaranteed_budget(rules, arms, memory, round, candidate) >= 0.0 else 1.0


def saving_of(max_loss: float, gain: float) -> tuple[float, float]:
    """Return `saving` and `slack`, if a play of the default adds `gain` to the budget."""
    # Default plays cannot make up for a loss that is lost in rounding.
    if 1 - max_loss == 1 or not gain > 0:
        return math.inf, 0.0
    return 1 / gain, TOLERANCE / max_loss


@kernel
def rounds_short(saving: float, slack: float, budget: float, round: int) -> int:
    """Return how many default plays make up for a negative budget: at least 1, maybe one too few.

    `saving` plays add 1 to the budget, and the tolerance of a round is worth `slack` plays.
    """
    about = -saving * budget
    if about >= FOREVER:
        return FOREVER
    # This is the count up to rounding and tolerance; `budget_bound` has the last word.
    return max(1, math.ceil((about - slack * round) / (1.0 + slack)) - 1)


@kernel
def rounds_to_save(
    rules: ConfidenceRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> int:
    """Return how many plays of a default of known mean make `candidate` affordable, at least 1."""
    if candidate == 0:
        return FOREVER
    budget = confidence_budget(rules, arms, memory, round, candidate)
    count = rounds_short(rules.saving, rules.slack, budget, round)
    if count == FOREVER:
        return FOREVER
    earned = memory[SURELY_EARNED] + arms.lower[candidate]
    plays = arms.plays[0]
    while budget_bound(rules.max_loss, arms, plays + count, round + count, earned) < 0.0:
        count += 1
    return count


@kernel
def charge_lower_end(
    rules: ConfidenceRules, arms: Arms, memory: Floats, arm: int, probability: float
) -> None:
    """Count a challenger's play at its lower end from the moment it is made."""
    if arm > 0:
        memory[SURELY_EARNED] += arms.lower[arm]


@kernel
def credit_lower_end(
    rules: ConfidenceRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Count all of the challenger's plays at its new lower end."""
    if arm > 0:
        memory[SURELY_EARNED] += arms.plays[arm] * (arms.lower[arm] - lower_before)


@kernel
def recount_lower_ends(
    rules: ConfidenceRules, arms: Arms, memory: Floats, pending: PendingPlays, low: float
) -> None:
    """Sum up what challengers have surely earned; voided plays count at the lowest reward."""
    plays, lower, voided = arms.plays, arms.lower, pending.voided
    earned = 0.0
    for i in range(1, len(plays)):
        earned += plays[i] * lower[i]
        if voided[i] > 0:
            earned += voided[i] * low
    memory[SURELY_EARNED] = earned


@kernel
def recount_without_doubtful(
    rules: ConfidenceRules, arms: Arms, memory: Floats, pending: PendingPlays, low: float
) -> None:
    """The same where defaults may be voided: without credit that is not certain yet."""
    recount_lower_ends(rules, arms, memory, pending, low)
    for i in range(1, len(arms.plays)):
        memory[SURELY_EARNED] -= doubtful_credit(rules, arms, pending, low, i)


@kernel
def doubtful_credit(
    rules: ConfidenceRules, arms: Arms, pending: PendingPlays, low: float, arm: int
) -> float:
    """Return what open and voided plays of a challenger would add to the budget.

    If they reach nobody they add nothing, so it must not be spent before.
    """
    break_even = (1.0 - rules.max_loss) * arms.lower[0]
    open_credit = pending.open[arm] * max(0.0, arms.lower[arm] - break_even)
    return open_credit + pending.voided[arm] * max(0.0, low - break_even)  # type: ignore[no-any-return]


@kernel
def confidence_budget_now(rules: ConfidenceRules, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return a lower bound on the budget after `rounds` decisions."""
    return budget_bound(rules.max_loss, arms, arms.plays[0], rounds, memory[SURELY_EARNED])


@kernel
def confidence_share(
    rules: ConfidenceRules, arms: Arms, memory: Floats, default_plays: int, rounds: int
) -> float:
    """Return a lower bound on the expected reward over the default's.

    With the default's mean m in its interval it is N_0 / t + earned / (t m).
    """
    earned = memory[SURELY_EARNED]
    mean = arms.upper[0] if earned > 0.0 else arms.lower[0]
    if mean > 0.0:
        return (default_plays + earned / mean) / rounds  # type: ignore[no-any-return]
    return default_plays / rounds if earned == 0.0 else -math.inf
