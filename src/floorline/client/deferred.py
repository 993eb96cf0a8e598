"""Rewards that the service has refused for a reason that may pass, such as an unknown ticket."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator

from .reward import Reward

RETENTION_SECONDS = 24 * 3600.0
"""How long such a reward is retried: long enough to repair a service that does not know its tickets
because it cannot read a ledger."""

BACKOFF = (1.0, 600.0)
"""Seconds before it is sent again: at least, and at most."""


class DeferredRewards:
    """Rewards by the time of their next attempt, with waits that double."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, Reward]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[Reward]:
        return (reward for _, reward in self._heap)

    def add(self, reward: Reward) -> bool:
        """Add a reward that was refused just now; False if it has been deferred long enough."""
        age = time.time() - (reward.deferred_since or 0.0)
        if age >= RETENTION_SECONDS:
            return False
        wait = min(max(age, BACKOFF[0]), BACKOFF[1])  # as long as until now: doubles each time
        heapq.heappush(self._heap, (time.monotonic() + wait, reward))
        return True

    def seconds_to_next(self) -> float | None:
        """Return the seconds until a reward is due; None if there is none."""
        return max(0.0, self._heap[0][0] - time.monotonic()) if self._heap else None

    def take_due(self) -> Iterator[Reward]:
        """Remove and return the rewards that are due."""
        while self._heap and self._heap[0][0] <= time.monotonic():
            yield heapq.heappop(self._heap)[1]

    def take_all(self) -> list[Reward]:
        """Remove and return all rewards."""
        rewards = list(self)
        self._heap.clear()
        return rewards

    def take_oldest(self) -> Reward:
        """Remove and return the reward deferred first."""
        oldest = min(self._heap, key=lambda item: item[1].deferred_since or 0.0)
        self._heap.remove(oldest)
        heapq.heapify(self._heap)
        return oldest[1]
