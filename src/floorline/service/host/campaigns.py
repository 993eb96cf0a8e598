"""One campaign of the store: hosted, closed or unavailable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from floorline.live import Campaign, CampaignSettings, Status, series
from floorline.live.ledgers import read_ledger
from floorline.live.series import SeriesRecorder
from floorline.service.host.commit_queue import CommitQueue
from floorline.service.host.feed import Feed
from floorline.service.host.index import IndexEntry
from floorline.service.host.rebuild import replay_in_child, replay_points

log = logging.getLogger("floorline.service")

OnCommit = Callable[[int, float], None]
"""Called with the size of a committed group and the seconds that it took."""

MAX_EVENTS_AT_OPENING = 10_000
"""Events whose points are computed while a campaign is opened, in about 0.1 seconds."""

MIN_EVENTS_FOR_SNAPSHOT = 1000
"""Events since the last snapshot that make another one worthwhile when a campaign is closed."""


class HostedCampaign:
    """An open campaign. Everything asked of it goes through `queue`."""

    def __init__(self, name: str, locator: str, campaign: Campaign, on_commit: OnCommit) -> None:
        self.name = name
        self.locator = locator
        self.id = campaign.id
        self.series = SeriesRecorder(series.MAX_POINTS)
        self.queue = CommitQueue(campaign, self._after_group, on_commit)
        self.feed = Feed(self.queue, campaign)
        self._campaign = campaign
        self._opened_at = campaign.seq
        self._stored_at = 0
        self._series_is_complete = False
        campaign.keep_points(self._points_to_store)

    @property
    def settings(self) -> CampaignSettings:
        """The campaign's settings, some of which may change."""
        return self._campaign.settings

    @property
    def default_arm(self) -> str:
        """The arm that is the default now."""
        return self.settings.arms[0]

    @property
    def index_entry(self) -> IndexEntry:
        """What the index remembers about it, including the arm to play if it is unavailable."""
        return IndexEntry(self.name, self.id, self._campaign.serves or self.default_arm)

    def _after_group(self, committed: bool) -> None:
        """Update series and feed after a group, in the queue's thread."""
        self.series.settle(committed)
        self.feed.notice(self._campaign.seq)

    def _points_to_store(self) -> Any:
        """Return the points that are stored with a snapshot; None while some are missing."""
        return self.series.to_store() if self._series_is_complete else None

    def load_series(self) -> None:
        """Restore the points that were stored, and add those of the events since, if few.

        Call it in a thread, before the queue is used.
        """
        try:
            stored = self._campaign.stored_points()
            if stored is not None:
                self.series.restore(stored[1], self._campaign.first_arms)
                self._stored_at = stored[0]
            events = self._opened_at - self._stored_at
            if not self.series.is_due(self._opened_at):
                events = 0  # none of them makes a point
            if 0 < events <= MAX_EVENTS_AT_OPENING:
                self.series.add(replay_points(*self._missing_points()))
            self._series_is_complete = events <= MAX_EVENTS_AT_OPENING
        except Exception as error:  # decisions do not need the series
            log.warning("series not available", extra={"campaign": self.name, "why": str(error)})

    @property
    def series_is_complete(self) -> bool:
        """Whether the points of all decisions are there."""
        return self._series_is_complete

    async def complete_series(self, replays: asyncio.Semaphore) -> None:
        """Add the points that `load_series` left out, computed in a child process."""
        try:
            async with replays:
                points = await replay_in_child(*self._missing_points())
            await self.queue.submit(lambda _: self.series.add(points))
            self._series_is_complete = True
        except Exception as error:
            log.warning("series not available", extra={"campaign": self.name, "why": str(error)})

    def _missing_points(self) -> tuple[str, int, int, int]:
        return self.locator, self._stored_at, self._opened_at, self.series.max_points

    @property
    def is_failing(self) -> bool:
        """Whether its ledger is damaged, or the last transaction failed."""
        return self.queue.damage is not None or self.queue.failure is not None

    @property
    def is_idle(self) -> bool:
        """Whether it can be closed without harm: nobody waits for it or watches it."""
        return self.queue.is_idle and not self.feed.listeners and self._series_is_complete

    async def close(self) -> ClosedCampaign:
        """Finish pending operations, store a snapshot if worthwhile, and return what was closed."""
        status = None
        try:
            if self._campaign.seq - self._stored_at >= MIN_EVENTS_FOR_SNAPSHOT:
                await self.queue.submit(Campaign.save_snapshot)
            status = await self.queue.submit(Campaign.status)
        except Exception as error:  # the ledger is complete without a snapshot
            log.warning("snapshot not saved", extra={"campaign": self.name, "why": str(error)})
        await self.queue.close()
        return ClosedCampaign(self.name, self.settings, self.default_arm, status, self.is_failing)


@dataclass(frozen=True)
class ClosedCampaign:
    """A campaign that was open, and will be opened again when it is needed."""

    name: str
    settings: CampaignSettings
    default_arm: str
    status: Status | None
    """When it was closed."""
    was_failing: bool
    """Whether its ledger was failing when it was closed: nobody could report rewards since."""


class UnavailableCampaign:
    """A campaign whose ledger cannot be used."""

    def __init__(
        self,
        name: str,
        opening: dict[str, Any] | None,
        why: str,
        entry: IndexEntry | None = None,
    ) -> None:
        """Take the settings from what was salvaged; the index entry has the rest."""
        self.name = name
        self.why = why
        self.settings: CampaignSettings | None = None
        self.id = None if entry is None else entry.id
        self.default_arm = None if entry is None else entry.default_arm
        if opening is not None:
            with suppress(ValueError, KeyError, TypeError):  # the damage may reach this far
                self.settings = CampaignSettings.from_ledger(opening["settings"])
                self.id = opening["id"]
                self.default_arm = self.default_arm or self.settings.arms[0]


def opening_of(locator: str) -> dict[str, Any] | None:
    """Return the body of a ledger's first event; None if the ledger is empty.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    with closing(read_ledger(locator)) as ledger:
        first = ledger.event(1) or ledger.opening()  # which raises if there are other events
        return None if first is None else first.body
