"""What the service accepts: sizes, and requests a second for each key."""

from __future__ import annotations

import time
from collections.abc import Callable

MAX_BODY = 64 * 1024
"""Bytes in the body of a request."""

MAX_BATCH_BODY = 1024 * 1024
"""Bytes in the body of a request that carries many."""

MAX_BATCH = 1000
"""Decisions or rewards in one request."""

MAX_PAGE = 1000
"""Entries in one page of an answer."""

MAX_QUEUE = 10_000
"""Operations that wait for one campaign's ledger."""

BODY_SECONDS = 10.0
"""How long a client may take to send a body."""


class RateLimit:
    """Lets each key make `rate` requests a second on average, and as many at once.

    >>> limit = RateLimit(2.0, clock=lambda: 0.0)
    >>> [limit.wait("key") for _ in range(3)]
    [0.0, 0.0, 0.5]
    """

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # tokens, and when that was so

    def wait(self, key: str) -> float:
        """Seconds until the key may ask again: 0 if it may now, which counts as a request."""
        now = self._clock()
        full = max(1.0, self._rate)
        tokens, then = self._buckets.get(key, (full, now))
        tokens = min(full, tokens + (now - then) * self._rate)
        allowed = tokens >= 1.0
        self._buckets[key] = (tokens - 1.0 if allowed else tokens, now)
        return 0.0 if allowed else (1.0 - tokens) / self._rate
