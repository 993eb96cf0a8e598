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

SPARE_ITEMS = 1000
"""A heap is rebuilt once it has this many more items of taken than of deferred rewards."""


class DeferredRewards:
    """Rewards by the time of their next attempt, with waits that double."""

    def __init__(self) -> None:
        self._rewards: dict[int, Reward] = {}
        """By number. The heaps may still hold numbers of rewards already taken."""
        self._added = 0
        self._by_due: list[tuple[float, int]] = []
        self._by_age: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._rewards)

    def __iter__(self) -> Iterator[Reward]:
        return iter(self._rewards.values())

    def add(self, reward: Reward) -> bool:
        """Add a reward that was refused just now; False if it has been deferred long enough."""
        since = reward.deferred_since or 0.0
        age = time.time() - since
        if age >= RETENTION_SECONDS:
            return False
        wait = min(max(age, BACKOFF[0]), BACKOFF[1])  # as long as until now: doubles each time
        self._added += 1
        self._rewards[self._added] = reward
        self._push(self._by_due, time.monotonic() + wait)
        self._push(self._by_age, since)
        return True

    def seconds_to_next(self) -> float | None:
        """Return the seconds until a reward is due; None if there is none."""
        first = self._first(self._by_due)
        return None if first is None else max(0.0, first - time.monotonic())

    def take_due(self) -> Iterator[Reward]:
        """Remove and return the rewards that are due."""
        while (first := self._first(self._by_due)) is not None and first <= time.monotonic():
            yield self._take_first(self._by_due)

    def take_all(self) -> list[Reward]:
        """Remove and return all rewards."""
        rewards = list(self)
        self._rewards.clear()
        return rewards

    def take_oldest(self) -> Reward:
        """Remove and return the reward deferred first."""
        self._first(self._by_age)
        return self._take_first(self._by_age)

    def _push(self, heap: list[tuple[float, int]], time: float) -> None:
        """Add the newest reward to a heap, at this time."""
        heapq.heappush(heap, (time, self._added))
        if len(heap) > 2 * len(self._rewards) + SPARE_ITEMS:
            heap[:] = [item for item in heap if item[1] in self._rewards]
            heapq.heapify(heap)

    def _first(self, heap: list[tuple[float, int]]) -> float | None:
        """Return the earliest time in a heap, or None; drop numbers of rewards already taken."""
        while heap and heap[0][1] not in self._rewards:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def _take_first(self, heap: list[tuple[float, int]]) -> Reward:
        return self._rewards.pop(heapq.heappop(heap)[1])
