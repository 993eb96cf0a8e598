"""The joint floor where the default may change: relative to the default at the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from floorline.boundaries import Boundary
from floorline.core.checks import require
from floorline.core.kernel import Function
from floorline.core.records import Floats
from floorline.core.slots import (
    await_reward,
    current_budget,
    fallback_probability,
    guaranteed_budget,
    recount,
    take_late_reward,
)
from floorline.floors.arithmetic import Arithmetic, Moment
from floorline.floors.joint.account import proves_share
from floorline.floors.joint.floor import JointFloor
from floorline.floors.joint.late import DECISIONS, START, SUM, proof
from floorline.floors.joint.memory import MEMORY
from floorline.floors.joint.succession_account import (
    ARM,
    FORMER,
    GROUPS_AT,
    MAX_PROMOTIONS,
    SUCCESSION_MEMORY,
    TENURE,
    TENURES,
    await_by_groups,
    budget_by_groups,
    budget_by_groups_now,
    close_tenure,
    proof_by_groups,
    recount_by_groups,
    refuse_by_groups,
    reward_by_groups,
    share_by_groups,
)
from floorline.floors.joint.words import explain_defaults


@dataclass(frozen=True)
class JointSuccessionFloor(JointFloor):
    """Keeps expected reward above (1 - max_loss) of that of the defaults at the time.

    Live campaigns run it where a challenger may be promoted; until one is, it is the joint floor.
    It has only the bounded form, and the default's mean is learned.
    """

    shared_memory = SUCCESSION_MEMORY
    late_memory = 0

    def account(self, n_arms: int) -> Sequence[int]:
        """Return the indices of the accounts of late rewards and of former defaults."""
        return (*range(MEMORY, SUM), *range(TENURES, GROUPS_AT))

    def may_promote(self, memory: Floats) -> bool:
        """Return whether there is room for another former default."""
        return bool(memory[TENURES] < MAX_PROMOTIONS)

    def settle(self, boundary: Boundary | None, horizon: int) -> tuple[Self, Boundary | None]:
        """Return them as the joint floor does; the proof is for the bounded form."""
        floor, boundary = super().settle(boundary, horizon)
        changes = "where the default may change"
        require(floor.form == "bounded", "form", f"bounded {changes}", floor.form)
        fits = floor.weight is not None and floor.weight >= 1
        require(fits, "weight", f"at least 1 {changes}", floor.weight)
        require(not self.steady, "steady", f"False {changes}", self.steady)
        require(self.default_mean is None, "default_mean", f"None {changes}", self.default_mean)
        return floor, boundary

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            fallback_probability: refuse_by_groups,
            guaranteed_budget: budget_by_groups,
            current_budget: budget_by_groups_now,
            proves_share: share_by_groups,
            proof: proof_by_groups,
            recount: recount_by_groups,
            await_reward: await_by_groups,
            take_late_reward: reward_by_groups,
        }

    def live_kernels(self) -> dict[Function, Function]:
        """Return none: with groups, the budget itself is the test."""
        return {}

    def rearranged(self, memory: Floats, n_arms: int, order: Sequence[int | None]) -> list[float]:
        """Return the memory for another order of arms; the tenure of another default is over."""
        kept = super().rearranged(memory, n_arms, order)
        for number in range(int(kept[TENURES])):
            place = FORMER + TENURE * number + ARM
            kept[place] = float(order.index(int(kept[place])))
        if order[0] != 0 and kept[DECISIONS] > kept[START]:
            close_tenure(kept, order.index(0))
        return kept

    def explain(self, moment: Moment) -> Arithmetic:
        """Return the sums that the test uses, and its result."""
        if moment.memory[TENURES] == 0.0:
            return super().explain(moment)
        return Arithmetic(explain_defaults(moment), [])
