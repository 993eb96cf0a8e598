"""Which campaigns a store has: their names, ids and default arms, and which are unavailable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from floorline.live import LedgerError, UnknownTicket
from floorline.live.ledgers import exists
from floorline.live.tickets import campaign_of
from floorline.service.host.campaigns import UnavailableCampaign, opening_of
from floorline.service.host.errors import Unavailable, UnknownCampaign
from floorline.service.host.index import CampaignIndex, IndexEntry
from floorline.service.host.store import CampaignStore

log = logging.getLogger("floorline.service")

UNAVAILABLE_RETRY_AFTER_SECONDS = 60
"""Seconds after which a client should ask an unavailable campaign again."""


class Catalogue:
    """The campaigns of a store, open or not."""

    def __init__(self, store: CampaignStore, index: CampaignIndex) -> None:
        self.unavailable: dict[str, UnavailableCampaign] = {}
        self.is_complete = False
        """Whether every ledger has been examined, or is in the index."""
        self._store = store
        self._index = index
        self._names: set[str] = set()

    def list_store(self) -> None:
        """Take the names from the store and from the index.

        The index also knows campaigns whose ledger is gone: their tickets must not be refused.
        """
        self._names = {*self._store.names(), *self._index.names()}

    async def list_again(self) -> None:
        """Update the names: add campaigns that other servers opened, drop those they deleted."""
        if self._store.is_shared:
            known = set(self._names)  # before the query: what is created meanwhile is not missing
            stored = set(await asyncio.to_thread(self._store.names))
            for name in known - stored:
                self.forget(name)
            self._names |= stored

    def names(self) -> list[str]:
        """Return the names of all campaigns, sorted."""
        return sorted(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def __len__(self) -> int:
        return len(self._names)

    def add(self, entry: IndexEntry) -> None:
        """Add a campaign, or confirm it."""
        self._names.add(entry.name)
        self._index.add(entry)

    async def learn(self, name: str | None, ticket: str | None) -> None:
        """Look for a campaign that another server may have opened since the store was listed."""
        if not self._store.is_shared or (name is None and ticket is None):
            return
        known = name in self._names if name is not None else self._name_of(ticket or "") is not None
        if not known:
            campaign_id = None if ticket is None else campaign_of(ticket)
            for entry in await asyncio.to_thread(self._store.find, name, campaign_id):
                self.add(entry)

    def is_indexed(self, name: str) -> bool:
        """Return whether the id of a campaign is known."""
        return self._index.get(name) is not None

    async def examine(self, name: str) -> bool:
        """Read the opening of a ledger; return whether it holds a campaign that can be opened."""
        try:
            opening = await asyncio.to_thread(opening_of, self._store.locator(name))
            if opening is None:  # its creation was interrupted; it can be created again
                self.forget(name)
                return False
            entry = IndexEntry(name, opening["id"], opening["settings"]["arms"][0])
            self._refuse_copy(entry)
            known = self._index.get(name)
            if known is not None and known.id == entry.id:
                entry = known  # which may name the arm that a finished campaign serves
        except Exception as error:  # the other campaigns must be served
            if self._store.is_shared and not await self._is_stored(name):
                self.forget(name)  # another server has deleted it
                return False
            self.set_unavailable(name, str(error))
            return False
        self.add(entry)
        return True

    def _refuse_copy(self, entry: IndexEntry) -> None:
        """Raise LedgerError if another ledger of the store holds the same campaign."""
        other = self._index.name_of(entry.id)
        if other is None or other == entry.name:
            return
        if exists(self._store.locator(other)):
            raise LedgerError(f"its ledger is a copy of that of campaign {other}")
        self.forget(other)  # the ledger was renamed

    async def _is_stored(self, name: str) -> bool:
        """Return whether a shared store has a campaign, or does not answer."""
        try:
            return name in await asyncio.to_thread(self._store.names)
        except LedgerError:
            return True

    def forget(self, name: str) -> None:
        """Forget a campaign that is no longer there."""
        self._names.discard(name)
        self.unavailable.pop(name, None)
        if self.is_indexed(name):
            self._index.remove(name)

    def set_unavailable(self, name: str, why: str) -> None:
        """Note that a campaign cannot be used; log it if it is new."""
        before = self.unavailable.get(name)
        if before is None or before.why != why:
            log.error("campaign unavailable", extra={"campaign": name, "why": why})
        opening, entry = self._store.salvage(name), self._index.get(name)
        self.unavailable[name] = UnavailableCampaign(name, opening, why, entry)

    def set_available(self, name: str) -> None:
        """Note that a campaign can be used; log it if it could not before."""
        if self.unavailable.pop(name, None) is not None:
            log.info("campaign available again", extra={"campaign": name})

    def error(self, name: str) -> UnknownCampaign | Unavailable:
        """Return the error that says why a campaign cannot be used."""
        campaign = self.unavailable.get(name)
        if campaign is None:
            return UnknownCampaign(name)
        return Unavailable(f"campaign {name}: {campaign.why}", UNAVAILABLE_RETRY_AFTER_SECONDS)

    def without_slot(self, name: str, why: str) -> UnavailableCampaign:
        """Return a campaign as one that cannot be opened now, since too many are open."""
        return UnavailableCampaign(name, None, why, self._index.get(name))

    def default_arm(self, path: Mapping[str, str]) -> str | None:
        """Return the default arm of the campaign or ticket that a path names, if known."""
        name = path.get("name", path.get("key")) or self._name_of(path.get("ticket", ""))
        if name is None:
            return None
        known = self.unavailable.get(name) or self._index.get(name)
        return None if known is None else known.default_arm

    def name_of_ticket(self, ticket: str) -> str:
        """Return the name of the campaign of a ticket.

        Raises:
            UnknownTicket: it belongs to no campaign.
            Unavailable: the ids of some campaigns are not known, and it may belong to one of them.
        """
        name = self._name_of(ticket)
        if name is not None:
            return name
        if not self.is_complete or any(one.id is None for one in self.unavailable.values()):
            why = f"ticket {ticket}: may belong to a campaign that is unavailable"
            raise Unavailable(why, UNAVAILABLE_RETRY_AFTER_SECONDS)
        raise UnknownTicket(f"ticket {ticket}: there is no such decision")

    def _name_of(self, ticket: str) -> str | None:
        campaign_id = campaign_of(ticket)
        name = self._index.name_of(campaign_id)
        if name is None:
            names = (one.name for one in self.unavailable.values() if one.id == campaign_id)
            return next(names, None)
        return name
