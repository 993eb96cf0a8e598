"""One campaign of the data folder: hosted, or unavailable."""

from __future__ import annotations

import asyncio
import json
import logging
from asyncio import Semaphore
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import quote

import apsw

from floorline.live import Campaign, Settings
from floorline.service.host.commit_queue import CommitQueue
from floorline.service.host.feed import Feed
from floorline.service.host.series import SeriesRecorder, replay_points

log = logging.getLogger("floorline.service")

OnCommit = Callable[[int, float], None]
"""Called with the size of a committed group and the seconds that it took."""


class HostedCampaign:
    """An open campaign. Everything asked of it goes through `queue`."""

    def __init__(self, name: str, path: Path, campaign: Campaign, on_commit: OnCommit) -> None:
        self.name = name
        self.path = str(path)
        self.id = campaign.id
        self.settings = campaign.settings
        self.default_arm = campaign.settings.arms[0]
        self.series = SeriesRecorder()
        self.queue = CommitQueue(campaign, self._after_group, on_commit)
        self.feed = Feed(self.queue, campaign)
        self._campaign = campaign

    def _after_group(self, committed: bool) -> None:
        """Update series and feed after a group, in the queue's thread."""
        self.series.settle(committed)
        self.feed.notice(self._campaign.seq)

    async def rebuild_series(self, last: int, closing: Event, replays: Semaphore) -> None:
        """Add the points of the events up to sequence number `last`, by a replay."""
        try:
            async with replays:
                points = await asyncio.to_thread(replay_points, self.path, last, closing)
            await self.queue.submit(lambda _: self.series.add(points))
        except Exception as error:  # decisions do not need the series
            log.warning("no series", extra={"campaign": self.name, "why": str(error)})


class UnavailableCampaign:
    """A campaign whose ledger cannot be used."""

    def __init__(self, name: str, path: Path, why: str) -> None:
        self.name = name
        self.why = why
        self.settings: Settings | None = None
        self.id: str | None = None
        # The damage may reach the opening event itself.
        with suppress(apsw.Error, ValueError, KeyError, TypeError):
            opening = _opening(path)
            self.settings = Settings.from_json(opening["settings"])
            self.id = opening["id"]

    @property
    def default_arm(self) -> str | None:
        """The default arm, if it can be read."""
        return None if self.settings is None else self.settings.arms[0]


def _opening(path: Path) -> dict[str, Any]:
    """The body of the opening event, read without creating files beside the ledger.

    SQLite's own files cannot be created on a disk that is full or read-only.
    """
    address = f"file:{quote(str(path.absolute()))}?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(address, flags=flags)) as db:
        ((body,),) = db.execute("SELECT body FROM events WHERE seq = 1").fetchall()
    return dict(json.loads(str(body)))
