"""One campaign of the data folder: hosted, or unavailable."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Semaphore
from collections.abc import Callable
from contextlib import suppress
from threading import Event

from floorline.live import Campaign, CampaignSettings
from floorline.live.ledgers import salvage_opening
from floorline.service.host.commit_queue import CommitQueue
from floorline.service.host.feed import Feed
from floorline.service.host.series import SeriesRecorder, replay_points

log = logging.getLogger("floorline.service")

OnCommit = Callable[[int, float], None]
"""Called with the size of a committed group and the seconds that it took."""


class HostedCampaign:
    """An open campaign. Everything asked of it goes through `queue`."""

    def __init__(self, name: str, locator: str, campaign: Campaign, on_commit: OnCommit) -> None:
        self.name = name
        self.locator = locator
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
                points = await asyncio.to_thread(replay_points, self.locator, last, closing)
            await self.queue.submit(lambda _: self.series.add(points))
        except Exception as error:  # decisions do not need the series
            log.warning("no series", extra={"campaign": self.name, "why": str(error)})


class UnavailableCampaign:
    """A campaign whose ledger cannot be used."""

    def __init__(self, name: str, locator: str, why: str) -> None:
        self.name = name
        self.why = why
        self.settings: CampaignSettings | None = None
        self.id: str | None = None
        opening = salvage_opening(locator)
        if opening is not None:
            with suppress(ValueError, KeyError, TypeError):  # the damage may reach this far
                self.settings = CampaignSettings.from_json(opening["settings"])
                self.id = opening["id"]

    @property
    def default_arm(self) -> str | None:
        """The default arm, if it can be read."""
        return None if self.settings is None else self.settings.arms[0]
