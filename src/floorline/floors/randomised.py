"""The randomised floor: a coin of its own decides between the default and the candidate.

It assumes nothing of how rewards come about but their range, and that what the default would
earn in a round is settled before that round's coin. See docs/randomised-floor.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from floorline.boundaries import Boundary
from floorline.core import slots
from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats
from floorline.floors.base import Floor
from floorline.floors.randomised_account import (
    charge,
    credit,
    fallback_probability,
    lower_bound,
)
from floorline.floors.randomised_bound import RandomisedRules
from floorline.floors.randomised_design import account_size, randomised_rules


@kernel
def surest_budget(
    rules: RandomisedRules, arms: Arms, memory: Floats, round: int, arm: int
) -> float:
    """Lower bound on the budget that the likeliest default would be held against.

    Nothing is tried while it is below 0. It holds for any arm: what a round pays only adds to it.
    """
    return lower_bound(rules, memory, rules.ladder[0])


@dataclass(frozen=True)
class RandomisedFloor(Floor):
    """Keeps rewards received above (1 - max_loss) of the default's own in the same rounds.

    With probability at least 1 - delta, over its own coins alone, at every moment: whatever the
    visitors, the seasons and the proposer, which may look at the request.

    Args:
        max_loss: the share of the default's rewards that may be lost.
        holdback: the smallest probability of the default where something else is proposed.
        delta: the chance, over the coins, that the floor ever fails.
        low: no reward is below this; at least 0.
        high: no reward is above this.
        in_flight_rate: with `in_flight_burst`, a statement about late rewards: k coins that the
            default won, their rewards unknown, earn at most rate k + burst together, in units of
            high - low. At 1 nothing is stated.
        in_flight_burst: see `in_flight_rate`.
    """

    max_loss: float
    holdback: float = 0.05
    delta: float = 0.05
    low: float = 0.0
    high: float = 1.0
    in_flight_rate: float = 1.0
    in_flight_burst: float = 0.0

    tosses_coins = True
    counts_received = True

    def __post_init__(self) -> None:
        self._rules()  # which checks everything

    def _rules(self) -> RandomisedRules:
        return randomised_rules(
            self.max_loss,
            self.delta,
            low=self.low,
            high=self.high,
            holdback=self.holdback,
            in_flight_rate=self.in_flight_rate,
            in_flight_burst=self.in_flight_burst,
        )

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> RandomisedRules:
        """The record for the kernels."""
        return self._rules()

    def memory_size(self, n_arms: int) -> int:
        """How many numbers the account takes."""
        return account_size(self._rules())

    def kernels(self) -> dict[Function, Function]:
        """How this floor fills the slots."""
        return {
            **super().kernels(),
            slots.fallback_probability: fallback_probability,
            slots.guaranteed_budget: surest_budget,
            slots.charge: charge,
            slots.credit: credit,
        }
