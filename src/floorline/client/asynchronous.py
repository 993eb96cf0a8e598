"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .async_campaigns import AsyncCampaignAdmin
from .checks import checked_timeout, positive_int
from .messages import Decision, RewardReceipt, ServiceError
from .synchronous import FLUSH_TIMEOUT, URL, Client, TicketReward
from .threads import Threads


class AsyncClient:
    """The same client, awaited. Threads make its requests, at a third of the CPU of httpx2.

    >>> async def ask() -> str:
    ...     async with AsyncClient("http://127.0.0.1:9", defaults={"page": "current"}) as client:
    ...         return (await client.decide("page")).arm
    >>> asyncio.run(ask())
    'current'
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
        """Return a decision: which arm of the campaign to play now, like `Client.decide`."""
        client = self._client
        try:
            async with asyncio.timeout(client.timeout):
                return await self._threads.run(
                    client.decide, campaign, request_key, candidate, context, chances
                )
        except TimeoutError:
            return client.fallback_decision(campaign, _late(client.timeout))
        except ServiceError as error:
            return client.fallback_decision(campaign, error)

    async def decide_many(
        self,
        campaign: str,
        request_keys: Sequence[str | None],
        candidates: Sequence[str | None] | None = None,
        timeout: float | None = None,
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> list[Decision]:
        """Return one decision for each of `request_keys`, like `Client.decide_many`."""
        client = self._client
        limit = client.timeout if timeout is None else checked_timeout(timeout)
        call = partial(client.decide_many, campaign, request_keys, candidates, timeout, contexts)
        try:
            async with asyncio.timeout(limit):
                return await self._threads.run(call)
        except TimeoutError:
            return [client.fallback_decision(campaign, _late(limit))] * len(request_keys)
        except ServiceError as error:
            return [client.fallback_decision(campaign, error)] * len(request_keys)

    def reward(
        self, ticket: str | None, value: float, metrics: Mapping[str, float] | None = None
    ) -> bool:
        """Report a reward, in the background, like `Client.reward`. It does not wait."""
        return self._client.reward(ticket, value, metrics)

    async def reward_many(self, rewards: Iterable[TicketReward]) -> list[RewardReceipt]:
        """Report rewards and return a receipt for each, like `Client.reward_many`."""
        return await self._threads.run(self._client.reward_many, rewards)

    async def void(self, ticket: str) -> None:
        """Report that a decision reached nobody, like `Client.void`."""
        await self._threads.run(self._client.void, ticket)

    async def flush(self, timeout: float = FLUSH_TIMEOUT) -> bool:
        """Wait until every reward was accepted or finally refused; False if some are left."""
        return await self._threads.run(self._client.flush, timeout)

    async def close(self, timeout: float = FLUSH_TIMEOUT) -> None:
        """Send queued rewards, as far as the timeout allows, and close the connections."""
        await asyncio.to_thread(self._client.close, timeout)
        self._threads.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _late(seconds: float) -> ServiceError:
    return ServiceError("timeout", f"no response within {seconds:g} seconds")
