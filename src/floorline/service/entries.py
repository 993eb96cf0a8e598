"""One campaign that the service serves, or cannot serve now."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Semaphore
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event

from floorline.live import Campaign, CampaignSettings
from floorline.live.ledgers import salvage_opening
from floorline.service.feed import Feed
from floorline.service.series import Track, points_of
from floorline.service.writer import Writer

log = logging.getLogger("floorline.service")

Watch = Callable[[int, float], None]


class Entry:
    """One campaign. What is asked of it goes through `writer`."""

    def __init__(self, name: str, path: Path, campaign: Campaign, watch: Watch) -> None:
        self.name = name
        self.path = str(path)
        self.id = campaign.id
        self.settings = campaign.settings
        self.default_arm = campaign.settings.arms[0]
        self.track = Track()
        self.writer = Writer(campaign, self._settle, watch)
        self.feed = Feed(self.writer, campaign)
        self._campaign = campaign

    def _settle(self, durable: bool) -> None:
        """Look at what a group has done, in the writer's thread."""
        self.track.settle(durable)
        self.feed.notice(self._campaign.seq)

    async def rebuild(self, last: int, closing: Event, replays: Semaphore) -> None:
        """Make the track of what happened up to a place in the ledger."""
        try:
            async with replays:
                points = await asyncio.to_thread(points_of, self.path, last, closing)
            await self.writer.submit(lambda _: self.track.add(points))
        except Exception as error:  # decisions do not need it
            log.warning("no series", extra={"campaign": self.name, "why": str(error)})


class Broken:
    """A campaign whose ledger cannot be used."""

    def __init__(self, name: str, path: Path, why: str) -> None:
        self.name = name
        self.why = why
        self.settings: CampaignSettings | None = None
        self.id: str | None = None
        opened = salvage_opening(str(path))
        if opened is not None:
            # There may be so much damage that not even its beginning makes sense.
            with suppress(ValueError, KeyError, TypeError):
                self.settings = CampaignSettings.from_json(opened["settings"])
                self.id = opened["id"]

    @property
    def default_arm(self) -> str | None:
        """The default arm, if it can be read."""
        return None if self.settings is None else self.settings.arms[0]
