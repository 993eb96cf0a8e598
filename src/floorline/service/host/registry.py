"""The campaigns of a store, by name and by the campaign id in their tickets.

Campaigns are opened when they are needed. If there are no more of them than may be open at a
time, all are opened at the start.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from floorline.live import Campaign, CampaignSettings, LedgerError, UnknownTicket
from floorline.live.tickets import campaign_of
from floorline.service.host.campaigns import (
    ClosedCampaign,
    HostedCampaign,
    OnCommit,
    UnavailableCampaign,
    opening_of,
)
from floorline.service.host.errors import CampaignExists, Unavailable, UnknownCampaign
from floorline.service.host.index import CampaignIndex, IndexEntry
from floorline.service.host.pool import CampaignPool
from floorline.service.host.store import CampaignStore

log = logging.getLogger("floorline.service")

RETRY_SECONDS = 5.0
"""Between two attempts to open an unavailable campaign, at least."""

UNAVAILABLE_RETRY_AFTER_SECONDS = 60
"""When a client should ask an unavailable campaign again."""


class Registry:
    """All campaigns of a store."""

    def __init__(
        self, store: CampaignStore, index: CampaignIndex, on_commit: OnCommit, max_open: int
    ) -> None:
        self.pool = CampaignPool(max_open)
        self.unavailable: dict[str, UnavailableCampaign] = {}
        self.replays = asyncio.Semaphore(1)
        """One replay at a time: each takes CPU time from decisions."""
        self._store = store
        self._index = index
        self._on_commit = on_commit
        self._names: set[str] = set()
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._creating = asyncio.Lock()
        self._is_indexed = True
        self._stopping = asyncio.Event()
        self._background: list[asyncio.Task[None]] = []
        self._rebuilds: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Open or list the campaigns; a damaged one does not affect the others."""
        # Those whose ledger has gone are known by the index, and their tickets must not be refused.
        self._names = {*await asyncio.to_thread(self._store.names), *self._index.names()}
        if len(self._names) <= self.pool.max_open:
            for name in self.names():
                with suppress(Unavailable, UnknownCampaign):
                    await self._opened(name)
        else:
            self._is_indexed = False
            self._background.append(asyncio.create_task(self._index_all()))
        self._background.append(asyncio.create_task(self._retry()))

    async def _index_all(self) -> None:
        """Index the campaigns that are not in the index yet, by reading their ledgers."""
        for name in self.names():
            if self._stopping.is_set():
                return
            if self._index.get(name) is None and self.pool.get(name) is None:
                async with self._locks[name]:
                    await self._examine(name)
        self._is_indexed = True

    async def _examine(self, name: str) -> bool:
        """Read the opening of a ledger; return whether it holds a campaign that can be opened."""
        locator = self._store.locator(name)
        try:
            opening = await asyncio.to_thread(opening_of, locator)
            if opening is None:  # its creation was interrupted; it can be created again
                self._names.discard(name)
                self.unavailable.pop(name, None)
                return False
            entry = IndexEntry(name, opening["id"], opening["settings"]["arms"][0])
            await self._refuse_copy(entry)
        except Exception as error:  # the other campaigns must be served
            self._set_unavailable(name, str(error))
            return False
        self._index.add(entry)
        return True

    async def _refuse_copy(self, entry: IndexEntry) -> None:
        """Raise LedgerError if another ledger of the store holds the same campaign."""
        other = self._index.name_of(entry.id)
        if other in (None, entry.name):
            return
        try:
            await asyncio.to_thread(opening_of, self._store.locator(other))
        except LedgerError:  # it has gone: the ledger was renamed
            self._index.remove(other)
            self._names.discard(other)
            self.unavailable.pop(other, None)
        else:
            raise LedgerError(f"its ledger is a copy of that of campaign {other}")

    async def _opened(self, name: str) -> HostedCampaign:
        """Open a campaign that is not open.

        Raises:
            UnknownCampaign: its ledger is empty.
            Unavailable: it cannot be opened, or too many are in use.
        """
        async with self._locks[name]:
            campaign = self.pool.get(name)
            if campaign is not None:
                return campaign
            if await self._examine(name):
                try:
                    campaign = await self.pool.add(name, lambda: self._host(name))
                except Unavailable:  # which says nothing about this campaign
                    raise
                except Exception as error:
                    self._set_unavailable(name, str(error))
        if campaign is None:
            raise self._error(name)
        if self.unavailable.pop(name, None) is not None:
            log.info("campaign available again", extra={"campaign": name})
        if not campaign.series_is_complete:
            task = asyncio.create_task(campaign.complete_series(self.replays))
            self._rebuilds.add(task)
            task.add_done_callback(self._rebuilds.discard)
        return campaign

    async def _host(self, name: str, **settings: Any) -> HostedCampaign:
        locator = self._store.locator(name)
        campaign = await asyncio.to_thread(lambda: Campaign.open(locator, **settings))
        hosted = HostedCampaign(name, locator, campaign, self._on_commit)
        await asyncio.to_thread(hosted.load_series)
        return hosted

    def _set_unavailable(self, name: str, why: str) -> None:
        before = self.unavailable.get(name)
        if before is None or before.why != why:
            log.error("campaign unavailable", extra={"campaign": name, "why": why})
        locator, entry = self._store.locator(name), self._index.get(name)
        self.unavailable[name] = UnavailableCampaign(name, locator, why, entry)

    def _error(self, name: str) -> UnknownCampaign | Unavailable:
        """Why a campaign cannot be had."""
        campaign = self.unavailable.get(name)
        if campaign is None:
            return UnknownCampaign(name)
        return Unavailable(f"campaign {name}: {campaign.why}", UNAVAILABLE_RETRY_AFTER_SECONDS)

    async def _retry(self) -> None:
        """Keep trying to open unavailable campaigns: the disk may have been full."""
        took = 0.0
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), max(RETRY_SECONDS, 10 * took))
                return
            started = time.monotonic()
            for name in list(self.unavailable):
                with suppress(Unavailable, UnknownCampaign):
                    await self._opened(name)
            took = time.monotonic() - started  # a damaged ledger may take long to read

    async def create(self, name: str, settings: dict[str, Any]) -> tuple[HostedCampaign, bool]:
        """A campaign with these settings, and whether it is new.

        Raises:
            CampaignExists: it exists with other settings.
            ValueError: a setting is not allowed.
            LedgerError: it cannot be written.
            Unavailable: too many campaigns are in use.
        """
        async with self._creating:
            if name in self._names:
                existing = await self.get(name)
                try:
                    existing.settings.refuse_others(settings)
                except ValueError as error:
                    raise CampaignExists(f"campaign {name}: exists; {error}") from None
                return existing, False
            CampaignSettings.from_json(settings)  # raise before there is a file
            hosted = await self.pool.add(name, lambda: self._host(name, **settings))
            self._names.add(name)
            self._index.add(IndexEntry(name, hosted.id, hosted.default_arm))
            return hosted, True

    def names(self) -> list[str]:
        """The names of all campaigns, sorted."""
        return sorted(self._names)

    async def get(self, name: str) -> HostedCampaign:
        """A campaign, which is opened if it is not open.

        Raises:
            UnknownCampaign: there is none of this name.
            Unavailable: its ledger cannot be used, or too many campaigns are in use.
        """
        campaign = self.pool.get(name)
        if campaign is not None:
            return campaign
        if name not in self._names or name in self.unavailable:
            raise self._error(name)
        return await self._opened(name)

    async def find(self, name: str) -> HostedCampaign | UnavailableCampaign:
        """A campaign, available or not.

        Raises:
            UnknownCampaign: there is none of this name.
        """
        try:
            return await self.get(name)
        except Unavailable as error:
            known = self.unavailable.get(name)
            if known is not None:
                return known
            return UnavailableCampaign(name, None, str(error), self._index.get(name))

    async def last_known(self, name: str) -> HostedCampaign | UnavailableCampaign | ClosedCampaign:
        """A campaign, without opening one that was open before."""
        return self.pool.closed.get(name) or await self.find(name)

    def default_arm(self, path: Mapping[str, str]) -> str | None:
        """The default arm of the campaign that a path names, itself or by a ticket, if known."""
        name = path.get("name", path.get("key")) or self._name_of(path.get("ticket", ""))
        if name is None:
            return None
        known = self.unavailable.get(name) or self._index.get(name)
        return None if known is None else known.default_arm

    def _name_of(self, ticket: str) -> str | None:
        campaign_id = campaign_of(ticket)
        name = self._index.name_of(campaign_id)
        if name is None:
            names = (one.name for one in self.unavailable.values() if one.id == campaign_id)
            return next(names, None)
        return name

    def name_of_ticket(self, ticket: str) -> str:
        """The name of the campaign of a ticket.

        Raises:
            UnknownTicket: it belongs to no campaign.
            Unavailable: the ids of some campaigns are not known, and it may belong to one of them.
        """
        name = self._name_of(ticket)
        if name is not None:
            return name
        if not self._is_indexed or any(one.id is None for one in self.unavailable.values()):
            why = f"ticket {ticket}: may belong to a campaign that is unavailable"
            raise Unavailable(why, UNAVAILABLE_RETRY_AFTER_SECONDS)
        raise UnknownTicket(f"ticket {ticket}: there is no such decision")

    async def of_ticket(self, ticket: str) -> HostedCampaign:
        """The campaign of a ticket.

        Raises:
            UnknownTicket: it belongs to no campaign.
            Unavailable: the ledger of its campaign, or one that may be it, cannot be used.
        """
        return await self.get(self.name_of_ticket(ticket))

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
