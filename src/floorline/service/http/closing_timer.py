"""When a connection without a request to answer is closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from floorline.service.http import limits


class ClosingTimer:
    """Calls a function once a connection has waited long enough.

    A connection has one timer of the event loop, which is seldom set: it is not reset for each
    request, but looks when it is due whether the connection should be closed then or later.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, close: Callable[[], None]) -> None:
        self.closes_at: float | None = None
        """When the connection is closed; None while a request is being answered."""
        self.is_for_headers = False
        """Whether that is the deadline for headers."""
        self._loop = loop
        self._close = close
        self._handle: asyncio.TimerHandle | None = None
        self._due_at = 0.0

    def expect_headers(self) -> None:
        """Close the connection soon, unless the headers of a request are complete by then."""
        if not self.is_for_headers:
            self.is_for_headers = True
            self.close_in(limits.HEADER_TIMEOUT_SECONDS)

    def close_in(self, seconds: float) -> None:
        """Close the connection after some time, unless there is a request to answer by then."""
        at = self.closes_at = self._loop.time() + seconds
        if self._handle is None or self._due_at > at:
            self._set(at)

    def cancel(self) -> None:
        """Never close the connection: it is closed already."""
        self.closes_at = None
        if self._handle is not None:
            self._handle.cancel()

    def _set(self, at: float) -> None:
        if self._handle is not None:
            self._handle.cancel()
        self._due_at = at
        self._handle = self._loop.call_at(at, self._check)

    def _check(self) -> None:
        """Close the connection if it is time."""
        self._handle = None
        if self.closes_at is None:
            return
        if self.closes_at > self._due_at:
            self._set(self.closes_at)
        else:
            self._close()
