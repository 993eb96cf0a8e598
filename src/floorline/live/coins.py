"""Random numbers that nobody can predict."""

from __future__ import annotations

import os

import numpy as np

DRAWN = 256
"""Numbers drawn at a time: most of the time of a single draw is the call to the system."""


class SystemCoin:
    """Uniform numbers from [0, 1), drawn by the operating system. One thread at a time."""

    def __init__(self) -> None:
        self._drawn: list[float] = []

    def random(self) -> float:
        """Return the next number."""
        if not self._drawn:
            bits = np.frombuffer(os.urandom(8 * DRAWN), np.uint64)
            self._drawn = ((bits >> np.uint64(11)) * 2.0**-53).tolist()
        return self._drawn.pop()
