"""The records that kernels pass around: what is known about the arms, and a policy's rules."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Budgets are often exactly zero: below zero means by more than this share of the rounds."""

ROUNDING = 1e-12
"""The same for budgets of received rewards, which are plain sums."""

FOREVER = 2**62
"""More rounds than any horizon."""

T = TypeVar("T", bound=tuple[Any, ...])

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class Arms(NamedTuple):
    """What is known about each arm. Arm 0 is the default; the others are challengers."""

    plays: Counts
    """Times played (the paper's T), including plays whose reward is pending."""
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


class Memory(NamedTuple):
    """The numbers that each part of a policy keeps for itself; all start at 0.

    A part reads and writes only its own array: first its numbers for each arm, those of one kind
    together, then the others.
    """

    proposer: Floats
    floor: Floats
    boundary: Floats


class MemorySizes(NamedTuple):
    """How many numbers each part of a policy keeps."""

    proposer: int
    floor: int
    boundary: int


class Rules(NamedTuple):
    """What stays fixed during a run: the settings of a policy's parts."""

    proposer: Any
    floor: Any
    boundary: Any
    default_mean: float
    """The default arm's mean where it is known, else NaN."""
    low: float
    """No arm's mean is below this."""
    holdback: float
    """The least probability of the fallback arm in a round whose candidate is a challenger."""
    fast_forward: bool
    """Whether consecutive default plays are one step, since none of them changes the proposal."""
    private_clock: bool
    """Whether the proposer counts only the rounds that the floor leaves to it, as if alone."""
    caches: bool
    """Whether the proposer's memory only caches what `Arms` holds, and may be cleared."""


class Choice(NamedTuple):
    """One decision: what the proposer wanted, and what is played."""

    candidate: int
    arm: int
    acted: bool
    """Whether the candidate is played; else `arm` is the fallback."""
    fallback_probability: float
    """The probability with which the fallback was to be played: 0, 1, or that of a coin."""


class NoRules(NamedTuple):
    """The rules of a part that has no settings."""

    nothing: float = 0.0


def new_arms(n_arms: int) -> Arms:
    """Return records for `n_arms` arms; `forget` initialises them."""
    return Arms(
        plays=np.zeros(n_arms, np.int64),
        seen=np.zeros(n_arms, np.int64),
        total=np.zeros(n_arms),
        average=np.zeros(n_arms),
        lower=np.zeros(n_arms),
        upper=np.zeros(n_arms),
    )


def new_memory(sizes: MemorySizes) -> Memory:
    """Return memory of these sizes, all zeros."""
    return Memory(*(np.zeros(size) for size in sizes))


def in_arrays(template: T, record: T) -> T:
    """Return a copy of the record with arrays of the template's types."""
    kind: Any = type(template)
    fields = zip(kind._fields, template, strict=True)
    copy: T = kind(*(np.array(getattr(record, name), array.dtype) for name, array in fields))
    return copy


def in_slots(record: T) -> T:
    """Return the record, with those in it, as objects with lists for arrays: faster in Python."""
    kind: Any = type(record)
    copy: T = _slots(kind)()
    for name, value in zip(kind._fields, record, strict=True):
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if isinstance(value, tuple):
            value = in_slots(value) if hasattr(value, "_fields") else [*map(in_slots, value)]
        setattr(copy, name, value)
    return copy


@cache  # attribute access is faster where it always meets the same class
def _slots(kind: Any) -> Any:
    """Return a class with the fields of a named tuple."""
    return type(kind.__name__, (), {"__slots__": kind._fields})
