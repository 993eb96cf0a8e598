"""Axes of a drawing: scales, and round values and times along them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

DAY = 86_400
TIME_STEPS = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10_800, 21_600, 43_200),
    *(days * DAY for days in (1, 2, 3, 7, 14, 28, 91, 365)),
)
"""Seconds between two labels."""


class Scale(NamedTuple):
    """A linear map from values to positions."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value, clipped to the scale."""
        held = min(max(value, self.low), self.high)
        return self.start + (held - self.low) * (self.end - self.start) / (self.high - self.low)


def round_values(low: float, high: float, wanted: int) -> list[float]:
    """Return round values from low to high, about as many as wanted.

    >>> round_values(0, 1784, 4)
    [0.0, 500.0, 1000.0, 1500.0]
    """
    rough = (high - low) / wanted
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(number * step) for number in range(first, last + 1)]


def round_times(start: float, end: float, wanted: int) -> list[tuple[float, str]]:
    """Return round times in UTC from start to end with their labels, at most as many as wanted."""
    step = next((s for s in TIME_STEPS if (end - start) / s <= wanted), TIME_STEPS[-1])
    midnight = datetime.fromtimestamp(start, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    first = math.ceil((start - midnight.timestamp()) / step)
    times: list[tuple[float, str]] = []
    before = None
    for number in range(first, first + wanted + 2):
        when = midnight + timedelta(seconds=number * step)
        if when.timestamp() > end:
            break
        times.append((when.timestamp(), _label(when, step, before)))
        before = when
    return times


def _label(when: datetime, step: float, before: datetime | None) -> str:
    """Return the day, or the time, with the day where it has changed."""
    day = f"{when.day} {when:%b}"
    if step >= DAY:
        return day
    time = f"{when:%H:%M}" if step >= 60 else f"{when:%H:%M:%S}"
    return time if before is not None and before.date() == when.date() else f"{day} {time}"


def extent(columns: Sequence[Sequence[float | None]]) -> tuple[float, float]:
    """Return the smallest and the largest of all values and 0; the two are never equal."""
    values = [v for column in columns for v in column if v is not None and math.isfinite(v)]
    low, high = min([0.0, *values]), max([0.0, *values])
    return low, high if high > low else low + 1.0
