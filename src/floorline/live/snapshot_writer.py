"""Snapshots of a campaign under way: when one is due, and how a large one is written."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from floorline.live import snapshot
from floorline.live.errors import LedgerError
from floorline.live.ledgers import Ledger
from floorline.live.ledgers.reader import Snapshot
from floorline.live.state import State

log = logging.getLogger("floorline.live")

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
        self._next = 0
        self.reset()

    def reset(self) -> None:
        """Start again from what is durable."""
        self._last = next(iter(self._ledger.snapshots()), 0)
        """The sequence number of the latest snapshot; 0 if there is none."""
        self._next = max(self._next, self._last + SNAPSHOT_EVERY)
        """The sequence number before which no snapshot is due."""
        self._encoding: Future[bytes] | None = None
        self._encoding_seq = 0

    def write(self, state: State) -> None:
        """Store the state, unless it was stored since the last event and there are no points."""
        points = self.points()
        if state.seq > self._last or points is not None:
            self._encoding = None
            self._ledger.save_snapshot(state.seq, snapshot.to_json(state), points)
            self._note_stored(state.seq)

    def write_if_due(self, state: State) -> None:
        """Store the state if a snapshot is due, at the end of a transaction.

        A large snapshot is stored some transactions later, once a thread has encoded it. One that
        fails is tried again after SNAPSHOT_EVERY events: decisions do not need it.

        Raises:
            LedgerError: the ledger failed, so that the transaction is lost.
        """
        encoding = self._encoding
        is_time = state.seq >= self._next if encoding is None else encoding.done()
        if not is_time:
            return
        try:
            if encoding is not None:
                self._ledger.add_snapshot(self._encoding_seq, encoding.result())
                self._encoding = None
                self._note_stored(self._encoding_seq)
            elif state.seq - self._last < 2 * len(state.open):
                return
            elif len(state.open) < LARGE:
                self.write(state)
            else:
                self._start_encoding(state)
        except Exception as error:
            self._encoding = None
            self._next = state.seq + SNAPSHOT_EVERY
            if isinstance(error, LedgerError) or self._ledger.failed:
                raise
            log.exception("a snapshot is missing")

    def _note_stored(self, seq: int) -> None:
        self._last, self._next = seq, seq + SNAPSHOT_EVERY

    def _start_encoding(self, state: State) -> None:
        check = self._ledger.check(state.seq)
        assert check is not None  # the ledger has every event of the state
        finish, points = snapshot.capture(state), self.points()
        thread = ThreadPoolExecutor(1, "snapshot")
        self._encoding = thread.submit(lambda: Snapshot(check, finish(), points).encode())
        self._encoding_seq = state.seq
        thread.shutdown(wait=False)
