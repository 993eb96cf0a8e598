"""Checks of what people pass in. Each failure is one line: the name and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable


def require(condition: bool, name: str, allowed: str, value: object) -> None:
    """Raise ValueError naming the argument, what is allowed and what came, unless `condition`."""
    if not condition:
        raise ValueError(f"{name}: must be {allowed}, not {value!r}")


def number(name: str, value: float, low: float, high: float, *, open_low: bool = False) -> float:
    """`value` as a float, checked to be a finite number in [low, high] or (low, high]."""
    try:
        given = math.nan if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        given = math.nan
    if math.isfinite(given) and (low < given if open_low else low <= given) and given <= high:
        return given
    least = f"{'above' if open_low else 'at least'} {low:g}"
    most = f" and at most {high:g}" if high < math.inf else ""
    raise ValueError(f"{name}: must be a number {least}{most}, not {value!r}")


def whole(name: str, value: float, low: int) -> int:
    """`value` as an int, checked to be a whole number of at least `low`; 1e4 is one."""
    fits = hasattr(value, "__index__") or (hasattr(value, "is_integer") and value.is_integer())
    require(
        fits and not isinstance(value, bool) and int(value) >= low,
        name,
        f"a whole number of at least {low}",
        value,
    )
    return int(value)


def choice(name: str, value: str, allowed: Iterable[str]) -> str:
    """The one of the `allowed` words that `value` is."""
    words = list(allowed)
    require(value in words, name, f"one of {', '.join(words)}", value)
    return words[words.index(value)]
