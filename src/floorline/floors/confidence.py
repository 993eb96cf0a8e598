"""The paper's floor: play the candidate only if the budget surely stays at or above zero."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

from floorline.boundaries import Boundary
from floorline.core.checks import choice, number, require
from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats
from floorline.core.slots import (
    charge,
    credit,
    current_budget,
    default_rounds,
    fallback_arm,
    fallback_probability,
    guaranteed_budget,
    guaranteed_share,
    recount,
)
from floorline.core.words import counted
from floorline.floors.arithmetic import Arithmetic, BudgetTerm, Moment
from floorline.floors.base import Floor, play_default
from floorline.floors.confidence_account import (
    ConfidenceRules,
    charge_lower_end,
    confidence_budget,
    confidence_budget_now,
    confidence_share,
    credit_lower_end,
    doubtful_credit,
    recount_lower_ends,
    recount_without_doubtful,
    refuse_unaffordable,
    rounds_to_save,
    saving_of,
)


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
            reward, including failures of the intervals (delta becomes 1/horizon and
            max_loss a little less; paper, section on expected regret and budget).
        voids: whether plays of the default may turn out to have reached nobody. What pending
            challengers would add to the budget is then not spent before their rewards are known.
    """

    max_loss: float
    default_mean: float | None = None
    fallback: str = "default"
    guarantee: str = "probability"
    voids: bool = False

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
        """Return this floor and the boundary; for expectation, tightened with delta = 1/horizon."""
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
        """Return the record for the kernels."""
        saving, slack = saving_of(self.max_loss, self.max_loss * (self.default_mean or 0.0))
        return ConfidenceRules(float(self.max_loss), saving, slack)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            fallback_probability: refuse_unaffordable,
            fallback_arm: FALLBACKS[self.fallback],
            guaranteed_budget: confidence_budget,
            current_budget: confidence_budget_now,
            guaranteed_share: confidence_share,
            default_rounds: rounds_to_save,
            charge: charge_lower_end,
            credit: credit_lower_end,
            recount: recount_without_doubtful if self.voids else recount_lower_ends,
        }

    def explain(self, moment: Moment) -> Arithmetic:
        """Return what each arm adds to the guaranteed budget."""
        terms = [self._term(moment, arm) for arm in range(len(moment.names))]
        smallest = "each mean at the end that makes it smallest"
        words = [f"The budget that is sure{moment.after_it}, {smallest}:"]
        for arm, term in enumerate(terms):
            what, led = counted(term.plays, "play"), self._rounds_as_default(moment, arm)
            if led:
                meant = "" if led == moment.rounds else " as the default"
                owed = f"{1 - self.max_loss:g} x {counted(led, 'decision')}{meant}"
                what += f" - {owed} = {term.weight:,.6g}"
            end = "at most" if term.weight < 0 else "at least"
            rest = f", {term.voided:,} voided" if term.voided else ""
            rest += f", less {term.doubtful:,.6g} not sure yet" if term.doubtful else ""
            times = f"times {end} {term.mean:.6g}{rest}"
            words.append(f"{term.arm}: {what}, {times} = {term.sum:,.6g}{moment.unit}")
        return Arithmetic(words, terms)

    def _rounds_as_default(self, moment: Moment, arm: int) -> float:
        """Return the number of decisions so far in which an arm was the default."""
        return moment.rounds if arm == 0 else 0.0

    def _term(self, moment: Moment, arm: int) -> BudgetTerm:
        arms, pending, plays = moment.arms, moment.pending, moment.plays[arm]
        lower, upper = float(arms.lower[arm]), float(arms.upper[arm])
        voided = int(pending.voided[arm]) if arm > 0 or not self.voids else 0
        weight = plays - (1 - self.max_loss) * self._rounds_as_default(moment, arm)
        mean = upper if weight < 0 else lower
        doubtful, low = 0.0, moment.low
        if arm > 0 and self.voids:
            doubtful = float(doubtful_credit(moment.rules, arms, pending, low, arm))
        earned = weight * mean + voided * low - doubtful
        return BudgetTerm(
            moment.names[arm], plays, lower, upper, weight, mean, voided, doubtful, earned
        )
