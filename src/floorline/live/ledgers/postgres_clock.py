"""The database's time, which decides windows wherever a campaign is served."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import LiteralString

import psycopg

from floorline.live.clock import SteadyClock, seconds_since_boot
from floorline.live.ledgers.postgres_connection import Connection, in_plain_words

TIME: LiteralString = "SELECT extract(epoch FROM clock_timestamp())::double precision"

LOOK_AGAIN_SECONDS = 10.0
"""Between two looks at the database's clock."""


class DatabaseTime:
    """The time of a database, by this machine's timer since the last look at it."""

    def __init__(self, connection: Callable[[], Connection]) -> None:
        self._connection = connection
        self._looked_at = float("-inf")
        self._offset = 0.0
        self._look()

    def __call__(self) -> float:
        """Return the time in seconds since 1970."""
        if seconds_since_boot() - self._looked_at >= LOOK_AGAIN_SECONDS:
            with suppress(psycopg.Error):  # a lost session; what is done next tells of it
                self._look()
        return seconds_since_boot() + self._offset

    def _look(self) -> None:
        before = seconds_since_boot()
        ((shown,),) = self._connection().execute(TIME).fetchall()
        self._looked_at = seconds_since_boot()
        self._offset = shown - (before + self._looked_at) / 2


def database_clock(connection: Callable[[], Connection], shown: str) -> SteadyClock:
    """Return a clock that shows the time of a database, with implausible steps held back.

    Raises:
        LedgerError: the time cannot be read; `shown` is what the message calls the database.
    """
    with in_plain_words(shown):
        return SteadyClock(DatabaseTime(connection))
