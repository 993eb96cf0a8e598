"""The campaigns of a store, by name and by the campaign id in their tickets."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any

from floorline.live import Campaign, CampaignSettings, UnknownTicket
from floorline.live.ledgers import read_ledger
from floorline.live.tickets import campaign_of
from floorline.service.host.campaigns import HostedCampaign, OnCommit, UnavailableCampaign
from floorline.service.host.errors import CampaignExists, Unavailable, UnknownCampaign
from floorline.service.host.store import CampaignStore

log = logging.getLogger("floorline.service")

RETRY_SECONDS = 5.0
"""Between two attempts to open an unavailable campaign, at least."""

UNAVAILABLE_RETRY_AFTER_SECONDS = 60
"""When a client should ask an unavailable campaign again."""


class Registry:
    """All campaigns of a store."""

    def __init__(self, store: CampaignStore, on_commit: OnCommit) -> None:
        self._store = store
        self._on_commit = on_commit
        self._by_name: dict[str, HostedCampaign | UnavailableCampaign] = {}
        self._by_id: dict[str, HostedCampaign | UnavailableCampaign] = {}
        self._creating = asyncio.Lock()
        self._rebuilding: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()
        self._retrying: asyncio.Task[None] | None = None
        self.replays = asyncio.Semaphore(1)
        """One replay at a time: each takes CPU time from decisions."""

    async def open_all(self) -> None:
        """Open every campaign of the store; a damaged one does not affect the others."""
        for name in self._store.names():
            await self._open_existing(name)
        self._retrying = asyncio.create_task(self._retry())

    async def _open_existing(self, name: str) -> None:
        locator = self._store.locator(name)
        try:
            if not await asyncio.to_thread(has_begun, locator):
                return  # its creation was interrupted; it can be created again
            campaign = await asyncio.to_thread(Campaign.open, locator)
        except Exception as error:  # the other campaigns must be served
            self._add(UnavailableCampaign(name, locator, str(error)))
            return
        other = self._by_id.get(campaign.id)
        if other is not None and other.name != name:
            await asyncio.to_thread(campaign.close)
            why = f"its ledger is a copy of that of campaign {other.name}"
            self._add(UnavailableCampaign(name, locator, why))
            return
        hosted = HostedCampaign(name, locator, campaign, self._on_commit)
        await asyncio.to_thread(hosted.load_series)
        self._add(hosted)
        if not hosted.series_is_complete:
            task = asyncio.create_task(hosted.complete_series(self.replays))
            self._rebuilding.add(task)
            task.add_done_callback(self._rebuilding.discard)

    async def _retry(self) -> None:
        """Keep trying to open unavailable campaigns: the disk may have been full."""
        took = 0.0
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), max(RETRY_SECONDS, 10 * took))
                return
            started = time.monotonic()
            for campaign in self.all():
                if isinstance(campaign, UnavailableCampaign):
                    await self._open_existing(campaign.name)
            took = time.monotonic() - started  # a damaged ledger may take long to read

    def _add(self, campaign: HostedCampaign | UnavailableCampaign) -> None:
        before = self._by_name.get(campaign.name)
        if isinstance(campaign, UnavailableCampaign):
            if not isinstance(before, UnavailableCampaign) or before.why != campaign.why:
                about = {"campaign": campaign.name, "why": campaign.why}
                log.error("campaign unavailable", extra=about)
        elif before is not None:
            log.info("campaign available again", extra={"campaign": campaign.name})
        self._by_name[campaign.name] = campaign
        if campaign.id is not None:
            known = self._by_id.setdefault(campaign.id, campaign)
            if known.name == campaign.name:
                self._by_id[campaign.id] = campaign

    async def create(self, name: str, settings: dict[str, Any]) -> tuple[HostedCampaign, bool]:
        """A campaign with these settings, and whether it is new.

        Raises:
            CampaignExists: it exists with other settings.
            ValueError: a setting is not allowed.
            LedgerError: it cannot be written.
        """
        async with self._creating:
            if name in self._by_name:
                existing = self.get(name)
                try:
                    existing.settings.refuse_others(settings)
                except ValueError as error:
                    raise CampaignExists(f"campaign {name}: exists; {error}") from None
                return existing, False
            CampaignSettings.from_json(settings)  # raise before there is a file
            locator = self._store.locator(name)
            campaign = await asyncio.to_thread(lambda: Campaign.open(locator, **settings))
            hosted = HostedCampaign(name, locator, campaign, self._on_commit)
            await asyncio.to_thread(hosted.load_series)
            self._add(hosted)
            return hosted, True

    def all(self) -> list[HostedCampaign | UnavailableCampaign]:
        """All campaigns, sorted by name."""
        return [self._by_name[name] for name in sorted(self._by_name)]

    def find(self, name: str) -> HostedCampaign | UnavailableCampaign:
        """A campaign, available or not.

        Raises:
            UnknownCampaign: there is none of this name.
        """
        campaign = self._by_name.get(name)
        if campaign is None:
            raise UnknownCampaign(name)
        return campaign

    def get(self, name: str) -> HostedCampaign:
        """An available campaign.

        Raises:
            UnknownCampaign: there is none of this name.
            Unavailable: its ledger cannot be used.
        """
        return _available(self.find(name))

    def default_arm(self, path: Mapping[str, str]) -> str | None:
        """The default arm of the campaign that a path names, itself or by a ticket, if known."""
        name = path.get("name", path.get("key"))
        if name is not None:
            campaign = self._by_name.get(name)
        else:
            campaign = self._by_id.get(campaign_of(path.get("ticket", "")))
        return None if campaign is None else campaign.default_arm

    def of_ticket(self, ticket: str) -> HostedCampaign:
        """The campaign of a ticket.

        Raises:
            UnknownTicket: it belongs to no campaign.
            Unavailable: the ledger of its campaign, or one that may be it, cannot be used.
        """
        campaign = self._by_id.get(campaign_of(ticket))
        if campaign is None:
            if any(other.id is None for other in self._by_name.values()):
                why = f"ticket {ticket}: may belong to a campaign that is unavailable"
                raise Unavailable(why, UNAVAILABLE_RETRY_AFTER_SECONDS)
            raise UnknownTicket(f"ticket {ticket}: there is no such decision")
        return _available(campaign)

    async def end_feeds(self) -> None:
        """End all live streams."""
        for campaign in self.all():
            if isinstance(campaign, HostedCampaign):
                await campaign.feed.end()

    async def close(self) -> None:
        """Finish the pending work and close the ledgers."""
        self._stopped.set()
        if self._retrying is not None:
            await self._retrying
        for task in self._rebuilding:
            task.cancel()
        await asyncio.gather(*self._rebuilding, return_exceptions=True)
        for campaign in self.all():
            if isinstance(campaign, HostedCampaign):
                await campaign.close()


def has_begun(locator: str) -> bool:
    """Whether a ledger holds a campaign."""
    with closing(read_ledger(locator)) as ledger:
        return ledger.event(1) is not None


def _available(campaign: HostedCampaign | UnavailableCampaign) -> HostedCampaign:
    if isinstance(campaign, UnavailableCampaign):
        why = f"campaign {campaign.name}: {campaign.why}"
        raise Unavailable(why, UNAVAILABLE_RETRY_AFTER_SECONDS)
    return campaign
