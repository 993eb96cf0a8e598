"""A live stream of where a campaign stands: server-sent events, at most one a second.

The ledger is not asked. A change wakes the feed, and one look at the state serves all who watch.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import suppress

import msgspec

from floorline.live import Campaign
from floorline.service.answers import Update
from floorline.service.calls import Call, Stream
from floorline.service.problems import problem_of, unavailable
from floorline.service.series import Point, series_of
from floorline.service.writer import Writer

MAX_LISTENERS = 50
"""Those who may watch one campaign at a time."""

PAUSE = 1.0
"""Seconds between two updates, at least."""

HEARTBEAT = 15.0
"""Seconds between two updates, at most."""


class Feed:
    """Tells those who watch a campaign where it stands, whenever something has happened."""

    def __init__(self, writer: Writer, campaign: Campaign) -> None:
        self.listeners = 0
        self._writer = writer
        self._settings = campaign.settings
        self._loop = asyncio.get_running_loop()
        self._seq = campaign.seq
        self._changed = asyncio.Event()
        self._news = asyncio.Condition()
        self._count = 0
        self._latest = b""
        self._ended = False
        self._task: asyncio.Task[None] | None = None

    def notice(self, seq: int) -> None:
        """Note the last event of the ledger, from any thread."""
        if seq != self._seq:
            self._seq = seq
            if self.listeners:
                self._loop.call_soon_threadsafe(self._changed.set)

    async def listen(self) -> AsyncGenerator[bytes, None]:
        """Updates until the service ends, the first within a second.

        One who is slow to read misses some, and always gets the latest.
        """
        if self.listeners >= MAX_LISTENERS:  # many came at once
            return
        self.listeners += 1
        self._changed.set()
        if self._task is None:
            self._task = asyncio.create_task(self._tell())
        try:
            heard = self._count
            while True:
                async with self._news:
                    while self._count == heard and not self._ended:
                        await self._news.wait()
                if self._ended:
                    return
                heard = self._count
                yield self._latest
        finally:
            self.listeners -= 1
            if not self.listeners:
                self._task.cancel()
                self._task = None

    async def _tell(self) -> None:
        """Look at the campaign when it has changed, and now and then."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), HEARTBEAT)
            self._changed.clear()
            update = await self._look()
            self._latest = b"event: update\ndata: " + msgspec.json.encode(update) + b"\n\n"
            self._count += 1
            await self._wake()
            await asyncio.sleep(PAUSE)

    async def _look(self) -> Update:
        try:
            status = await self._writer.submit(Campaign.status)
            return Update(status, series_of([Point(0, time.time(), status)], self._settings))
        except Exception as error:  # the stream goes on
            return Update(None, None, problem_of(error).detail)

    async def _wake(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def end(self) -> None:
        """End all streams."""
        self._ended = True
        await self._wake()


async def live(call: Call) -> Stream:
    """Where a campaign stands, from now on."""
    feed = call.service.registry.get(call.path["name"]).feed
    if feed.listeners >= MAX_LISTENERS:
        raise unavailable(f"{MAX_LISTENERS} watch this campaign already", 30)
    return Stream(feed.listen(), "text/event-stream", {"Cache-Control": "no-store"})
