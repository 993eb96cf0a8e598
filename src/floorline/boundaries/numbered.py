"""Confidence intervals where arms may be added later: each arm number has its own share of delta.

Arms are numbered from 0 in the order in which they are added, and number i may fail with
probability delta / ((i + 1)(i + 2)). The shares add up to 1 over all numbers, so all intervals of
all arms ever added hold together, except with probability delta.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from floorline.core.kernel import Function, kernel, slot
from floorline.core.records import Floats
from floorline.core.slots import interval, lower_end, upper_end


class NumberedRules(NamedTuple):
    """A boundary's rules for each arm, which differ in delta."""

    by_arm: tuple[Any, ...]


def inverse_share(number: int) -> int:
    """Return one over the share of delta that the arm with this number has.

    >>> [inverse_share(number) for number in range(4)]
    [2, 6, 12, 20]
    """
    return (number + 1) * (number + 2)


@slot
def own_interval(
    rules: Any, memory: Floats, arm: int, seen: int, total: float
) -> tuple[float, float]:
    """Return both ends of an arm's interval, given the rules for that arm."""
    raise NotImplementedError


@slot
def own_lower_end(rules: Any, memory: Floats, arm: int, seen: int, total: float) -> float:
    """Return the lower end of an arm's interval, given the rules for that arm."""
    raise NotImplementedError


@slot
def own_upper_end(rules: Any, memory: Floats, arm: int, seen: int, total: float) -> float:
    """Return the upper end of an arm's interval, given the rules for that arm."""
    raise NotImplementedError


@kernel
def numbered_interval(
    rules: NumberedRules, memory: Floats, arm: int, seen: int, total: float
) -> tuple[float, float]:
    """Return both ends of an arm's interval at its own share of delta."""
    return own_interval(rules.by_arm[arm], memory, arm, seen, total)


@kernel
def numbered_lower(
    rules: NumberedRules, memory: Floats, arm: int, seen: int, total: float
) -> float:
    """Return the lower end of an arm's interval at its own share of delta."""
    return own_lower_end(rules.by_arm[arm], memory, arm, seen, total)


@kernel
def numbered_upper(
    rules: NumberedRules, memory: Floats, arm: int, seen: int, total: float
) -> float:
    """Return the upper end of an arm's interval at its own share of delta."""
    return own_upper_end(rules.by_arm[arm], memory, arm, seen, total)


def numbered_kernels(kernels: dict[Function, Function]) -> dict[Function, Function]:
    """Return a boundary's kernels for rules that differ by arm, given those for common rules."""
    return {
        **kernels,
        own_interval: kernels[interval],
        own_lower_end: kernels[lower_end],
        own_upper_end: kernels[upper_end],
        interval: numbered_interval,
        lower_end: numbered_lower,
        upper_end: numbered_upper,
    }
