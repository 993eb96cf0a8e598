"""How things happen to a campaign: in the ledger first, then in the state, in groups."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from itertools import islice
from types import TracebackType
from typing import Any

from floorline.live import snapshot
from floorline.live.errors import LedgerError
from floorline.live.events import Event
from floorline.live.ledger import Ledger
from floorline.live.replay import load
from floorline.live.state import State

SNAPSHOT_EVERY = 50_000
"""Events between snapshots, or twice the open decisions where those are more."""


MOST_EXPIRED = 1000
"""Windows that end in one group; more would keep it waiting."""


class Writer:
    """A ledger and the state that it leads to, kept in step.

    What happens inside `with writer:` becomes durable together, at the end. If the ledger
    fails, nothing inside has happened, and LedgerError is raised.
    """

    def __init__(self, ledger: Ledger, state: State, clock: Callable[[], float]) -> None:
        self.ledger = ledger
        self.state = state
        self._clock = clock
        self._mutex = threading.RLock()
        self._depth = 0
        self.groups = 0
        """Groups that are under way, one inside the other."""
        self._stale = False
        self._snapshot_at = next(iter(ledger.snapshots()), 0)

    def __enter__(self) -> Writer:
        self._mutex.acquire()
        self._depth += 1
        if self._depth > 1 and not self.groups:
            self._leave_unended()
        if self._depth == 1:
            try:
                self._begin()
            except BaseException:
                self._depth = 0
                self._mutex.release()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        try:
            if self._depth == 1:
                self._end(interrupted=kind is not None and not issubclass(kind, Exception))
        finally:
            self._depth -= 1
            self._mutex.release()

    def _leave_unended(self) -> None:
        """Leave what an interrupt kept from ending; nothing of it has happened."""
        while self._depth > 1:
            self._depth -= 1
            self._mutex.release()
        self._stale = True

    def _begin(self) -> None:
        if self._stale or self.ledger.failed or self.ledger.in_group:
            self._go_back()
        self.ledger.begin()
        try:
            self._expire()
        except BaseException:
            self._stale = True  # what has begun must not be gone on with
            raise

    def _expire(self) -> None:
        for seq in list(islice(self.state.due(self.now()), MOST_EXPIRED)):
            self.happen("expired", ticket=seq)

    def _end(self, *, interrupted: bool) -> None:
        if interrupted and (self._stale or self.ledger.failed):  # the interrupt says it all
            self._go_back()
            return
        try:
            self._refuse_if_stale()
            self._save_snapshot_if_due()
            self.ledger.commit()
        except BaseException:
            self._go_back()
            raise

    def _refuse_if_stale(self) -> None:
        """Raise LedgerError if something broke off in the middle: the group is then lost."""
        if self._stale or self.ledger.failed:
            raise LedgerError(f"{self.ledger.path}: could not be written to; nothing happened")

    def _go_back(self) -> None:
        """Go back to what is durable."""
        self._stale = True  # until all of it is done
        self.ledger.roll_back()
        self.state = load(self.ledger)
        self._stale = False

    def _save_snapshot_if_due(self) -> None:
        state = self.state
        if state.seq - self._snapshot_at >= max(SNAPSHOT_EVERY, 2 * len(state.open)):
            self.ledger.save_snapshot(state.seq, snapshot.to_json(state))
            self._snapshot_at = state.seq

    def now(self) -> float:
        """The time of what happens now."""
        now, last = float(self._clock()), self.state.time
        return now if last < now < math.inf else last  # never back, whatever the clock does

    def happen(
        self, kind: str, ticket: int | None = None, key: str | None = None,
        body: dict[str, Any] | None = None,
    ) -> Event:  # fmt: skip
        """Let something happen, now."""
        self._refuse_if_stale()
        state = self.state
        event = Event(state.seq + 1, self.now(), kind, ticket, key, body or {})
        self._stale = True  # unless both of these are done
        self.ledger.append(event)
        state.apply(event)
        self._stale = False
        return event

    def close(self) -> None:
        """Close the ledger, once nobody is writing."""
        with self._mutex:
            self.ledger.close()


class Group:
    """What happens inside becomes durable together, though parts have a `with writer:` each."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def __enter__(self) -> None:
        self._writer.__enter__()
        self._writer.groups += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._writer.groups -= 1
        self._writer.__exit__(kind, error, trace)
