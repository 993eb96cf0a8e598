"""Group commit: what many requests ask of one campaign becomes durable together."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from floorline.live import Campaign, LedgerError
from floorline.service.limits import MAX_QUEUE
from floorline.service.problems import unavailable

T = TypeVar("T")

log = logging.getLogger("floorline.service")

MAX_GROUP = 256
"""Operations that become durable together."""

REST = 1.0
"""Seconds after a failure of the ledger in which it is not tried again."""


class Work(NamedTuple):
    """Something that a request waits for."""

    do: Callable[[Campaign], Any]
    weight: int
    future: asyncio.Future[Any]


class Writer:
    """Does one campaign's work in order, in a thread of its own, a group at a time."""

    def __init__(
        self, campaign: Campaign, after: Callable[[bool], None], watch: Callable[[int, float], None]
    ) -> None:
        """Begin without work.

        Args:
            campaign: whose work it does. No one else may use it.
            after: called after each group, with whether it is durable.
            watch: called with the size of each group and the seconds that it took.
        """
        self._campaign = campaign
        self._after = after
        self._watch = watch
        self._queue: deque[Work] = deque()
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, "writer")
        self._task: asyncio.Task[None] | None = None
        self._rest_until = 0.0
        self.failure: str | None = None
        """Why the last group failed, until one does not."""

    def submit(self, do: Callable[[Campaign], T], weight: int = 1) -> asyncio.Future[T]:
        """What `do` gives, once it is durable with all that it did.

        Raises:
            Problem: 503 if too much is waiting, or the ledger has just failed.
        """
        if self._waiting >= MAX_QUEUE:
            raise unavailable("too many requests wait for this campaign")
        if self._rest_until and time.monotonic() < self._rest_until:
            raise unavailable(self.failure or "the ledger has just failed")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.append(Work(do, weight, future))
        self._waiting += weight
        if self._task is None:
            self._task = asyncio.create_task(self._drain())
        return future

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._queue:
                group = self._next_group()
                results = await loop.run_in_executor(self._thread, self._do, group)
                for work, (result, error) in zip(group, results, strict=True):
                    if work.future.done():  # its client has gone
                        continue
                    if error is not None:
                        work.future.set_exception(error)
                    else:
                        work.future.set_result(result)
        finally:
            self._task = None  # else nothing would ever be done again

    def _next_group(self) -> list[Work]:
        group, size = [], 0
        while self._queue and size < MAX_GROUP:
            work = self._queue.popleft()
            group.append(work)
            size += work.weight
        self._waiting -= size
        return group

    def _do(self, group: list[Work]) -> list[tuple[Any, Exception | None]]:
        """What became of each of the group; all of it failed if the ledger did."""
        started = time.perf_counter()
        results: list[tuple[Any, Exception | None]] = []
        try:
            with self._campaign.transaction():
                for work in group:
                    try:
                        results.append((work.do(self._campaign), None))
                    except Exception as error:  # whatever it is, the others go on
                        results.append((None, error))
        except Exception as error:
            self._tell(False, len(group), started)
            self.failure = str(error)
            log.error("nothing of a group of requests has happened",
                      extra={"requests": len(group), "why": self.failure})  # fmt: skip
            if isinstance(error, LedgerError):
                self._rest_until = time.monotonic() + REST
            return [(None, error)] * len(group)
        self.failure, self._rest_until = None, 0.0
        self._tell(True, len(group), started)
        return results

    def _tell(self, durable: bool, size: int, started: float) -> None:
        """Tell those who look on; what goes wrong with them changes no answer."""
        try:
            self._after(durable)
            if durable:
                self._watch(size, time.perf_counter() - started)
        except Exception:
            log.exception("a group of requests could not be looked at")

    async def close(self) -> None:
        """Finish what is waiting, then close the campaign."""
        if self._task is not None:
            await self._task
        await asyncio.get_running_loop().run_in_executor(self._thread, self._campaign.close)
        self._thread.shutdown()
