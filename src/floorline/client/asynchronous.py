"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from .campaigns import CampaignAdmin
from .checks import positive, positive_int
from .messages import CampaignView, Decision, RewardReceipt, ServiceError
from .synchronous import FLUSH_TIMEOUT, URL, Client, TicketReward

T = TypeVar("T")


class Threads:
    """Threads that make the requests."""

    def __init__(self, count: int) -> None:
        self._executor = ThreadPoolExecutor(count, "floorline")

    def run(self, call: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
        """The result of a call in one of the threads, to be awaited."""
        return asyncio.get_running_loop().run_in_executor(self._executor, call, *arguments)

    def close(self) -> None:
        """End each thread after its call."""
        self._executor.shutdown(wait=False)


class AsyncClient:
    """The same client, awaited. Threads make its requests, at a third of the CPU of httpx2.

    >>> async def ask() -> str:
    ...     async with AsyncClient("http://127.0.0.1:9", defaults={"page": "now"}) as client:
    ...         return (await client.decide("page")).arm
    >>> asyncio.run(ask())
    'now'
    """

    def __init__(
        self, url: str = URL, key: str | None = None, *, connections: int = 32, **options: Any
    ) -> None:
        """Set up the client.

        Args:
            url: where the service is.
            key: an API key, if the service has keys.
            connections: how many requests are made at the same time. Others wait, which counts
                towards their timeout.
            options: those of `Client`.
        """
        self._client = Client(url, key, **options)
        self._threads = Threads(positive_int("connections", connections))
        self.campaigns = AsyncCampaignAdmin(self._client.campaigns, self._threads)

    async def decide(
        self,
        campaign: str,
        request_key: str | None = None,
        candidate: str | None = None,
        context: Mapping[str, Any] | None = None,
        chances: Mapping[str, float] | None = None,
    ) -> Decision:
        """Decide which arm of the campaign to play now, like `Client.decide`."""
        client = self._client
        try:
            async with asyncio.timeout(client.timeout):
                return await self._threads.run(
                    client.decide, campaign, request_key, candidate, context, chances
                )
        except TimeoutError:
            return client.fallback_decision(campaign, _late(client.timeout))

    async def decide_many(
        self,
        campaign: str,
        request_keys: Sequence[str | None],
        candidates: Sequence[str | None] | None = None,
        timeout: float | None = None,
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> list[Decision]:
        """One decision for each of `request_keys`, like `Client.decide_many`."""
        client = self._client
        limit = client.timeout if timeout is None else positive("timeout", timeout, 3600)
        call = partial(client.decide_many, campaign, request_keys, candidates, timeout, contexts)
        try:
            async with asyncio.timeout(limit):
                return await self._threads.run(call)
        except TimeoutError:
            return [client.fallback_decision(campaign, _late(limit))] * len(request_keys)

    def reward(
        self, ticket: str | None, value: float, metrics: Mapping[str, float] | None = None
    ) -> bool:
        """Report a reward, in the background, like `Client.reward`. It does not wait."""
        return self._client.reward(ticket, value, metrics)

    async def reward_many(self, rewards: Iterable[TicketReward]) -> list[RewardReceipt]:
        """Report rewards, and return what became of each, like `Client.reward_many`."""
        return await self._threads.run(self._client.reward_many, rewards)

    async def void(self, ticket: str) -> None:
        """Report that a decision reached nobody, like `Client.void`."""
        await self._threads.run(self._client.void, ticket)

    async def flush(self, timeout: float = FLUSH_TIMEOUT) -> bool:
        """Wait until every reward was taken or refused for good; False if some are still kept."""
        return await self._threads.run(self._client.flush, timeout)

    async def close(self, timeout: float = FLUSH_TIMEOUT) -> None:
        """Send the rewards that wait, as far as the timeout allows, and close the connections."""
        await asyncio.to_thread(self._client.close, timeout)
        self._threads.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _late(seconds: float) -> ServiceError:
    return ServiceError("timeout", f"no response within {seconds:g} seconds")


class AsyncCampaignAdmin:
    """The campaigns of a service, like `CampaignAdmin`, awaited."""

    def __init__(self, admin: CampaignAdmin, threads: Threads) -> None:
        self._admin = admin
        self._threads = threads

    async def open(
        self, name: str, arms: Sequence[str], max_loss: float, missing: str, **settings: Any
    ) -> CampaignView:
        """Open a campaign, or return the one that was opened with these very settings."""
        call = partial(self._admin.open, name, arms, max_loss, missing, **settings)
        return await self._threads.run(call)

    async def list_all(self) -> list[CampaignView]:
        """All campaigns, by name."""
        return await self._threads.run(self._admin.list_all)

    async def show(self, name: str) -> CampaignView:
        """One campaign."""
        return await self._threads.run(self._admin.show, name)

    async def pause(self, name: str) -> CampaignView:
        """Play the default arm until the campaign is resumed. Rewards are still taken."""
        return await self._threads.run(self._admin.pause, name)

    async def resume(self, name: str) -> CampaignView:
        """Explore again after a pause."""
        return await self._threads.run(self._admin.resume, name)

    async def add_arm(self, name: str, arm: str) -> CampaignView:
        """Add a challenger to a campaign that was opened with `arms_may_change=True`."""
        return await self._threads.run(self._admin.add_arm, name, arm)

    async def retire_arm(self, name: str, arm: str) -> CampaignView:
        """Stop playing a challenger. Rewards for its past decisions are still accepted."""
        return await self._threads.run(self._admin.retire_arm, name, arm)

    async def promote_arm(self, name: str, arm: str) -> CampaignView:
        """Make a challenger the new default; the old default becomes a challenger."""
        return await self._threads.run(self._admin.promote_arm, name, arm)

    async def finish(self, name: str, arm: str) -> CampaignView:
        """Declare a winner, the only arm played from now on. Rewards are still accepted."""
        return await self._threads.run(self._admin.finish, name, arm)

    async def stop(self, name: str, arm: str | None = None) -> CampaignView:
        """End a campaign for good, with the arm to play from then on. Rewards are still taken."""
        return await self._threads.run(self._admin.stop, name, arm)
