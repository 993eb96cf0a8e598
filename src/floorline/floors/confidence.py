"""The paper's floor: play the candidate only if the budget surely stays at or above zero.

One formula serves the default mean known and learned: a known mean is an
interval of width zero (Alg. 1, line 3).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from floorline.boundaries import Boundary
from floorline.core.checks import choice, number, require
from floorline.core.kernel import Function, kernel
from floorline.core.pending import PendingPlays
from floorline.core.records import FOREVER, TOLERANCE, Arms, Floats
from floorline.core.slots import (
    charge,
    credit,
    default_rounds,
    fallback_arm,
    fallback_probability,
    guaranteed_budget,
    recount,
)
from floorline.floors.base import Floor, play_default

SURELY_EARNED = 0
"""Where the floor keeps what challengers have earned for sure: plays times lower ends."""


class ConfidenceRules(NamedTuple):
    """The share of the default's reward that may be lost, and what saving up takes."""

    max_loss: float
    saving: float
    """Plays of a default arm of known mean that add 1 to the budget; infinite if none do."""
    slack: float
    """Plays of the default arm, for each round, that the tolerance is worth."""


@kernel
def budget_bound(
    max_loss: float, arms: Arms, default_plays: int, rounds: int, earned: float
) -> float:
    """Lower bound on the budget after `rounds`, `earned` coming from challengers for sure.

    Differs: by sign, the lower or the upper end of the default's interval is
    used. The paper always takes the upper end; that leads to the same
    decisions but is no lower bound while the default is ahead.
    """
    ahead = default_plays - (1.0 - max_loss) * rounds
    if abs(ahead) <= TOLERANCE * rounds:
        return earned  # and not 0 times an infinite upper end
    if ahead < 0.0:
        return earned + ahead * arms.upper[0]  # type: ignore[no-any-return]
    return earned + ahead * arms.lower[0]  # type: ignore[no-any-return]


@kernel
def confidence_budget(
    rules: ConfidenceRules, arms: Arms, memory: Floats, round: int, arm: int
) -> float:
    """Lower bound on the budget if `arm` is played now (Alg. 1, line 10; eq. for xi')."""
    earned = memory[SURELY_EARNED]
    if arm == 0:
        return budget_bound(rules.max_loss, arms, arms.plays[0] + 1, round, earned)
    return budget_bound(rules.max_loss, arms, arms.plays[0], round, earned + arms.lower[arm])


