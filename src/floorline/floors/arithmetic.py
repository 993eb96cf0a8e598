"""How a floor explains a decision: what it knew, and the arithmetic of its budget in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from floorline.core.kernel import Function
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Floats


class Moment(NamedTuple):
    """A decision, and what the floor knew before it."""

    rules: Any
    arms: Arms
    memory: Floats
    pending: PendingPlays
    kernels: Mapping[Function, Function]
    """Of the whole policy."""
    names: Sequence[str]
    """Of the arms."""
    unit: str
    """What rewards are counted in, after a space; empty if that was not said."""
    arm: int
    rounds: int
    """Decisions that count, this one included."""
    plays: Sequence[int]
    """Plays of each arm that count, this one included."""
    low: float
    """The lowest reward."""
    fallback_probability: float
    """At which it was decided."""


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


def counted(number: float, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "play"), counted(2000, "play")
    ('1 play', '2,000 plays')
    """
    return f"{number:,.6g} {noun}" if number == 1 else f"{number:,.0f} {noun}s"
