"""The paper's floor where the default may change: relative to the default at the time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from floorline.core.kernel import Function
from floorline.core.records import Floats
from floorline.core.slots import (
    await_reward,
    charge,
    credit,
    current_budget,
    default_rounds,
    guaranteed_budget,
    guaranteed_share,
    recount,
)
from floorline.floors.arithmetic import Moment
from floorline.floors.base import one_round
from floorline.floors.confidence import ConfidenceFloor
from floorline.floors.succession_account import (
    SHARED,
    await_succession,
    charge_succession,
    credit_succession,
    recount_succession,
    succession_budget,
    succession_budget_now,
    succession_share,
)


@dataclass(frozen=True)
class SuccessionFloor(ConfidenceFloor):
    """Keeps expected reward above (1 - max_loss) of that of the defaults at the time.

    Live campaigns run it where a challenger may be promoted; until one is, it is the confidence
    floor. The default's mean is learned, and no decision for the default is voided.
    """

    can_fast_forward = False
    memory = 1
    shared_memory = SHARED

    def account(self, n_arms: int) -> Sequence[int]:
        """Return the indices of the account: the rounds in which each arm was the default."""
        return range(n_arms)

    def may_promote(self, memory: Floats) -> bool:
        """Return True: any arm may be promoted at any time."""
        return True

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            guaranteed_budget: succession_budget,
            current_budget: succession_budget_now,
            guaranteed_share: succession_share,
            default_rounds: one_round,
            charge: charge_succession,
            credit: credit_succession,
            recount: recount_succession,
            await_reward: await_succession,
        }

    def _rounds_as_default(self, moment: Moment, arm: int) -> float:
        former = sum(moment.memory[1 : len(moment.names)])
        return float(moment.memory[arm]) if arm > 0 else moment.rounds - former
