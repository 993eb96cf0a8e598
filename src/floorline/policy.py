"""A policy: a proposer under a floor, with the boundary that both share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from floorline.boundaries import Boundary
from floorline.boundaries.boundary import NO_BOUNDARY
from floorline.core.checks import number, require
from floorline.core.kernel import Function, is_kernel, is_slot
from floorline.core.part import Part
from floorline.core.records import MemorySizes, NoRules, Rules
from floorline.core.slots import held_back, toss
from floorline.core.steps import at_least_holdback, no_coin, no_holdback, toss_coin
from floorline.floors import Floor, NoFloor
from floorline.proposers import Proposer


class Prepared(NamedTuple):
    """A policy made ready for a number of arms and a horizon."""

    rules: Rules
    kernels: dict[Function, Function]
    memory: MemorySizes
    floor: Floor
    """With everything that depends on the horizon and the boundary filled in."""


@dataclass(frozen=True, eq=False)
class Policy:
    """A proposer under a floor, with the confidence boundary that both share.

    >>> from floorline import ConfidenceFloor, optimistic
    >>> policy = Policy(optimistic(), ConfidenceFloor(max_loss=0.1), Boundary(delta=0.05))

    Args:
        proposer: names the candidate.
        floor: refuses candidates that are not affordable.
        boundary: the confidence intervals; None if neither part uses them.
        holdback: the least probability of the fallback arm in a round whose candidate is a
            challenger: that share of decisions keeps watching the default.
    """

    proposer: Proposer
    floor: Floor = NoFloor()  # noqa: RUF009 (it is immutable)
    boundary: Boundary | None = None
    holdback: float = 0.0

    def __post_init__(self) -> None:
        require(isinstance(self.proposer, Proposer), "proposer", "a Proposer", self.proposer)
        require(isinstance(self.floor, Floor), "floor", "a Floor", self.floor)
        if self.boundary is None and (self.proposer.uses_intervals or self.floor.needs_boundary):
            raise ValueError("boundary: this proposer or floor needs one, for example Boundary()")
        if self.floor.needs_optimistic and not self.proposer.optimistic:
            raise ValueError(
                "floor: this warm-up is safe only with the optimistic proposer; "
                'use WarmUp(..., form="certain") or ConfidenceFloor'
            )
        number("holdback", self.holdback, 0, 1)

    @property
    def unit_rewards(self) -> bool:
        """Whether it takes only rewards in [0, 1]."""
        return self.proposer.unit_rewards or self.floor.unit_rewards

    def prepare(self, n_arms: int, horizon: int, *, late: bool = False) -> Prepared:
        """Return the records and kernels for `n_arms` arms and at most `horizon` rounds.

        `late` says whether rewards may come late.
        """
        floor, boundary = self.floor.settle(self.boundary, horizon)
        known = floor.default_mean is not None
        kernels = {
            **_for_slots(self.proposer, self.proposer.kernels()),
            **_for_slots(floor, floor.kernels()),
            **(
                NO_BOUNDARY
                if boundary is None
                else _for_slots(boundary.kind, boundary.kernels(horizon))
            ),
            held_back: at_least_holdback if self.holdback > 0 else no_holdback,
            toss: toss_coin if self.holdback > 0 or floor.tosses_coins else no_coin,
        }
        rules = Rules(
            proposer=self.proposer.rules,
            floor=floor.rules(n_arms, horizon, boundary),
            boundary=NoRules() if boundary is None else boundary.rules(n_arms, known, horizon),
            default_mean=math.nan if floor.default_mean is None else float(floor.default_mean),
            low=0.0 if boundary is None else float(boundary.low),
            holdback=float(self.holdback),
            fast_forward=known and self.proposer.steady and floor.can_fast_forward,
            private_clock=floor.private_clock,
            caches=self.proposer.caches,
        )
        memory = MemorySizes(
            proposer=self.proposer.memory_size(n_arms),
            floor=floor.memory_size(n_arms) + (floor.late_memory if late else 0),
            boundary=0 if boundary is None else boundary.kind.memory_size(n_arms),
        )
        return Prepared(rules, kernels, memory, floor)


def _for_slots(part: Part, kernels: dict[Function, Function]) -> dict[Function, Function]:
    """Return the kernels of a part, each for a slot, or for a kernel that it replaces."""
    for key in kernels:
        if not (is_slot(key) or is_kernel(key)):  # nothing would ever call it
            raise ValueError(
                f"{type(part).__name__}.kernels: each key must be a slot, a function of "
                f"floorline.core.slots, not {getattr(key, '__qualname__', repr(key))}"
            )
    return kernels
