"""Who may come in: keys and their scopes, how often, and no foreign web pages."""

from __future__ import annotations

import math
from collections.abc import Mapping
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

    def scopes(self, authorization: bytes) -> tuple[str, ...]:
        """What may be done with this `Authorization` header."""
        if not self._keys.required:
            return SCOPES
        known = self._keys.find(authorization)
        return () if known is None else known.scopes

    def admit(self, scope: str | None, method: str, headers: Mapping[bytes, bytes]) -> None:
        """Let a request in that needs this scope.

        Raises:
            Problem: 401, 403 or 429.
        """
        if scope is None:
            return
        if self._keys.required:
            key = self._keys.check(headers.get(b"authorization", b""), scope)
        else:
            key = ""
            refuse_foreign_pages(headers)
        wait = self._limit.wait(key)
        if wait > 0:
            raise Problem(429, "too-many", "this key makes too many requests",
                          {"Retry-After": str(math.ceil(wait))})  # fmt: skip


def refuse_foreign_pages(headers: Mapping[bytes, bytes]) -> None:
    """Keep web pages of others from using a service without keys through a visitor's browser.

    Raises:
        Problem: 403 where the browser says that the page is of another origin, or was led here
            by another name than that of this machine.
    """
    host = headers.get(b"host", b"localhost").decode("latin-1")
    origin = headers.get(b"origin")
    fits = _hostname(host) in LOOPBACK
    if origin is not None:
        fits = fits and urlsplit(origin.decode("latin-1")).netloc == host
    if not fits:
        raise Problem(403, "foreign-page", "without keys, only this machine's own pages may ask")


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
