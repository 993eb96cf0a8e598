"""What the service accepts: sizes, and requests a second for each key."""

from __future__ import annotations

import time
from collections.abc import Callable

MAX_BODY_BYTES = 64 * 1024
"""In the body of a request."""

MAX_BATCH_BODY_BYTES = 1024 * 1024
"""In the body of a request that carries a batch."""

MAX_BATCH = 1000
"""Decisions or rewards in one request."""

MAX_PAGE = 1000
"""Items in one page of a response."""

BODY_TIMEOUT_SECONDS = 10.0
"""For a client to send a body."""

MAX_HEADER_BYTES = 16 * 1024
"""In the request line and the headers. Always accepted; twice as many are always refused."""

MAX_HEADERS = 100
"""Headers of one request."""

HEADER_TIMEOUT_SECONDS = 10.0
"""For a client to send all headers of a request, from the connection or their first byte on."""

MAX_CONNECTIONS = 4096
"""Open at a time, however many descriptors there are: each takes memory."""

MAX_CONNECTIONS_PER_ADDRESS = 1024
"""Open at a time. A proxy has one address for all of its clients."""


class RateLimit:
    """Allows each key `rate` requests a second on average, and as many in a burst.

    >>> limit = RateLimit(2.0, clock=lambda: 0.0)
    >>> [limit.wait("key") for _ in range(3)]
    [0.0, 0.0, 0.5]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # tokens, and when they were counted

    def wait(self, key: str) -> float:
        """Count a request and return 0, or return the seconds until one is allowed."""
        now = self._clock()
        capacity = max(1.0, self._rate)
        tokens, then = self._buckets.get(key, (capacity, now))
        tokens = min(capacity, tokens + (now - then) * self._rate)
        allowed = tokens >= 1.0
        self._buckets[key] = (tokens - 1.0 if allowed else tokens, now)
        return 0.0 if allowed else (1.0 - tokens) / self._rate
