"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

from floorline.client.answers import Decision, ServiceError
from floorline.client.synchronous import PATIENCE, URL, Client
from floorline.core.checks import whole

T = TypeVar("T")


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
        """Ask nothing yet.

        Args:
            url: where the service is.
            key: an API key, if the service has keys.
            connections: requests that are under way at the same time, at most. The time that
                others wait counts towards their timeout.
            options: those of `Client`.
        """
        self._client = Client(url, key, **options)
        self._threads = ThreadPoolExecutor(whole("connections", connections, 1), "floorline")

    async def decide(
        self, campaign: str, request_key: str | None = None, candidate: str | None = None
    ) -> Decision:
        """Which arm of the campaign to play now, as `Client.decide`."""
        client = self._client
        try:
            async with asyncio.timeout(client.timeout):
                return await self._run(client.decide, campaign, request_key, candidate)
        except TimeoutError:
            late = ServiceError("timeout", f"no answer in {client.timeout:g} seconds")
            return client.stand_in(campaign, late)

    def reward(self, ticket: str | None, value: float) -> bool:
        """Report a reward, in the background, as `Client.reward`. It does not wait."""
        return self._client.reward(ticket, value)

    async def void(self, ticket: str) -> None:
        """Say that a decision reached nobody, as `Client.void`."""
        await self._run(self._client.void, ticket)

    async def flush(self, timeout: float = PATIENCE) -> bool:
        """Wait for the rewards to be sent: whether all are."""
        return await self._run(self._client.flush, timeout)

    async def close(self, timeout: float = PATIENCE) -> None:
        """Send the rewards that wait, if that is possible in time, and close the connections."""
        await asyncio.to_thread(self._client.close, timeout)
        self._threads.shutdown(wait=False)

    def _run(self, do: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, do, *arguments)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        await self.close()
