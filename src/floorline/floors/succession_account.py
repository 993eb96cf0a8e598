"""The account of the confidence floor where the default may change.

The budget is the sum over arms of c times the arm's mean, where c is its plays less
(1 - max_loss) times the rounds in which it was the default. Each mean counts at the end of its
interval that makes the budget smallest (docs/guarantee.md).

The memory begins with the rounds in which each arm was the default. A promotion puts the promoted
arm first, in all records and here.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Floats
from floorline.floors.confidence_account import ConfidenceRules, budget_bound, least_worth

# Where the further numbers are, after those of the arms.
SURELY_EARNED = 0
"""What all arms but the default surely add to the budget."""
FORMER_ROUNDS = 1
"""Rounds in which another arm was the default."""
VOIDED = 2
"""What voided plays are credited with."""
SHARED = 3

SHARE_HALVINGS = 50
LARGEST_SHARE = 1e6
SMALLEST_SHARE = -16.0
"""The search for the guaranteed share stays between these; below, it is minus infinity."""


@kernel
def sum_up(rules: ConfidenceRules, arms: Arms, memory: Floats, voided: float) -> None:
    """Recompute the shared sums from plays, intervals and rounds as the default."""
    n_arms = len(arms.plays)
    rounds = 0.0
    for i in range(n_arms):
        rounds += memory[i]
    earned = voided
    for i in range(1, n_arms):
        weight = arms.plays[i] - (1.0 - rules.max_loss) * memory[i]
        earned += least_worth(arms, i, weight, rounds)
    memory[n_arms + SURELY_EARNED] = earned
    memory[n_arms + FORMER_ROUNDS] = rounds - memory[0]
    memory[n_arms + VOIDED] = voided


@kernel
def recount_succession(
    rules: ConfidenceRules, arms: Arms, memory: Floats, pending: PendingPlays, low: float
) -> None:
    """Sum up what is certain; voided plays, all of challengers, count at the lowest reward."""
    voided = 0.0
    for i in range(len(arms.plays)):
        if pending.voided[i] > 0:
            voided += pending.voided[i] * low
    sum_up(rules, arms, memory, voided)


@kernel
def charge_succession(
    rules: ConfidenceRules, arms: Arms, memory: Floats, arm: int, probability: float
) -> None:
    """Count a round for the current default."""
    memory[0] += 1.0
    sum_up(rules, arms, memory, 0.0)


@kernel
def credit_succession(
    rules: ConfidenceRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Recompute the sums with the arm's new interval."""
    sum_up(rules, arms, memory, 0.0)


@kernel
def await_succession(
    rules: ConfidenceRules, arms: Arms, memory: Floats, arm: int, decision: int, probability: float
) -> None:
    """Count a round for the current default; `recount` does the rest."""
    memory[0] += 1.0


@kernel
def succession_budget(
    rules: ConfidenceRules, arms: Arms, memory: Floats, round: int, arm: int
) -> float:
    """Return a lower bound on the budget if `arm` is played now."""
    n_arms = len(arms.plays)
    earned = memory[n_arms + SURELY_EARNED]
    rounds = round - memory[n_arms + FORMER_ROUNDS]
    if arm == 0:
        return budget_bound(rules.max_loss, arms, arms.plays[0] + 1, rounds, earned)
    weight = arms.plays[arm] - (1.0 - rules.max_loss) * memory[arm]
    earned += least_worth(arms, arm, weight + 1.0, round) - least_worth(arms, arm, weight, round)
    return budget_bound(rules.max_loss, arms, arms.plays[0], rounds, earned)


@kernel
def succession_budget_now(rules: ConfidenceRules, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return a lower bound on the budget after `rounds` decisions."""
    n_arms = len(arms.plays)
    led = rounds - memory[n_arms + FORMER_ROUNDS]
    earned = memory[n_arms + SURELY_EARNED]
    return budget_bound(rules.max_loss, arms, arms.plays[0], led, earned)


@kernel
def surplus_over(arms: Arms, memory: Floats, share: float, rounds: int) -> float:
    """Return a lower bound on the earnings beyond a share of those of the defaults at the time."""
    n_arms = len(arms.plays)
    surplus = memory[n_arms + VOIDED]
    for i in range(n_arms):
        surplus += least_worth(arms, i, arms.plays[i] - share * memory[i], rounds)
    return surplus  # type: ignore[no-any-return]


@kernel
def succession_share(
    rules: ConfidenceRules, arms: Arms, memory: Floats, default_plays: int, rounds: int
) -> float:
    """Return a lower bound on the expected reward over that of the defaults at the time."""
    sure, unsure = SMALLEST_SHARE, 0.0
    if surplus_over(arms, memory, sure, rounds) < 0.0:
        return -math.inf
    while unsure < LARGEST_SHARE and surplus_over(arms, memory, unsure, rounds) >= 0.0:
        sure = unsure
        unsure = 2.0 * unsure if unsure > 0.0 else 1.0
    for _ in range(SHARE_HALVINGS):
        middle = 0.5 * (sure + unsure)
        if surplus_over(arms, memory, middle, rounds) >= 0.0:
            sure = middle
        else:
            unsure = middle
    return sure
