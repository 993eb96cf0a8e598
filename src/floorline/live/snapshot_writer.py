"""Snapshots of a campaign under way: when one is due, and how a large one is written."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from floorline.live import snapshot
from floorline.live.ledgers import Ledger
from floorline.live.ledgers.reader import Snapshot
from floorline.live.state import State

SNAPSHOT_EVERY = 50_000
"""Events between snapshots, or twice the open decisions where those are more."""

LARGE = 5_000
"""From this many open decisions on, a snapshot is encoded in a thread: decisions would otherwise
wait, about 1.5 milliseconds for every thousand of them."""


class SnapshotWriter:
    """Writes snapshots into a ledger; each call but `reset` belongs to a transaction."""

    def __init__(self, ledger: Ledger) -> None:
        self.points: Callable[[], Any] = lambda: None
        """Returns what is stored with each snapshot, as plain JSON values."""
        self._ledger = ledger
        self.reset()

    def reset(self) -> None:
        """Start again from what is durable."""
        self._last = next(iter(self._ledger.snapshots()), 0)
        """The sequence number of the latest snapshot; 0 if there is none."""
        self._encoding: Future[bytes] | None = None
        self._encoding_seq = 0

    def write(self, state: State) -> None:
        """Store the state, unless it was stored since the last event and there are no points."""
        points = self.points()
        if state.seq > self._last or points is not None:
            self._encoding = None
            self._ledger.save_snapshot(state.seq, snapshot.to_json(state), points)
            self._last = state.seq

    def write_if_due(self, state: State) -> None:
        """Store the state if a snapshot is due, at the end of a transaction.

        A large snapshot is stored some transactions later, once a thread has encoded it.
        """
        if self._encoding is None:
            events = state.seq - self._last
            if events >= SNAPSHOT_EVERY and events >= 2 * len(state.open):
                if len(state.open) < LARGE:
                    self.write(state)
                else:
                    self._start_encoding(state)
        elif self._encoding.done():
            encoded, self._encoding = self._encoding.result(), None
            self._ledger.add_snapshot(self._encoding_seq, encoded)
            self._last = self._encoding_seq

    def _start_encoding(self, state: State) -> None:
        check = self._ledger.check(state.seq)
        assert check is not None  # the ledger has every event of the state
        finish, points = snapshot.capture(state), self.points()
        thread = ThreadPoolExecutor(1, "snapshot")
        self._encoding = thread.submit(lambda: Snapshot(check, finish(), points).encode())
        self._encoding_seq = state.seq
        thread.shutdown(wait=False)
