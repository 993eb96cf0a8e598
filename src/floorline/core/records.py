"""The records that kernels pass around: what is known of the arms, and the rules of a policy."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Budgets are often exactly zero: below zero means by more than this share of the rounds."""

ROUNDING = 1e-12
"""The same for budgets of rewards received, which are sums and nothing else."""

FOREVER = 2**62
"""More rounds than any horizon."""

T = TypeVar("T", bound=tuple[Any, ...])

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class Arms(NamedTuple):
    """What is known of each arm. Arm 0 is the default; the others are challengers."""

    plays: Counts
    """Times played (the paper's T), rewards still on their way included."""
    seen: Counts
    """Plays whose reward has arrived."""
    total: Floats
    """Sum of the rewards seen."""
    average: Floats
    """Mean of the rewards seen; 0 before the first."""
    lower: Floats
    """Lower end of the confidence interval (the paper's lambda)."""
    upper: Floats
    """Upper end of the confidence interval (the paper's theta)."""
    earned: Floats
    """One number, kept by the floor: what it counts as earned."""
    aside: Counts
    """One number: default plays that the proposer knows nothing of."""


class Rules(NamedTuple):
    """What stays fixed during a run: the settings of a policy's parts."""

    proposer: Any
    floor: Any
    boundary: Any
    default_mean: float
    """The default arm's mean where it is known, else NaN."""
    lowest_reward: float
    """No arm's mean is below this."""
    skips: bool
    """Whether a row of default plays is one step, since none of them changes the proposal."""
    own_rounds: bool
    """Whether the proposer lives on the rounds that the floor leaves to it, as if alone."""


class Decision(NamedTuple):
    """One decision: what the proposer wanted, what is played, what stays guaranteed."""

    candidate: int
    arm: int
    acted: bool
    """Whether the floor let the proposer act; else `arm` is the fallback."""
    guaranteed_budget: float
    """Lower bound on the budget after `arm` is played; negative says nothing is guaranteed."""


class NoRules(NamedTuple):
    """The rules of a part that has no settings."""

    nothing: float = 0.0


def new_arms(n_arms: int) -> Arms:
    """Records for `n_arms` arms; `forget` gives them their starting values."""
    return Arms(
        plays=np.zeros(n_arms, np.int64),
        seen=np.zeros(n_arms, np.int64),
        total=np.zeros(n_arms),
        average=np.zeros(n_arms),
        lower=np.zeros(n_arms),
        upper=np.zeros(n_arms),
        earned=np.zeros(1),
        aside=np.zeros(1, np.int64),
    )


def in_lists(record: T) -> T:
    """The same record with a list for each array: interpreted kernels read those faster."""
    return type(record)(*(array.tolist() for array in record))


def in_slots(record: T) -> T:
    """The same record, and those in it, as objects: Python reads their fields faster."""
    kind: Any = type(record)
    found: T = _slots(kind)()
    for name, value in zip(kind._fields, record, strict=True):
        setattr(found, name, in_slots(value) if isinstance(value, tuple) else value)
    return found


@cache  # Python goes faster where it meets one class only
def _slots(kind: Any) -> Any:
    """A class with the fields of a named tuple."""
    return type(kind.__name__, (), {"__slots__": kind._fields})
