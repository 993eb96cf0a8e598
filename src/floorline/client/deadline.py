"""One deadline for all steps of a request."""

from __future__ import annotations

import time


class Deadline:
    """A moment by which something must be done."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the seconds left, always above 0.

        Raises:
            TimeoutError: the deadline has passed.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"{self.seconds:g} seconds are over")
        return left
