"""The open campaigns: a bounded number; the least recently used give way to others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from floorline.service.host.campaigns import ClosedCampaign, HostedCampaign
from floorline.service.host.errors import Unavailable


class CampaignPool:
    """At most `max_open` open campaigns, and the last status of those that were closed."""

    def __init__(self, max_open: int, on_close: Callable[[str], Awaitable[None]]) -> None:
        """Start with none; `on_close` is called after each campaign that is closed."""
        self.max_open = max_open
        self._on_close = on_close
        self.closed: dict[str, ClosedCampaign] = {}
        self._open: dict[str, HostedCampaign] = {}  # the least recently used first
        self._slots = 0  # campaigns that are open, being opened or being closed
        self._room = asyncio.Lock()
        self._closing: dict[str, asyncio.Future[None]] = {}

    def get(self, name: str) -> HostedCampaign | None:
        """Return an open campaign, and mark it as used."""
        campaign = self._open.pop(name, None)
        if campaign is not None:
            self._open[name] = campaign
        return campaign

    def all(self) -> list[HostedCampaign]:
        """Return all open campaigns."""
        return list(self._open.values())

    async def add(
        self, name: str, open_campaign: Callable[[], Awaitable[HostedCampaign]]
    ) -> HostedCampaign:
        """Open and return a campaign, and close another one if there are too many.

        Raises:
            Unavailable: all of them are in use.
        """
        await self.wait_if_closing(name)
        async with self._room:
            while self._slots >= self.max_open:
                await self._close_least_recently_used()
            self._slots += 1
        try:
            self._open[name] = await open_campaign()
        except BaseException:
            self._slots -= 1
            raise
        self.closed.pop(name, None)
        return self._open[name]

    async def _close_least_recently_used(self) -> None:
        idle = next((name for name, campaign in self._open.items() if campaign.is_idle), None)
        if idle is None:
            raise Unavailable(
                f"{self.max_open} campaigns are in use, which is all that the limit on open files "
                "allows; raise it (ulimit -n, LimitNOFILE)"
            )
        await self._close(idle)

    async def _close(self, name: str) -> None:
        campaign = self._open.pop(name)
        closing = self._closing[name] = asyncio.get_running_loop().create_future()
        try:
            self.closed[name] = await campaign.close()
        finally:
            await self._on_close(name)
            self._slots -= 1
            del self._closing[name]
            closing.set_result(None)

    async def wait_if_closing(self, name: str) -> None:
        """Wait until a campaign that is being closed is closed."""
        if name in self._closing:
            await asyncio.shield(self._closing[name])

    async def hand_over(self, name: str) -> None:
        """Close a campaign for another server, which will know more about it."""
        if name in self._open:
            await self._close(name)
        await self.wait_if_closing(name)  # by somebody else
        self.closed.pop(name, None)

    async def close(self) -> None:
        """Close all campaigns."""
        for name in list(self._open):
            await self._close(name)
