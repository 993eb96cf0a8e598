"""Recording events: in the ledger first, then in the state, one transaction at a time."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar, TypeVarTuple, Unpack

from floorline.live.acceleration import accelerate
from floorline.live.clock import clock_problems
from floorline.live.errors import LedgerError
from floorline.live.events import SEALED, VERSION, Event
from floorline.live.ledgers import Ledger
from floorline.live.replay import load
from floorline.live.snapshot_writer import SnapshotWriter
from floorline.live.state import State

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MIN_OUTAGE_SECONDS = 1.0
"""Shorter ones are not worth an event."""

MAX_EXPIRED = 1000
"""Windows that end in one transaction; more would delay it."""


class Recorder:
    """A ledger and the state that its events lead to, kept in step.

    Events are recorded in transactions. If the ledger fails, the whole transaction is rolled
    back and LedgerError is raised. From then until a commit succeeds, windows stand still:
    nobody could report a reward.
    """

    def __init__(
        self, ledger: Ledger, state: State, clock: Callable[[], float], version: int = VERSION
    ) -> None:
        self.ledger = ledger
        self.state = state
        self.seals = version >= SEALED
        """Whether request keys and contexts are sealed, so that they can be erased."""
        self._clock = clock
        self.ahead = 0.0
        """Seconds by which the ledger is ahead of the clock. Its time continues from there."""
        if state.seq > 0:
            ahead = state.time - clock()
            self.ahead = ahead if 0 < ahead < math.inf else 0.0
        self._process = os.getpid()
        self._closed = False
        self._mutex = threading.RLock()
        self._in_transaction = False
        self._uncommitted = False  # the ledger may hold what was neither committed nor rolled back
        self._out_of_step = False  # the ledger and the state may differ
        self.snapshots = SnapshotWriter(ledger)
        self._began_at = state.time  # the last transaction
        self._failing_since: float | None = None  # the first failure since the last commit

    def run(self, operation: Callable[[Unpack[Ts]], T], *arguments: *Ts) -> T:
        """Return what `operation` returns, as a transaction or as a part of the one under way."""
        with self._mutex:
            if self._in_transaction:
                return operation(*arguments)
            try:
                self._begin()
                result = operation(*arguments)
            except BaseException as error:
                self._end(error)
                raise
            else:
                self._end(None)
                return result
            finally:
                self._in_transaction = False

    @contextmanager
    def transaction(self, *, expire: bool = True) -> Iterator[None]:
        """Commit everything recorded inside as one transaction, after windows that have ended.

        An exception in the block is passed on, and what it recorded before is committed: a
        refused request does not affect the others. A block that an interrupt keeps from ending
        is ended when Python discards it.
        """
        with self._mutex:
            if self._in_transaction:
                yield
                return
            try:
                self._begin(expire)
                yield
            except BaseException as error:
                self._end(error)
                raise
            else:
                self._end(None)
            finally:
                self._in_transaction = False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep the state unchanged while it is read. Only windows that have ended are recorded."""
        with self._mutex:
            if not self._in_transaction:
                self._prepare()
                if next(self.state.due(self.now()), None) is not None:
                    self.run(lambda: None)
            yield

    def _begin(self, expire: bool = True) -> None:
        self._prepare()
        self._in_transaction = self._uncommitted = True
        if self.state.settings.window is None:  # nothing expires, whatever the time
            return
        try:
            self._began_at = now = self.now()
            if self._failing_since is not None:
                self._record_outage(self._failing_since, now)
            if expire:
                for seq in list(islice(self.state.due(now), MAX_EXPIRED)):
                    self.record("expired", decision_seq=seq)
        except BaseException:
            self._in_transaction, self._out_of_step = False, True
            raise

    def _prepare(self) -> None:
        """Raise unless the ledger may be used here; discard what an interrupt left uncommitted."""
        ledger = self.ledger
        if self._closed:
            raise LedgerError(f"{ledger.locator}: is closed")
        if os.getpid() != self._process:  # a hook of Python's would miss forks made in C
            raise LedgerError(
                f"{ledger.locator}: is open in the process that this one was forked from; only one "
                "can write to it"
            )
        if self._uncommitted or self._out_of_step or ledger.failed:
            now = self.now()
            try:
                self._roll_back()
            except Exception:
                self._note_failure(now)
                raise

    def _note_failure(self, time: float) -> None:
        if self._failing_since is None:
            self._failing_since = time

    def _end(self, error: BaseException | None) -> None:
        """Commit what was recorded, whether or not the block raised an error."""
        if not self._in_transaction:
            return
        ledger = self.ledger
        try:
            if self._out_of_step or ledger.failed:
                if error is None or isinstance(error, Exception):
                    raise self._lost_transaction()
                self._roll_back()  # and the interrupt is passed on
                return
            self.snapshots.write_if_due(self.state)
            recovers = self._failing_since is not None and ledger.in_transaction
            ledger.commit()
            self._uncommitted = False
            if recovers:
                self._failing_since = None
        except BaseException as failure:
            if isinstance(failure, Exception):
                self._note_failure(self._began_at)
            self._roll_back()
            raise

    def _lost_transaction(self) -> LedgerError:
        """Return the error for a transaction that is lost because part of it failed."""
        return LedgerError(
            f"{self.ledger.locator}: could not be written to; the transaction was rolled back"
        )

    def _roll_back(self) -> None:
        """Return to what is durable."""
        self._out_of_step = True  # until all of it is done
        self.ledger.roll_back()
        self.state = load(self.ledger)
        self.snapshots.reset()
        self._uncommitted = self._out_of_step = False

    def now(self) -> float:
        """Return the time of an event recorded now."""
        now, last = float(self._clock()) + self.ahead, self.state.time
        return now if last < now < math.inf else last  # never back, whatever the clock does

    def clock_problems(self) -> list[str]:
        """Return what is wrong with the time, in sentences."""
        return clock_problems(getattr(self._clock, "step", 0.0), self.ahead)

    def record(
        self,
        kind: str,
        decision_seq: int | None = None,
        key: str | None = None,
        body: dict[str, Any] | None = None,
        time: float | None = None,
    ) -> Event:
        """Record and return an event inside a transaction, at this time; now unless given."""
        ledger, state = self.ledger, self.state
        if self._out_of_step or ledger.failed:
            raise self._lost_transaction()
        if time is None:
            time = self.now()
        event = Event(state.seq + 1, time, kind, decision_seq, key, body or {})
        self._out_of_step = True  # unless both of these are done
        ledger.append(event)
        state.apply(event)
        self._out_of_step = False
        return event

    def accelerate(self) -> None:
        """Continue in machine code if there is any."""
        if self._out_of_step or self.ledger.failed:
            raise self._lost_transaction()
        self._out_of_step = True  # if interrupted, since some records would be in lists still
        accelerate(self.state)
        self._out_of_step = False

    def record_outage(self, since: float | None, until: float) -> None:
        """Record that windows stood still from `since` to `until`, or to now if that is sooner.

        The outage began at the last event if `since` is not given or is earlier. Nothing is
        recorded if it lasted less than MIN_OUTAGE_SECONDS, or if no window is running.
        """
        with self.transaction(expire=False):
            self._record_outage(since or self.state.time, min(until, self.now()))

    def _record_outage(self, since: float, until: float) -> None:
        state = self.state
        # A commit that seemed to fail may have succeeded, with events after `since`.
        seconds = until - max(since, state.time)
        if seconds >= MIN_OUTAGE_SECONDS and state.open and state.settings.window is not None:
            self.record("changed", body={"outage": seconds})

    def set_time_back(self) -> None:
        """Record that time continues from the clock's, in a new epoch unless the campaign ended."""
        with self.transaction(expire=False):
            state = self.state
            body: dict[str, Any] = {"set_back": self.ahead}
            if state.serves is None:
                body["epoch"] = state.epoch + 1
            self.record("changed", body=body, time=float(self._clock()))
        self.ahead = 0.0

    def close(self) -> None:
        """Commit what was recorded and close the ledger, once no other thread is writing."""
        with self._mutex:
            self._end(None)
            self._in_transaction, self._closed = False, True
            self.ledger.close()
