"""Threads in which an asynchronous client makes its requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .forks import start_over_after_fork
from .messages import ServiceError

T = TypeVar("T")


class Threads:
    """Threads that make the requests."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.start_over()
        start_over_after_fork(self)

    def start_over(self) -> None:
        """Begin again without threads."""
        self._executor = ThreadPoolExecutor(self._count, "floorline")

    def run(self, call: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
        """Return an awaitable for the result of a call in one of the threads.

        Raises:
            ServiceError: the system gives no thread now, or they have been closed.
        """
        try:
            return asyncio.get_running_loop().run_in_executor(self._executor, call, *arguments)
        except RuntimeError as error:
            raise ServiceError("unreachable", str(error)) from None

    def close(self) -> None:
        """End each thread after its call."""
        self._executor.shutdown(wait=False)
