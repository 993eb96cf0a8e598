"""The campaigns that the service serves, by name and by the ids in their tickets."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

from floorline.live import Campaign, CampaignError, LedgerError, Settings
from floorline.live.ledger import Ledger
from floorline.service.feed import Feed
from floorline.service.folder import Folder
from floorline.service.problems import Problem, unavailable
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

    async def rebuild(self, last: int, closing: Event) -> None:
        """Make the track of what happened up to a place in the ledger."""
        try:
            points = await asyncio.to_thread(points_of, self.path, last, closing)
            await self.writer.submit(lambda _: self.track.add(points))
        except (CampaignError, Problem) as error:
            log.warning("no series", extra={"campaign": self.name, "why": str(error)})


class Broken:
    """A campaign whose ledger cannot be used."""

    def __init__(self, name: str, path: Path, why: str) -> None:
        self.name = name
        self.why = why
        self.settings: Settings | None = None
        self.id: str | None = None
        try:
            with closing(Ledger(str(path), read_only=True)) as ledger:
                opened = ledger.event(1)
            if opened is not None:
                self.settings = Settings.from_json(opened.body["settings"])
                self.id = opened.body["id"]
        except (LedgerError, ValueError, KeyError, TypeError):
            pass  # so much damage that not even its beginning can be read

    @property
    def default_arm(self) -> str | None:
        """The default arm, if it can be read."""
        return None if self.settings is None else self.settings.arms[0]


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

    async def open_all(self) -> None:
        """Open every campaign of the folder; a damaged one does not keep out the others."""
        for name in self.folder.names():
            path = self.folder.ledger(name)
            try:
                if not await asyncio.to_thread(has_begun, str(path)):
                    continue  # its opening was cut off; it can be opened anew
                campaign = await asyncio.to_thread(Campaign.open, path)
            except Exception as error:  # whatever it is, the others must be served
                log.error("campaign unavailable", extra={"campaign": name, "why": str(error)})
                self._add(Broken(name, path, str(error)))
                continue
            entry = Entry(name, path, campaign, self._watch)
            self._add(entry)
            task = asyncio.create_task(entry.rebuild(campaign.state()["seq"], self._closing))
            self._rebuilding.add(task)
            task.add_done_callback(self._rebuilding.discard)

    def _add(self, entry: Entry | Broken) -> None:
        self._by_name[entry.name] = entry
        if entry.id is not None:
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
            Settings.from_json(settings)  # before there is a file
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

    def of_ticket(self, ticket: str) -> Entry:
        """The campaign of a ticket.

        Raises:
            Problem: 404 where there is none, 503 where its ledger cannot be used.
        """
        found = self._by_id.get(ticket.rpartition("-")[0])
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
        await asyncio.gather(*self._rebuilding)
        for entry in self.all():
            if isinstance(entry, Entry):
                await entry.writer.close()


def has_begun(path: str) -> bool:
    """Whether a ledger holds a campaign."""
    with closing(Ledger(path, read_only=True)) as ledger:
        return ledger.event(1) is not None


def _available(found: Entry | Broken) -> Entry:
    if isinstance(found, Broken):
        raise unavailable(f"campaign {found.name}: {found.why}", 60)
    return found
