"""Which server owns a campaign: the one that decides for it and writes to its ledger."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from floorline.live import CampaignError

HandOver = Callable[[str], Awaitable[None]]
"""Closes a campaign, so that another server can own it."""


class OwnedElsewhere(CampaignError):  # noqa: N818 (named like Unavailable)
    """Another server owns the campaign; the request belongs there."""

    def __init__(self, name: str, server: str, address: str) -> None:
        super().__init__(f"campaign {name}: is served by {address}")
        self.server = server
        self.address = address


class Owners(Protocol):
    """Who owns what."""

    address: str
    """Where other servers reach this one; set before `start`."""

    async def start(self, owned: Callable[[], list[str]], hand_over: HandOver) -> None:
        """Take part; `owned` returns what this server has open, and `hand_over` gives one up."""

    def route(self, name: str) -> None:
        """Raise OwnedElsewhere unless this server should open the campaign."""

    async def claimed(self, name: str) -> None:
        """Note that this server has opened a campaign."""

    async def released(self, name: str) -> None:
        """Note that this server has closed a campaign."""

    async def unserved_since(self, name: str) -> float | None:
        """Return the last heartbeat of a campaign's owner, unless it gave the campaign up."""

    async def refresh(self) -> None:
        """Read again who owns what."""

    @property
    def speaks_for_service(self) -> bool:
        """Whether this server is the one that sends the alerts of the whole service."""

    async def count_refused(self, here: int) -> int:
        """Return how many requests all servers have refused, `here` of them this one."""

    async def stop(self) -> None:
        """Leave, so that others take over."""


class SoleOwner:
    """The only server of a data folder owns everything in it."""

    address = ""
    speaks_for_service = True

    async def start(self, owned: Callable[[], list[str]], hand_over: HandOver) -> None:
        """Do nothing."""

    def route(self, name: str) -> None:
        """Never raise."""

    async def claimed(self, name: str) -> None:
        """Do nothing."""

    async def released(self, name: str) -> None:
        """Do nothing."""

    async def unserved_since(self, name: str) -> None:
        """Return None."""

    async def refresh(self) -> None:
        """Do nothing."""

    async def count_refused(self, here: int) -> int:
        """Return `here`."""
        return here

    async def stop(self) -> None:
        """Do nothing."""
