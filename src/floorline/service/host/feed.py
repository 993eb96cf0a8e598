"""Live updates of a campaign's status, at most one a second.

A committed change wakes the feed, and one reading of the status serves all listeners.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass

from floorline.live import Campaign, Status
from floorline.service.host.commit_queue import CommitQueue

MAX_LISTENERS = 50
"""Listeners of one campaign at a time."""

MIN_INTERVAL_SECONDS = 1.0
"""Between two updates, at least."""

HEARTBEAT_SECONDS = 15.0
"""Between two updates, at most."""


@dataclass(frozen=True)
class StatusUpdate:
    """The status of a campaign at one moment, or why there is none."""

    time: float
    """That of the campaign; for an error, that of the previous update."""
    status: Status | None
    error: Exception | None = None


class Feed:
    """Sends the status of a campaign to its listeners whenever it has changed."""

    def __init__(self, queue: CommitQueue, campaign: Campaign) -> None:
        self.listeners = 0
        self._queue = queue
        self._loop = asyncio.get_running_loop()
        self._seq = campaign.seq
        self._changed = asyncio.Event()
        self._published = asyncio.Condition()
        self._count = 0
        self._latest = StatusUpdate(0.0, None)
        self._ended = False
        self._task: asyncio.Task[None] | None = None

    def notice(self, seq: int) -> None:
        """Note the sequence number of the last event, from any thread."""
        if seq != self._seq:
            self._seq = seq
            if self.listeners:
                self._loop.call_soon_threadsafe(self._changed.set)

    async def listen(self) -> AsyncGenerator[StatusUpdate, None]:
        """Updates until the service stops, the first within a second.

        A slow reader skips some, and always gets the latest.
        """
        if self.listeners >= MAX_LISTENERS:  # many came at once
            return
        self.listeners += 1
        self._changed.set()
        if self._task is None:
            self._task = asyncio.create_task(self._publish())
        try:
            received = self._count
            while True:
                async with self._published:
                    while self._count == received and not self._ended:
                        await self._published.wait()
                if self._ended:
                    return
                received = self._count
                yield self._latest
        finally:
            self.listeners -= 1
            if not self.listeners:
                self._task.cancel()
                self._task = None

    async def _publish(self) -> None:
        """Read the status when the campaign has changed, and at every heartbeat."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), HEARTBEAT_SECONDS)
            self._changed.clear()
            self._latest = await self._read_status()
            self._count += 1
            await self._wake()
            await asyncio.sleep(MIN_INTERVAL_SECONDS)

    async def _read_status(self) -> StatusUpdate:
        try:
            return await self._queue.submit(_update_of)
        except Exception as error:  # the stream must not end
            return StatusUpdate(self._latest.time, None, error)

    async def _wake(self) -> None:
        async with self._published:
            self._published.notify_all()

    async def end(self) -> None:
        """End all streams."""
        self._ended = True
        await self._wake()


def _update_of(campaign: Campaign) -> StatusUpdate:
    return StatusUpdate(campaign.now(), campaign.status())
