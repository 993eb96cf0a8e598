"""The joint floor: a test of the budget itself, from the sums of all rewards.

The formulas are in `joint_forms.py`, the proof in docs/joint-floor.md. A candidate is credited
with the lowest mean, so the answer is the same for every challenger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

from floorline.boundaries import Boundary
from floorline.core.checks import choice, number, require
from floorline.core.kernel import Function, kernel
from floorline.core.records import TOLERANCE, Arms, Floats
from floorline.core.slots import (
    await_reward,
    credit,
    default_rounds,
    fallback_probability,
    guaranteed_budget,
    recount,
    take_late_reward,
)
from floorline.floors.base import Floor
from floorline.floors.confidence import rounds_short
from floorline.floors.joint_evidence import default_deficit, gamma_excess
from floorline.floors.joint_forms import (
    FORMS,
    JointRules,
    evidence,
    leaves_cost,
    mixture,
    sure_budget,
    sure_sum,
)
from floorline.floors.joint_late import (
    LATE_MEMORY,
    count_play,
    count_reward,
    proof,
    proof_known,
    proof_learned,
    recount_known,
    recount_learned,
)
from floorline.floors.joint_memory import CHALLENGERS, COST, DEFAULT, MEMORY, PLAYS, SURE, TOTAL

WEIGHTS = {"bounded": 6.0, "subgaussian": 100.0}
"""What the mixture of each form is worth unless told: rewards of 1, or plays."""

LEAST_EVIDENCE = 0.5
"""From here on missing rewards may be filled in (docs/joint-floor.md, point 14)."""


@kernel
def refuse_unless_proved(
    rules: JointRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 0 if the rewards refute every negative budget, else 1."""
    if candidate == 0:
        return 0.0
    found = evidence(
        rules,
        default_deficit(rules.max_loss, round, arms.plays[0]),
        rules.shift * round,
        memory[DEFAULT + PLAYS],
        memory[DEFAULT + TOTAL],
        memory[CHALLENGERS + PLAYS],
        memory[CHALLENGERS + TOTAL],
        memory[DEFAULT + COST],
        memory[CHALLENGERS + COST],
    )
    return 0.0 if found >= rules.log_inverse_delta else 1.0


