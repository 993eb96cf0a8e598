"""The campaigns that the service serves, by name and by the ids in their tickets."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from threading import Event
from typing import Any

from floorline.live import Campaign, CampaignSettings
from floorline.live.ledgers import read_ledger
from floorline.live.tickets import campaign_of
from floorline.service.entries import Broken, Entry, Watch
from floorline.service.folder import Folder
from floorline.service.problems import Problem, unavailable

log = logging.getLogger("floorline.service")

RETRY = 5.0
"""Seconds after which a campaign that could not be opened is tried again, at least."""


class Registry:
    """All campaigns of a data folder."""

    def __init__(self, folder: Folder, watch: Watch) -> None:
        self.folder = folder
        self._watch = watch
        self._by_name: dict[str, Entry | Broken] = {}
        self._by_id: dict[str, Entry | Broken] = {}
        self._opening = asyncio.Lock()
        self._rebuilding: set[asyncio.Task[None]] = set()
        self._closing = Event()
        self._ending = asyncio.Event()
        self._retrying: asyncio.Task[None] | None = None
        self.replays = asyncio.Semaphore(1)
        """One at a time: each takes the time of a core from those who decide."""

    async def open_all(self) -> None:
        """Open every campaign of the folder; a damaged one does not keep out the others."""
        for name in self.folder.names():
            await self._open_existing(name)
        self._retrying = asyncio.create_task(self._retry())

    async def _open_existing(self, name: str) -> None:
        path = self.folder.ledger(name)
        try:
            if not await asyncio.to_thread(has_begun, str(path)):
                return  # its opening was cut off; it can be opened anew
            campaign = await asyncio.to_thread(Campaign.open, path)
        except Exception as error:  # whatever it is, the others must be served
            self._add(Broken(name, path, str(error)))
            return
        other = self._by_id.get(campaign.id)
        if other is not None and other.name != name:
            await asyncio.to_thread(campaign.close)
            self._add(Broken(name, path, f"its ledger is a copy of that of campaign {other.name}"))
            return
        entry = Entry(name, path, campaign, self._watch)
        self._add(entry)
        task = asyncio.create_task(entry.rebuild(campaign.seq, self._closing, self.replays))
        self._rebuilding.add(task)
        task.add_done_callback(self._rebuilding.discard)

    async def _retry(self) -> None:
        """Try again and again what could not be opened: the disk may have been full."""
        took = 0.0
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), max(RETRY, 10 * took))
                return
            started = time.monotonic()
            for found in self.all():
                if isinstance(found, Broken):
                    await self._open_existing(found.name)
            took = time.monotonic() - started  # a damaged one may be long to read

    def _add(self, entry: Entry | Broken) -> None:
        before = self._by_name.get(entry.name)
        if isinstance(entry, Broken):
            if not isinstance(before, Broken) or before.why != entry.why:
                about = {"campaign": entry.name, "why": entry.why}
                log.error("campaign unavailable", extra=about)
        elif before is not None:
            log.info("campaign available again", extra={"campaign": entry.name})
        self._by_name[entry.name] = entry
        if entry.id is not None:
            known = self._by_id.setdefault(entry.id, entry)
            if known.name == entry.name:
                self._by_id[entry.id] = entry

    async def open(self, name: str, settings: dict[str, Any]) -> tuple[Entry, bool]:
        """A campaign, and whether it is new. One that exists must have these settings.

        Raises:
            Problem: 409 where it exists with others.
            ValueError: a setting is not allowed.
            LedgerError: it cannot be written.
        """
        async with self._opening:
            if name in self._by_name:
                entry = self.get(name)
                try:
                    entry.settings.refuse_others(settings)
                except ValueError as error:
                    raise Problem(409, "exists", f"campaign {name}: exists; {error}") from None
                return entry, False
            CampaignSettings.from_json(settings)  # before there is a file
            path = self.folder.ledger(name)
            campaign = await asyncio.to_thread(lambda: Campaign.open(path, **settings))
            entry = Entry(name, path, campaign, self._watch)
            self._add(entry)
            return entry, True

    def all(self) -> list[Entry | Broken]:
        """The campaigns by name."""
        return [self._by_name[name] for name in sorted(self._by_name)]

    def find(self, name: str) -> Entry | Broken | None:
        """A campaign, available or not."""
        return self._by_name.get(name)

    def get(self, name: str) -> Entry:
        """An available campaign.

        Raises:
            Problem: 404 where there is none, 503 where its ledger cannot be used.
        """
        found = self._by_name.get(name)
        if found is None:
            raise Problem(404, "unknown-campaign", f"there is no campaign {name!r}")
        return _available(found)

    def concerned(self, path: Mapping[str, str]) -> Entry | Broken | None:
        """The campaign that the words of a path speak of, by its name or by a ticket."""
        name = path.get("name", path.get("key"))
        if name is not None:
            return self._by_name.get(name)
        return self._by_id.get(campaign_of(path.get("ticket", "")))

    def of_ticket(self, ticket: str) -> Entry:
        """The campaign of a ticket.

        Raises:
            Problem: 404 where there is none, 503 where its ledger cannot be used.
        """
        found = self._by_id.get(campaign_of(ticket))
        if found is None:
            raise Problem(404, "unknown-ticket", f"ticket {ticket}: there is no such decision")
        return _available(found)

    async def end_feeds(self) -> None:
        """End the streams of those who watch."""
        for entry in self.all():
            if isinstance(entry, Entry):
                await entry.feed.end()

    async def close(self) -> None:
        """Finish all that waits and close the ledgers."""
        self._closing.set()
        self._ending.set()
        if self._retrying is not None:
            await self._retrying
        await asyncio.gather(*self._rebuilding)
        for entry in self.all():
            if isinstance(entry, Entry):
                await entry.writer.close()


def has_begun(path: str) -> bool:
    """Whether a ledger holds a campaign."""
    with closing(read_ledger(path)) as ledger:
        return ledger.event(1) is not None


def _available(found: Entry | Broken) -> Entry:
    if isinstance(found, Broken):
        raise unavailable(f"campaign {found.name}: {found.why}", 60)
    return found
