"""The operations that wait for a campaign, and which of them are committed next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from floorline.live import Campaign

MAX_PENDING = 10_000
"""Single operations that may wait for one campaign, and as many items of batches."""

MAX_GROUP = 512
"""Single operations that are committed together."""

BATCH_SHARE = 256
"""Items of batches that are committed together, less the single operations in the group."""

BATCH_PART = 64
"""Rewards of a batch in one operation; a group has at least one such operation if any wait."""


class PendingOperation(NamedTuple):
    """An operation whose caller waits for its result."""

    run: Callable[[Campaign], Any]
    weight: int
    """How many decisions or rewards it has."""
    future: asyncio.Future[Any]
    keys: Sequence[str] = ()
    """The request keys of its decisions, which are looked up together."""


class PendingOperations:
    """Single operations, which go first, and batches, which always have a share.

    A visitor waits for a single decision, while a program that catches up sends batches. With one
    queue for both, decisions would wait for all batches before them, or find the queue full.
    """

    def __init__(self) -> None:
        self._single: deque[PendingOperation] = deque()
        self._batches: deque[PendingOperation] = deque()
        self._batch_weight = 0

    def __len__(self) -> int:
        return len(self._single) + len(self._batches)

    @property
    def batches_fill_a_group(self) -> bool:
        """Whether the waiting batches fill a group's share of batches."""
        return self._batch_weight >= BATCH_SHARE

    def has_room(self, weight: int) -> bool:
        """Return whether an operation of this weight may wait."""
        return (len(self._single) if weight == 1 else self._batch_weight) < MAX_PENDING

    def add(self, operation: PendingOperation) -> None:
        """Add an operation; one that weighs more than 1 is a batch."""
        if operation.weight == 1:
            self._single.append(operation)
        else:
            self._batches.append(operation)
            self._batch_weight += operation.weight

    def next_group(self) -> list[PendingOperation]:
        """Remove and return the operations to be committed next."""
        group = [self._single.popleft() for _ in range(min(len(self._single), MAX_GROUP))]
        share = max(BATCH_PART, BATCH_SHARE - len(group))
        while self._batches and share > 0:
            batch = self._batches.popleft()
            group.append(batch)
            share -= batch.weight
            self._batch_weight -= batch.weight
        return group
