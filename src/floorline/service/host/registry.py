"""The campaigns that a service serves: found, opened when they are needed, and created.

If there are no more campaigns than may be open at a time, all are opened at the start.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from contextlib import suppress
from typing import Any

from floorline.live import Campaign, CampaignSettings
from floorline.live.deletion import delete, refuse_unless_ended
from floorline.live.errors import OpenElsewhere
from floorline.service.host.campaigns import (
    ClosedCampaign,
    HostedCampaign,
    OnCommit,
    UnavailableCampaign,
)
from floorline.service.host.catalogue import Catalogue
from floorline.service.host.errors import CampaignExists, Unavailable, UnknownCampaign
from floorline.service.host.index import CampaignIndex
from floorline.service.host.owners import OwnedElsewhere, Owners
from floorline.service.host.pool import CampaignPool
from floorline.service.host.store import CampaignStore

RETRY_SECONDS = 5.0
"""The least seconds between two attempts to open an unavailable campaign."""

OPENING_ATTEMPTS = 2
"""A campaign that is open elsewhere may have been given up when the owners are looked up."""


class Registry:
    """All campaigns of a store."""

    def __init__(
        self,
        store: CampaignStore,
        index: CampaignIndex,
        on_commit: OnCommit,
        max_open: int,
        owners: Owners,
    ) -> None:
        self.catalogue = Catalogue(store, index)
        self.pool = CampaignPool(max_open, owners.released)
        self.owners = owners
        self.replays = asyncio.Semaphore(1)
        """One replay at a time: each takes CPU time from decisions."""
        self._store = store
        self._up_since = store.clock()
        self._on_commit = on_commit
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._creating = asyncio.Lock()
        self._stopping = asyncio.Event()
        self._background: list[asyncio.Task[None]] = []
        self._rebuilds: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Open or list the campaigns; a damaged one does not affect the others."""
        await self.owners.start(self._owned, self.pool.hand_over)
        await asyncio.to_thread(self.catalogue.list_store)
        if len(self.catalogue) <= self.pool.max_open:
            for name in self.catalogue.names():
                with suppress(Unavailable, UnknownCampaign, OwnedElsewhere):
                    self.owners.route(name)
                    await self._open(name)
            self.catalogue.is_complete = True
        else:
            self._background.append(asyncio.create_task(self._index_all()))
        self._background.append(asyncio.create_task(self._retry()))

    def _owned(self) -> list[str]:
        return [campaign.name for campaign in self.pool.all()]

    async def _index_all(self) -> None:
        """Examine the ledgers of the campaigns that are not in the index yet."""
        for name in self.catalogue.names():
            if self._stopping.is_set():
                return
            if not self.catalogue.is_indexed(name):
                async with self._locks[name]:
                    await self.catalogue.examine(name)
        self.catalogue.is_complete = True

    async def _open(self, name: str) -> HostedCampaign:
        """Return the campaign, opened unless it has been meanwhile.

        Raises:
            UnknownCampaign: its ledger is empty.
            Unavailable: it cannot be opened, or too many are in use.
        """
        async with self._locks[name]:
            campaign = self.pool.get(name)
            if campaign is not None:
                return campaign
            if name not in self.catalogue:  # deleted just now
                raise UnknownCampaign(name)
            if await self.catalogue.examine(name):
                try:
                    campaign = await self._add(name)
                except (Unavailable, OwnedElsewhere):  # which say nothing about this campaign
                    raise
                except Exception as error:
                    self.catalogue.set_unavailable(name, str(error))
        if campaign is None:
            raise self.catalogue.error(name)
        await self.owners.claimed(name)
        self.catalogue.set_available(name)
        self.catalogue.add(campaign.index_entry)
        if not campaign.series_is_complete:
            task = asyncio.create_task(campaign.complete_series(self.replays))
            self._rebuilds.add(task)
            task.add_done_callback(self._rebuilds.discard)
        return campaign

    async def _add(self, name: str, **settings: Any) -> HostedCampaign:
        """Open or create a campaign, and return it.

        Raises:
            OwnedElsewhere: another server has it.
            Unavailable: it is changing hands, or too many are in use.
        """
        for _ in range(OPENING_ATTEMPTS):
            with suppress(OpenElsewhere):
                return await self.pool.add(name, lambda: self._host(name, **settings))
            await self.owners.refresh()
            self.owners.route(name)  # raises, unless its owner has just closed it, or is dead
        raise Unavailable(f"campaign {name}: is being taken over from another process")

    async def _host(self, name: str, **settings: Any) -> HostedCampaign:
        locator = self._store.locator(name)
        # Nobody could report rewards while the service was down, the campaign unavailable or
        # without an owner, or its ledger failing.
        closed = self.pool.closed.get(name)
        was_failing = closed is not None and closed.was_failing
        down_since = await self.owners.unserved_since(name)
        available = not (name in self.catalogue.unavailable or was_failing or down_since)

        def open_campaign() -> Campaign:
            up_since = self._up_since if available else math.inf  # until it is open
            return Campaign.open(locator, down_since=down_since, up_since=up_since, **settings)

        campaign = await asyncio.to_thread(open_campaign)
        hosted = HostedCampaign(name, locator, campaign, self._on_commit)
        await asyncio.to_thread(hosted.load_series)
        return hosted

    async def _retry(self) -> None:
        """Keep trying to open unavailable campaigns: the disk may have been full."""
        took = 0.0
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), max(RETRY_SECONDS, 10 * took))
                return
            started = time.monotonic()
            for name in list(self.catalogue.unavailable):
                with suppress(Unavailable, UnknownCampaign, OwnedElsewhere):
                    self.owners.route(name)
                    await self._open(name)
            took = time.monotonic() - started  # a damaged ledger may take long to read

    async def create(self, name: str, settings: dict[str, Any]) -> tuple[HostedCampaign, bool]:
        """Return a campaign with these settings, and whether it is new.

        Raises:
            CampaignExists: it exists with other settings.
            ValueError: a setting is not allowed.
            LedgerError: it cannot be written.
            Unavailable: too many campaigns are in use.
            OwnedElsewhere: another server has it.
        """
        async with self._creating:
            await self.catalogue.learn(name, None)
            if name in self.catalogue:
                existing = await self.get(name)
                try:
                    await existing.queue.submit(lambda campaign: campaign.refuse_others(settings))
                except ValueError as error:
                    raise CampaignExists(f"campaign {name}: exists; {error}") from None
                return existing, False
            CampaignSettings.from_json(settings)  # raise before there is a file
            hosted = await self._add(name, **settings)
            await self.owners.claimed(name)
            self.catalogue.add(hosted.index_entry)
            return hosted, True

    async def delete(self, name: str) -> None:
        """Delete a campaign that has ended, with its ledger.

        Raises:
            Conflict: it is neither finished nor stopped.
            LedgerError: it cannot be deleted.
        """
        async with self._creating:
            campaign = await self.get(name)
            refuse_unless_ended(await campaign.queue.submit(lambda campaign: campaign.serves))
            async with self._locks[name]:
                await campaign.feed.end()
                await self.pool.hand_over(name)
                await asyncio.to_thread(delete, campaign.locator)
                self.catalogue.forget(name)

    async def get(self, name: str) -> HostedCampaign:
        """Return a campaign; open it if it is not open.

        Raises:
            UnknownCampaign: there is none of this name.
            Unavailable: its ledger cannot be used, or too many campaigns are in use.
            OwnedElsewhere: another server has it.
        """
        campaign = self.pool.get(name)
        if campaign is not None and not campaign.queue.is_taken_over:
            return campaign
        if campaign is not None:
            await self.pool.hand_over(name)
        await self.pool.wait_if_closing(name)
        if name in self.catalogue:
            self.owners.route(name)
        if name not in self.catalogue or name in self.catalogue.unavailable:
            raise self.catalogue.error(name)
        return await self._open(name)

    async def of_ticket(self, ticket: str) -> HostedCampaign:
        """Return the campaign of a ticket.

        Raises:
            UnknownTicket: it belongs to no campaign.
            Unavailable: the ledger of its campaign, or one that may be it, cannot be used.
        """
        return await self.get(self.catalogue.name_of_ticket(ticket))

    async def find(self, name: str) -> HostedCampaign | UnavailableCampaign:
        """Return a campaign, available or not.

        Raises:
            UnknownCampaign: there is none of this name.
        """
        try:
            return await self.get(name)
        except Unavailable as error:
            known = self.catalogue.unavailable.get(name)
            return known or self.catalogue.without_slot(name, str(error))

    async def last_known(self, name: str) -> HostedCampaign | UnavailableCampaign | ClosedCampaign:
        """Return a campaign, without reopening a closed one."""
        return self.pool.closed.get(name) or await self.find(name)

    async def end_feeds(self) -> None:
        """End all live streams."""
        for campaign in self.pool.all():
            await campaign.feed.end()

    async def close(self) -> None:
        """Finish the pending work and close the ledgers."""
        self._stopping.set()
        await asyncio.gather(*self._background)
        rebuilds = list(self._rebuilds)
        for task in rebuilds:
            task.cancel()
        await asyncio.gather(*rebuilds, return_exceptions=True)
        await self.pool.close()
        await self.owners.stop()
