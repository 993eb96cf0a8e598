"""How a floor explains its budget: what it knew, and the arithmetic of the budget in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from floorline.core.kernel import Function
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Floats


class Moment(NamedTuple):
    """A decision and what the floor knew before it, or what it knows now."""

    rules: Any
    arms: Arms
    memory: Floats
    pending: PendingPlays
    kernels: Mapping[Function, Function]
    """Of the whole policy."""
    names: Sequence[str]
    """Of the arms."""
    unit: str
    """The unit of reward, after a space; empty if none was given."""
    arm: int | None
    """The arm that was decided on; None for the present, between two decisions."""
    rounds: int
    """Decisions that count, including this one."""
    plays: Sequence[int]
    """Plays of each arm that count, including this one."""
    low: float
    """The lowest reward."""
    fallback_probability: float
    """At which it was decided."""

    @property
    def after_it(self) -> str:
        """` after it`, if there is a decision to which the words refer; else nothing."""
        return "" if self.arm is None else " after it"


class BudgetTerm(NamedTuple):
    """What one arm adds to the guaranteed budget, where arms do so one by one."""

    arm: str
    plays: int
    lower: float
    upper: float
    weight: float
    mean: float
    voided: int
    doubtful: float
    sum: float


class Arithmetic(NamedTuple):
    """The arithmetic of a guaranteed budget."""

    words: list[str]
    """Lines to be read in order, the first of which introduces the others."""
    terms: list[BudgetTerm]
    """One for each arm; none where the floor does not count arm by arm."""


class Received(NamedTuple):
    """Rewards received in an epoch, each less the lowest, in units of reward."""

    default: float
    """By the default."""
    challengers: float
    missed_upper: float
    """What the default would have received in the challengers' rounds, at most."""


class InFlightCheck(Protocol):
    """Checks, as rewards arrive, what was assumed about them while they were pending."""

    failures: int
    """Decisions that the floor would not have allowed, had all rewards arrived at once."""
    checked: int
    """Decisions checked so far, from the first of the epoch."""

    def decided(self, arm: int, probability: float) -> None:
        """Take note of the next decision, made at a fallback `probability`."""

    def settled(self, number: int, reward: float) -> None:
        """Take note of the reward of the decision with this number; NaN if none will come."""

    def to_json(self) -> dict[str, Any]:
        """Return everything noted as plain values."""

    def restore(self, values: dict[str, Any]) -> None:
        """Restore what `to_json` returned."""
