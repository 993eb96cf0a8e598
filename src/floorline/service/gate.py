"""Who may come in: keys and their scopes, how often, and no foreign web pages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from floorline.service.keys import SCOPES, KeyFile
from floorline.service.limits import RateLimit
from floorline.service.problems import Problem

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Gate:
    """Lets a request in or raises a Problem."""

    def __init__(self, keys: KeyFile, rate: float) -> None:
        self._keys = keys
        self._limit = RateLimit(rate)

    @property
    def required(self) -> bool:
        """Whether a key is needed."""
        return self._keys.required

    def scopes(self, authorization: bytes) -> tuple[str, ...]:
        """What may be done with this `Authorization` header."""
        if not self.required:
            return SCOPES
        known = self._keys.find(authorization)
        return () if known is None else known.scopes

    def admit(self, scope: str | None, headers: Mapping[bytes, bytes]) -> None:
        """Let a request in that needs this scope.

        Raises:
            Problem: 401, 403 or 429.
        """
        if scope is None:
            return
        if self.required:
            key = self._keys.check(headers.get(b"authorization", b""), scope)
        else:
            key = ""
            if not is_own_page(headers.get(b"host", b"localhost"), headers.get(b"origin")):
                raise Problem(403, "foreign-page",
                              "without keys, only this machine's own pages may ask")  # fmt: skip
        wait = self._limit.wait(key)
        if wait > 0:
            raise Problem(429, "too-many", "this key makes too many requests",
                          {"Retry-After": str(math.ceil(wait))})  # fmt: skip


@lru_cache(1024)
def is_own_page(host: bytes, origin: bytes | None) -> bool:
    """Whether a request is not made by a foreign web page, through the browser of someone here.

    Such a page has another origin, or was led here by another name than this machine's.

    >>> is_own_page(b"localhost:8400", None), is_own_page(b"localhost:8400", b"https://other.net")
    (True, False)
    """
    try:
        name = urlsplit(f"//{host.decode('latin-1')}").hostname
    except ValueError:
        return False
    if name not in LOOPBACK:
        return False
    return origin is None or origin.partition(b"//")[2] == host
