"""The numbers of a floor's coin."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np

DRAWN = 256
"""Numbers drawn at a time: most of the time of a single draw is the call to the system."""


class Coin:
    """Uniform numbers from [0, 1). One thread at a time."""

    def __init__(self, draw: Callable[[], float]) -> None:
        self._draw = draw
        self.ahead = draw()
        """The next number, drawn ahead: machine code cannot ask for it when it needs it."""

    def random(self) -> float:
        """Return the next number."""
        number, self.ahead = self.ahead, self._draw()
        return number


class SystemNumbers:
    """Uniform numbers from [0, 1) that nobody can predict, drawn by the operating system."""

    def __init__(self) -> None:
        self._drawn: list[float] = []

    def random(self) -> float:
        """Return the next number."""
        if not self._drawn:
            bits = np.frombuffer(os.urandom(8 * DRAWN), np.uint64)
            self._drawn = ((bits >> np.uint64(11)) * 2.0**-53).tolist()
        return self._drawn.pop()
