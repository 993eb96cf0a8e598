"""The database's time, which decides windows wherever a campaign is served."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import LiteralString

from floorline.live.clock import SteadyClock, seconds_since_boot
from floorline.live.errors import LedgerError

TIME: LiteralString = "SELECT extract(epoch FROM clock_timestamp())::double precision"

READ_SECONDS = 10.0
"""Seconds between readings of the database's clock."""


class DatabaseTime:
    """The time of a database; between readings, this machine's timer counts."""

    def __init__(self, read: Callable[[], float]) -> None:
        """Read the time; `read` returns the result of `TIME`, or raises LedgerError."""
        self._read = read
        self._read_at = float("-inf")
        self._offset = 0.0
        self._read_clock()

    def __call__(self) -> float:
        """Return the time in seconds since 1970."""
        if seconds_since_boot() - self._read_at >= READ_SECONDS:
            with suppress(LedgerError):  # a lost session; the next statement reports it
                self._read_clock()
        return seconds_since_boot() + self._offset

    def _read_clock(self) -> None:
        before = seconds_since_boot()
        shown = self._read()
        self._read_at = seconds_since_boot()
        self._offset = shown - (before + self._read_at) / 2


def database_clock(read: Callable[[], float]) -> SteadyClock:
    """Return a clock that shows the time of a database, with implausible steps held back."""
    return SteadyClock(DatabaseTime(read))