@kernel
def refuse_unaffordable(
    rules: ConfidenceRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 0 if the budget surely stays at or above zero with the candidate, else 1."""
    return 0.0 if confidence_budget(rules, arms, memory, round, candidate) >= 0.0 else 1.0


@kernel
def rounds_short(saving: float, slack: float, budget: float, round: int) -> int:
    """Plays of a default arm that make up for a negative budget, up to one more; at least 1.

    `saving` plays add 1 to the budget, and the tolerance is worth `slack` plays a round.
    """
    about = -saving * budget
    if about >= FOREVER:
        return FOREVER
    # Up to rounding and tolerance this is the count, less one; the test decides between both.
    return max(1, math.ceil((about - slack * round) / (1.0 + slack)) - 1)


@kernel
def rounds_to_save(
    rules: ConfidenceRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> int:
    """Plays of a default arm of known mean that make `candidate` affordable, at least 1."""
    if candidate == 0:
        return FOREVER
    budget = confidence_budget(rules, arms, memory, round, candidate)
    count = rounds_short(rules.saving, rules.slack, budget, round)
    if count == FOREVER:
        return FOREVER
    earned = memory[SURELY_EARNED] + arms.lower[candidate]
    plays = arms.plays[0]
    if budget_bound(rules.max_loss, arms, plays + count, round + count, earned) < 0.0:
        count += 1  # if that is not enough, the floor is asked again and says so
    return count


@kernel
def charge_lower_end(
    rules: ConfidenceRules, arms: Arms, memory: Floats, arm: int, probability: float
) -> None:
    """A challenger's play counts at its lower end from the moment it is made."""
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
    """A new lower end is counted for all of the challenger's plays."""
    if arm > 0:
        memory[SURELY_EARNED] += arms.plays[arm] * (arms.lower[arm] - lower_before)


@kernel
def recount_lower_ends(
    rules: ConfidenceRules, arms: Arms, memory: Floats, pending: PendingPlays, low: float
) -> None:
    """Sum up what challengers have earned for sure; voided plays count at the lowest reward."""
    earned = 0.0
    for i in range(1, len(arms.plays)):
        earned += arms.plays[i] * arms.lower[i]
        if pending.voided[i] > 0:
            earned += pending.voided[i] * low
    memory[SURELY_EARNED] = earned


@kernel
def play_best_lower(rules: ConfidenceRules, arms: Arms, memory: Floats) -> int:
    """Return the arm with the best lower end among those surely no worse than the default.

    Differs: with a learned default mean the paper's rule, the best lower end of
    all, is not safe: it must exceed the default's upper end.
    """
    arm = 0
    best = arms.upper[0]
    for i in range(1, len(arms.lower)):
        if arms.lower[i] > best:
            arm = i
            best = arms.lower[i]
    return arm


FALLBACKS: dict[str, Function] = {"default": play_default, "best-lower": play_best_lower}
GUARANTEES = ("probability", "expectation")


@dataclass(frozen=True)
class ConfidenceFloor(Floor):
    """Keeps expected reward above (1 - max_loss) of the default's, at all times, up to delta.

    Args:
        max_loss: the share of the default's reward that may be lost.
        default_mean: the default arm's mean, or None to learn it. One that is too high makes
            the floor stricter, but looser where means may be below 0; see docs/guarantee.md.
        fallback: played instead of a refused candidate: `default`, or `best-lower`, the
            best lower end among the arms that are surely no worse than the default.
        guarantee: `probability`, or `expectation`: the floor then holds for the expected
            reward, failures of the intervals included (delta becomes 1/horizon and
            max_loss a little less; paper, section on expected regret and budget).
    """

    max_loss: float
    default_mean: float | None = None
    fallback: str = "default"
    guarantee: str = "probability"

    def __post_init__(self) -> None:
        number("max_loss", self.max_loss, 0, 1)
        if self.default_mean is not None:
            number("default_mean", self.default_mean, 0, math.inf)
        choice("fallback", self.fallback, FALLBACKS)
        choice("guarantee", self.guarantee, GUARANTEES)

    needs_boundary = True
    can_fast_forward = True
    takes_late_rewards = True
    live = True
    shared_memory = 1

    def settle(self, boundary: Boundary | None, horizon: int) -> tuple[Self, Boundary | None]:
        """For a guarantee in expectation: delta = 1/horizon and the tightened max_loss."""
        if self.guarantee == "probability" or boundary is None:
            return self, boundary
        allowed = f"above 1/horizon ({1 / horizon:g}) for a guarantee in expectation"
        require(self.max_loss > 1 / horizon, "max_loss", allowed, self.max_loss)
        allowed = "at least 0 for a guarantee in expectation"
        require(boundary.low >= 0, "low", allowed, boundary.low)
        delta = 1 / horizon
        tightened = (self.max_loss - delta) / (1 - delta)
        floor = replace(self, max_loss=tightened, guarantee="probability")
        return floor, replace(boundary, delta=delta)

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> ConfidenceRules:
        """The record for the kernels."""
        # A loss that rounding swallows cannot be saved up for.
        gain = self.max_loss * (self.default_mean or 0.0) if 1 - self.max_loss < 1 else 0.0
        return ConfidenceRules(
            max_loss=float(self.max_loss),
            saving=1 / gain if gain > 0 else math.inf,
            slack=TOLERANCE / self.max_loss if gain > 0 else 0.0,
        )

    def kernels(self) -> dict[Function, Function]:
        """How this floor fills the slots."""
        return {
            **super().kernels(),
            fallback_probability: refuse_unaffordable,
            fallback_arm: FALLBACKS[self.fallback],
            guaranteed_budget: confidence_budget,
            default_rounds: rounds_to_save,
            charge: charge_lower_end,
            credit: credit_lower_end,
            recount: recount_lower_ends,
        }
