"""Group commit: the pending requests of a campaign are committed in one transaction."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from floorline.live import Campaign, DamagedLedger, LedgerError
from floorline.live.errors import OpenElsewhere
from floorline.service.host.errors import Unavailable
from floorline.service.host.pending import MAX_GROUP, PendingOperation, PendingOperations

T = TypeVar("T")

log = logging.getLogger("floorline.service")

DAMAGE_RETRY_AFTER_SECONDS = 60
"""Seconds after which a client should ask a campaign with a damaged ledger again."""

FAILURE_PAUSE_SECONDS = 1.0
"""How long requests are refused after the ledger has failed."""

SMALL_GROUP = 64
"""If fewer requests wait for the next group, they wait a little longer: clients that were just
answered often ask again at once, and one group takes much less time than two."""

GATHERING_SHARE = 0.25
"""How much longer, as a share of the time that the previous group took."""

MAX_GATHERING_SECONDS = 0.002
"""The longest such wait, however slow the disk is. Timers have whole milliseconds."""


class CommitQueue:
    """Runs the operations of one campaign in its own thread, group by group.

    Single operations are run in order, and so are batches; single ones come first.
    """

    def __init__(
        self,
        campaign: Campaign,
        after_group: Callable[[bool], None],
        on_commit: Callable[[int, float], None],
    ) -> None:
        """Start with an empty queue.

        Args:
            campaign: the campaign. Nobody else may use it.
            after_group: called after each group, with whether it was committed.
            on_commit: called with the size of each committed group and the seconds that it took.
        """
        self._campaign = campaign
        self._after_group = after_group
        self._on_commit = on_commit
        self._pending = PendingOperations()
        self._thread = ThreadPoolExecutor(1, "commit-queue")
        self._loop = asyncio.get_running_loop()
        self._drained: asyncio.Future[None] | None = None
        """Done once no operation is left; None if there is none."""
        self._paused_until = 0.0
        self._gathering_seconds = 0.0
        self._is_closed = False
        self.failure: str | None = None
        """Why the last group failed; None once one is committed."""
        self.damage: str | None = None
        """The damage found in the ledger, which is then no longer served."""
        self.is_taken_over = False
        """Whether another process has taken over the ledger, so that this one must give it up."""

    def submit(
        self, run: Callable[[Campaign], T], weight: int = 1, keys: Sequence[str | None] = ()
    ) -> asyncio.Future[T]:
        """Return the result of `run`, once everything that it recorded is committed.

        Args:
            run: the operation.
            weight: how many decisions or rewards it has; more than 1 make it a batch.
            keys: the request keys of its decisions, if any.

        Raises:
            Unavailable: the queue is full, or the ledger has just failed.
        """
        if self.damage is not None:
            raise Unavailable(self.damage, DAMAGE_RETRY_AFTER_SECONDS)
        if self._is_closed:
            raise Unavailable("the campaign is being closed")
        if not self._pending.has_room(weight):
            raise Unavailable("too many requests are pending for this campaign")
        if self._paused_until and time.monotonic() < self._paused_until:
            raise Unavailable(self.failure or "the ledger has just failed")
        future: asyncio.Future[T] = self._loop.create_future()
        given = [key for key in keys if key is not None]
        self._pending.add(PendingOperation(run, weight, future, given))
        if self._drained is None:
            self._drained = self._loop.create_future()
            self._start_soon()
        return future

    @property
    def is_idle(self) -> bool:
        """Whether no operation is pending or running, and no damage was found."""
        return self._drained is None and self.damage is None

    def _start_soon(self, seen: int = 0) -> None:
        """Start the next group once a turn of the event loop brings no more operations than `seen`.

        The thread and the loop share the interpreter. Requests that have arrived are answered no
        later if they are read first, and together they take less time.
        """
        self._loop.call_soon(self._start_if_quiet, seen)

    def _start_if_quiet(self, seen: int) -> None:
        pending = len(self._pending)
        if seen < pending < MAX_GROUP:
            self._start_soon(pending)
        else:
            self._start_group()

    def _start_group(self) -> None:
        """Have the thread run the next operations, if there are any."""
        if self._pending:
            self._thread.submit(self._run_and_answer, self._pending.next_group())
        elif self._drained is not None:
            self._drained.set_result(None)
            self._drained = None

    def _run_and_answer(self, group: list[PendingOperation]) -> None:
        """Run a group, in the thread."""
        started = time.perf_counter()
        results: list[tuple[Any, Exception | None]]
        results = [(None, Unavailable("the operation was interrupted"))] * len(group)
        try:
            results = self._run_group(group)
        finally:  # whatever was raised, or the queue would stall for good
            seconds = GATHERING_SHARE * (time.perf_counter() - started)
            self._gathering_seconds = min(round(seconds, 3), MAX_GATHERING_SECONDS)
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._answer, group, results)

    def _answer(
        self, group: list[PendingOperation], results: list[tuple[Any, Exception | None]]
    ) -> None:
        """Hand out the results, and start the next group."""
        try:
            for operation, (result, error) in zip(group, results, strict=True):
                if operation.future.done():  # its client has disconnected
                    continue
                if isinstance(error, StopIteration):  # which a future cannot hold
                    error = RuntimeError("an operation raised StopIteration")
                if error is not None:
                    operation.future.set_exception(error)
                else:
                    operation.future.set_result(result)
        finally:  # whatever was raised, or the queue would stall for good
            if self._pending:
                # Two turns later the responses are written, and those answered can ask again.
                self._loop.call_soon(self._loop.call_soon, self._gather)
            else:
                self._start_group()  # so that the queue is idle at once

    def _gather(self) -> None:
        """Start the next group soon, or a little later if it would be small."""
        pending = self._pending
        is_small = len(pending) < SMALL_GROUP and not pending.batches_fill_a_group
        if is_small and self._gathering_seconds:
            self._loop.call_later(self._gathering_seconds, self._start_if_quiet, 0)
        else:
            self._start_soon()

    def _run_group(self, group: list[PendingOperation]) -> list[tuple[Any, Exception | None]]:
        """Return the result or error of each operation; all fail if the transaction does."""
        started = time.perf_counter()
        results: list[tuple[Any, Exception | None]] = []
        try:
            with self._campaign.transaction():
                keys = [key for operation in group for key in operation.keys]
                if keys:
                    self._campaign.look_up_keys(keys)
                for operation in group:
                    try:
                        results.append((operation.run(self._campaign), None))
                    except Exception as error:  # one failed operation must not fail the others
                        self.notice_damage(error)
                        results.append((None, error))
        except Exception as error:
            self.notice_damage(error)
            self._notify(False, len(group), started)
            self.failure = str(error)
            log.error(
                "transaction rolled back", extra={"requests": len(group), "why": self.failure}
            )
            self.is_taken_over = isinstance(error, OpenElsewhere)
            if isinstance(error, LedgerError):
                self._paused_until = time.monotonic() + FAILURE_PAUSE_SECONDS
            return [(None, error)] * len(group)
        self.failure, self._paused_until = None, 0.0
        self._notify(True, len(group), started)
        return results

    def notice_damage(self, error: Exception) -> None:
        """Stop serving if an error shows damage: what is added to the ledger would be lost.

        The ledger must be restored from a backup, which ends with the last event before the copy.
        """
        if isinstance(error, DamagedLedger) and self.damage is None:
            self.damage = str(error)
            log.error("ledger damaged", extra={"why": self.damage})

    def _notify(self, committed: bool, size: int, started: float) -> None:
        """Notify observers; their errors never affect a response."""
        try:
            self._after_group(committed)
            if committed:
                self._on_commit(size, time.perf_counter() - started)
        except Exception:
            log.exception("an observer of the commit queue failed")

    async def close(self) -> None:
        """Finish the pending operations, then close the campaign."""
        self._is_closed = True
        if self._drained is not None:
            await asyncio.shield(self._drained)
        await self._loop.run_in_executor(self._thread, self._campaign.close)
        self._thread.shutdown()
