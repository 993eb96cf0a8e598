"""A policy: a proposer under a floor, with the boundary that both share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from floorline.core.boundaries import Boundary, no_interval
from floorline.core.checks import require
from floorline.core.kernel import Function
from floorline.core.records import NoRules, Rules
from floorline.core.steps import chance, interval, learn, propose
from floorline.floors import Floor, NoFloor
from floorline.proposers import Proposer
from floorline.proposers.optimistic import most_promising


class Prepared(NamedTuple):
    """A policy made ready for a number of arms and a horizon."""

    rules: Rules
    kernels: dict[Function, Function]
    memory: int


@dataclass(frozen=True, eq=False)
class Policy:
    """A proposer under a floor, with the confidence boundary that both share.

    >>> from floorline import ConfidenceFloor, optimistic
    >>> policy = Policy(optimistic(), ConfidenceFloor(max_loss=0.1), Boundary(delta=0.05))

    Args:
        proposer: names the candidate.
        floor: refuses candidates that are not affordable.
        boundary: the confidence intervals; None where neither part uses them.
    """

    proposer: Proposer
    floor: Floor = NoFloor()  # noqa: RUF009 (it is immutable)
    boundary: Boundary | None = None

    def __post_init__(self) -> None:
        require(isinstance(self.proposer, Proposer), "proposer", "a Proposer", self.proposer)
        require(isinstance(self.floor, Floor), "floor", "a Floor", self.floor)
        if self.boundary is None and (self.proposer.uses_intervals or self.floor.needs_boundary):
            raise ValueError("boundary: this proposer or floor needs one, for example Boundary()")
        if not self.floor.any_proposer and self.proposer.propose is not most_promising:
            raise ValueError(
                "floor: this warm-up is safe only with the optimistic proposer; "
                'take WarmUp(..., form="certain") or ConfidenceFloor'
            )

    @property
    def unit_rewards(self) -> bool:
        """Whether it takes only rewards within 0 and 1."""
        return self.proposer.unit_rewards or self.floor.unit_rewards

    def prepare(self, n_arms: int, horizon: int) -> Prepared:
        """The records and kernels for `n_arms` arms and at most `horizon` rounds."""
        floor, boundary = self.floor.settle(self.boundary, horizon)
        known = floor.default_mean is not None
        kernels: dict[Function, Function] = {
            propose: self.proposer.propose,
            learn: self.proposer.learn,
            chance: self.proposer.chance,
            **floor.kernels(),
        }
        if boundary is None:
            kernels[interval] = no_interval
        else:
            kernels |= boundary.kernels()
        rules = Rules(
            proposer=self.proposer.rules,
            floor=floor.rules(n_arms, horizon, boundary),
            boundary=NoRules() if boundary is None else boundary.rules(n_arms, known, horizon),
            default_mean=math.nan if floor.default_mean is None else float(floor.default_mean),
            lowest_reward=0.0 if boundary is None else float(boundary.lowest_reward),
            skips=known and self.proposer.steady and not floor.own_rounds,
            own_rounds=floor.own_rounds,
        )
        return Prepared(rules, kernels, self.proposer.memory * n_arms)