@kernel
def proved_budget(rules: JointRules, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """The least budget that the rewards do not refute if `arm` is played now."""
    default_plays = arms.plays[0] + 1 if arm == 0 else arms.plays[0]
    return rules.width * sure_budget(
        rules,
        default_deficit(rules.max_loss, round, default_plays),
        rules.shift * round,
        memory[DEFAULT + PLAYS],
        memory[DEFAULT + TOTAL],
        memory[CHALLENGERS + PLAYS],
        memory[CHALLENGERS + TOTAL],
    )


@kernel
def credit_sums(
    rules: JointRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Add a reward to its sum; what it costs to mix is kept with it."""
    at = CHALLENGERS if arm > 0 else DEFAULT
    gain = (reward - rules.low) / rules.width
    memory[at + PLAYS] += 1.0
    memory[at + TOTAL] += gain
    if not leaves_cost(gain):
        memory[at + COST] = mixture(rules, memory[at + PLAYS], memory[at + TOTAL])


@kernel
def known_budget(rules: JointRules, memory: Floats, round: int, default_plays: int) -> float:
    """Lower bound on the moved budget after `round`, if so many plays are of the default."""
    deficit = default_deficit(rules.max_loss, round, default_plays)
    return memory[SURE] - deficit * rules.default_mean + rules.shift * round  # type: ignore[no-any-return]


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
    """Lower bound on the budget if `arm` is played now."""
    default_plays = arms.plays[0] + 1 if arm == 0 else arms.plays[0]
    return rules.width * known_budget(rules, memory, round, default_plays)


@kernel
def rounds_to_save(
    rules: JointRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> int:
    """Plays of a default arm of known mean that make a challenger affordable, at least 1."""
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
    """Add a challenger's reward to the sum, and see how much of it is sure."""
    if arm > 0:
        gain = (reward - rules.low) / rules.width
        memory[CHALLENGERS + PLAYS] += 1.0
        memory[CHALLENGERS + TOTAL] += gain
        if not leaves_cost(gain):
            plays, total = memory[CHALLENGERS + PLAYS], memory[CHALLENGERS + TOTAL]
            memory[SURE] = sure_sum(rules, plays, total)


LEARNED: dict[Function, Function] = {
    fallback_probability: refuse_unless_proved,
    guaranteed_budget: proved_budget,
    credit: credit_sums,
    recount: recount_learned,
    proof: proof_learned,
}
KNOWN: dict[Function, Function] = {
    fallback_probability: refuse_below_zero,
    guaranteed_budget: budget_of_known,
    default_rounds: rounds_to_save,
    credit: credit_challengers,
    recount: recount_known,
    proof: proof_known,
}


@dataclass(frozen=True)
class JointFloor(Floor):
    """Keeps expected reward above (1 - max_loss) of the default's, at all times, up to delta.

    The promise of `ConfidenceFloor` at about half its price, and challengers' means may change.
    delta, the range of rewards and their noise scale are those of the policy's boundary; its
    intervals are for the proposer alone.

    Args:
        max_loss: the share of the default's reward that may be lost.
        default_mean: the default arm's mean, or None to learn it.
        form: `bounded`, for rewards within the boundary's `low` and `high`, or `subgaussian`, for
            its noise scale; bounded if the boundary needs a range, unless told.
        weight: how much the test expects before it is sharpest: the sum of rewards over their
            range (bounded; 6 unless told), or the number of plays (subgaussian; 100). It must
            not come from the rewards. The floor holds whatever it is.
    """

    max_loss: float
    default_mean: float | None = None
    form: str | None = None
    weight: float | None = None

    def __post_init__(self) -> None:
        number("max_loss", self.max_loss, 0, 1)
        if self.default_mean is not None:
            number("default_mean", self.default_mean, 0, math.inf)
        if self.form is not None:
            choice("form", self.form, FORMS)
        if self.weight is not None:
            number("weight", self.weight, 0, math.inf, open_low=True)

    needs_boundary = True
    can_fast_forward = True
    takes_late_rewards = True
    shared_memory = MEMORY
    late_memory = LATE_MEMORY

    def settle(self, boundary: Boundary | None, horizon: int) -> tuple[Self, Boundary | None]:
        """Fill in the form that goes with the boundary, and its weight."""
        ranged = boundary is not None and boundary.kind.needs_range
        form = self.form or ("bounded" if ranged else "subgaussian")
        allowed = "subgaussian unless the boundary needs a range, as beta-binomial does"
        require(ranged or form == "subgaussian", "form", allowed, form)
        return replace(self, form=form, weight=self.weight or WEIGHTS[form]), boundary

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> JointRules:
        """The record for the kernels, given a floor that is settled."""
        assert boundary is not None and self.weight is not None
        low, mean = float(boundary.low), self.default_mean
        require(low >= 0, "low", "at least 0 for the joint floor", low)
        if mean is not None:
            number("default_mean", mean, low, self._highest(boundary))
        width = self._width(boundary)
        # A loss that rounding swallows cannot be saved up for.
        gain = self.max_loss * (mean or 0.0) / width if 1 - self.max_loss < 1 else 0.0
        return JointRules(
            max_loss=float(self.max_loss),
            default_mean=math.nan if mean is None else (mean - low) / width,
            low=low,
            width=width,
            shift=self.max_loss * low / width,
            log_inverse_delta=max(-math.log(boundary.delta), LEAST_EVIDENCE),
            weight=float(self.weight),
            start=gamma_excess(self.weight),
            saving=1 / gain if gain > 0 else math.inf,
            slack=TOLERANCE / self.max_loss if gain > 0 else 0.0,
        )

    def kernels(self) -> dict[Function, Function]:
        """How this floor fills the slots, once it is settled."""
        assert self.form is not None
        return {
            **super().kernels(),
            **(LEARNED if self.default_mean is None else KNOWN),
            **FORMS[self.form],
            await_reward: count_play,
            take_late_reward: count_reward,
        }

    def _highest(self, boundary: Boundary) -> float:
        return float(boundary.high) if boundary.kind.needs_range else math.inf

    def _width(self, boundary: Boundary) -> float:
        """What moved rewards are divided by: their range, or a noise scale that covers it."""
        if not boundary.kind.needs_range:
            return float(boundary.noise_scale)
        width = float(boundary.high - boundary.low)
        return width if self.form == "bounded" else width / 2
