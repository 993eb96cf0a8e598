"""Lengths of time as people write them."""

from __future__ import annotations

import re

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
FORM = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*")


def seconds_of(value: float | str) -> float:
    """Return the length of a window in seconds; a number is one already.

    >>> seconds_of("30m"), seconds_of("1.5 h"), seconds_of(90)
    (1800.0, 5400.0, 90)
    """
    if not isinstance(value, str):
        return value
    found = FORM.fullmatch(value)
    if found is None:
        raise ValueError(f"window: must be seconds, or like 30m, 12h or 7d, not {value!r}")
    return float(found[1]) * SECONDS[found[2]]
