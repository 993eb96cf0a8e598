"""Argument checks. Each error is one line: the argument, what is allowed, and the value."""

from __future__ import annotations

import math
from collections.abc import Iterable

MAX_UNIT = 16
"""Characters of a unit of reward."""


def require(condition: bool, name: str, allowed: str, value: object) -> None:
    """Raise ValueError with the argument, what is allowed and the value, unless `condition`."""
    if not condition:
        raise ValueError(f"{name}: must be {allowed}, not {value!r}")


def number(name: str, value: float, low: float, high: float, *, open_low: bool = False) -> float:
    """Return `value` as a float; raise unless it is finite and in [low, high] or (low, high]."""
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
    """Return `value` as an int; raise unless it is a whole number (1e4 is) of at least `low`."""
    fits = hasattr(value, "__index__") or (hasattr(value, "is_integer") and value.is_integer())
    require(
        fits and not isinstance(value, bool) and int(value) >= low,
        name,
        f"a whole number of at least {low}",
        value,
    )
    return int(value)


def unit_of_reward(value: str) -> str:
    """Return `value` as plain text if it is short and printable ("EUR"); raise otherwise."""
    fits = isinstance(value, str) and 1 <= len(value) <= MAX_UNIT and value.isprintable()
    require(fits, "unit", f"a printable text of 1 to {MAX_UNIT} characters", value)
    return plain_text(value)


def plain_text(text: str) -> str:
    """Return the text as a plain `str`, whatever subclass of it was given."""
    return str.__str__(text)


def choice(name: str, value: str, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of `allowed`; raise otherwise."""
    words = list(allowed)
    require(value in words, name, f"one of {', '.join(words)}", value)
    return words[words.index(value)]
