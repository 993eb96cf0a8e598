"""The joint floor: a test of the budget itself, from the sums of all rewards.

The formulas are in `forms.py`, the proof in docs/joint-floor.md. A candidate is credited
with the lowest mean, so the answer is the same for every challenger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from floorline.boundaries import Boundary
from floorline.core.checks import choice, number, require
from floorline.core.kernel import Function
from floorline.core.slots import (
    await_reward,
    credit,
    current_budget,
    default_rounds,
    fallback_probability,
    guaranteed_budget,
    guaranteed_share,
    recount,
    take_late_reward,
)
from floorline.floors.arithmetic import Arithmetic, Moment
from floorline.floors.base import Floor
from floorline.floors.confidence_account import saving_of
from floorline.floors.joint.account import (
    credit_sums,
    proved_budget,
    proved_budget_now,
    proved_share,
    proves_share,
    refuse_unless_proved,
    refuse_unless_stated,
    share_by_evidence,
    stated_budget,
)
from floorline.floors.joint.bounded_form import BOUNDED
from floorline.floors.joint.evidence import gamma_excess
from floorline.floors.joint.forms import JointRules
from floorline.floors.joint.known import (
    budget_of_known,
    budget_of_known_now,
    credit_challengers,
    refuse_below_zero,
    rounds_to_save,
    share_of_known,
)
from floorline.floors.joint.late import LATE_MEMORY, SUM, count_play, count_reward, proof
from floorline.floors.joint.memory import MEMORY
from floorline.floors.joint.spread_form import SPREAD_FORM
from floorline.floors.joint.subgaussian_form import SUBGAUSSIAN
from floorline.floors.joint.sums import (
    WITHOUT_SPREAD,
    credit_a_single_challenger,
    credit_none,
    on_their_way,
    proof_known,
    proof_learned,
    recount_known,
    recount_learned,
)
from floorline.floors.joint.words import explain_known, explain_learned

FORMS: dict[str, dict[Function, Function]] = {
    "bounded": {**BOUNDED, **WITHOUT_SPREAD},
    "subgaussian": {**SUBGAUSSIAN, **WITHOUT_SPREAD},
    "variance": SPREAD_FORM,
}
"""How each form of the joint floor fills its slots."""

WEIGHTS = {"bounded": 6.0, "subgaussian": 100.0, "variance": 1.0}
"""The default weight of each form's mixture, in rewards of 1 or in plays; `variance` has one
mixture for all."""

LEAST_EVIDENCE = 0.5
"""From here on missing rewards may be filled in (docs/joint-floor.md, point 14)."""

LEARNED: dict[Function, Function] = {
    fallback_probability: refuse_unless_proved,
    guaranteed_budget: proved_budget,
    current_budget: proved_budget_now,
    guaranteed_share: proved_share,
    proves_share: share_by_evidence,
    credit: credit_sums,
    recount: recount_learned,
    proof: proof_learned,
}
LIVE_LEARNED: dict[Function, Function] = {
    fallback_probability: refuse_unless_stated,
    guaranteed_budget: stated_budget,
}
KNOWN: dict[Function, Function] = {
    fallback_probability: refuse_below_zero,
    guaranteed_budget: budget_of_known,
    current_budget: budget_of_known_now,
    guaranteed_share: share_of_known,
    default_rounds: rounds_to_save,
    credit: credit_challengers,
    recount: recount_known,
    proof: proof_known,
}


@dataclass(frozen=True)
class JointFloor(Floor):
    """Keeps expected reward above (1 - max_loss) of the default's, at all times, up to delta.

    The promise of `ConfidenceFloor` at about half its price, and challengers' means may change.
    delta, the range of rewards and their noise scale are those of the policy's boundary; only the
    proposer uses its intervals.

    Args:
        max_loss: the share of the default's reward that may be lost.
        default_mean: the default arm's mean, or None to learn it.
        form: `bounded`, for rewards within the boundary's `low` and `high`, or `subgaussian`, for
            its noise scale; by default bounded if the boundary needs a range. `variance` is for
            rewards that lie well inside their range, such as order values: it learns their
            variance, and is worse than bounded for clicks.
        weight: the amount of data for which the test is sharpest: the sum of rewards over their
            range (bounded; by default 6), or the number of plays (subgaussian; 100). It must
            not be chosen from the rewards. The floor holds whatever it is.
        steady: whether a single challenger's mean does not change, as the confidence floor
            assumes. Where rewards are late, its pending plays then count like earlier ones.
            With several challengers it changes nothing.

    >>> from floorline import Boundary, JointFloor, Policy, thompson_votes
    >>> policy = Policy(thompson_votes(), JointFloor(max_loss=0.1), Boundary("beta-binomial"))
    """

    max_loss: float
    default_mean: float | None = None
    form: str | None = None
    weight: float | None = None
    steady: bool = False

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
    reads_intervals = False
    takes_late_rewards = True
    live = True
    shared_memory = MEMORY
    late_memory = LATE_MEMORY

    def account(self, n_arms: int) -> Sequence[int]:
        """Return the indices of the account of late rewards, from which the test's sums follow."""
        return range(MEMORY, SUM)

    def settle(self, boundary: Boundary | None, horizon: int) -> tuple[Self, Boundary | None]:
        """Return this floor, with its form and weight filled in, and the boundary."""
        ranged = boundary is not None and boundary.kind.needs_range
        form = self.form or ("bounded" if ranged else "subgaussian")
        allowed = "subgaussian unless the boundary needs a range, as beta-binomial does"
        require(ranged or form == "subgaussian", "form", allowed, form)
        return replace(self, form=form, weight=self.weight or WEIGHTS[form]), boundary

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> JointRules:
        """Return the record for the kernels; the floor must be settled."""
        assert boundary is not None and self.weight is not None
        low, mean = float(boundary.low), self.default_mean
        require(low >= 0, "low", "at least 0 for the joint floor", low)
        if mean is not None:
            number("default_mean", mean, low, self._highest(boundary))
        width = self._width(boundary)
        saving, slack = saving_of(self.max_loss, self.max_loss * (mean or 0.0) / width)
        return JointRules(
            max_loss=float(self.max_loss),
            default_mean=math.nan if mean is None else (mean - low) / width,
            low=low,
            width=width,
            shift=self.max_loss * low / width,
            log_inverse_delta=max(-math.log(boundary.delta), LEAST_EVIDENCE),
            weight=float(self.weight),
            start=gamma_excess(self.weight),
            saving=saving,
            slack=slack,
        )

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot; the floor must be settled."""
        assert self.form is not None
        return {
            **super().kernels(),
            **(LEARNED if self.default_mean is None else KNOWN),
            **FORMS[self.form],
            on_their_way: credit_a_single_challenger if self.steady else credit_none,
            await_reward: count_play,
            take_late_reward: count_reward,
        }

    def live_kernels(self) -> dict[Function, Function]:
        """Return kernels that decide by the guaranteed budget, which is recorded anyway."""
        if self.default_mean is not None or self.form != "bounded":
            return {}
        return LIVE_LEARNED

    def explain(self, moment: Moment) -> Arithmetic:
        """Return the sums that the test uses, and its result."""
        learned = self.default_mean is None
        words = explain_learned(moment) if learned else explain_known(moment)
        return Arithmetic(words, [])

    def _highest(self, boundary: Boundary) -> float:
        return float(boundary.high) if boundary.kind.needs_range else math.inf

    def _width(self, boundary: Boundary) -> float:
        """Return the divisor of rescaled rewards: their range, or a noise scale that covers it."""
        if not boundary.kind.needs_range:
            return float(boundary.noise_scale)
        width = float(boundary.high - boundary.low)
        return width / 2 if self.form == "subgaussian" else width
