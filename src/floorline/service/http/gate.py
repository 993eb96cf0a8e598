"""Which requests are admitted: by key, scope and rate; none from foreign web pages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from floorline.service.http.access import NOBODY, Access
from floorline.service.http.cors import Cors
from floorline.service.http.keys import SCOPES, Keys
from floorline.service.http.limits import RateLimit
from floorline.service.http.problems import KeysError, Problem

FORWARDING_HEADERS = frozenset(
    {
        b"forwarded",
        b"via",
        b"x-forwarded-for",
        b"x-forwarded-host",
        b"x-forwarded-proto",
        b"x-real-ip",
    }
)
"""Headers of requests that come through a proxy, from anywhere."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")

EVERYTHING = Access(SCOPES)
"""Where no key is needed."""


class Gate:
    """Admits a request or raises a Problem."""

    def __init__(self, keys: Keys, rate: float, cors: Cors) -> None:
        self.cors = cors
        self._keys = keys
        self._limit = RateLimit(rate)

    @property
    def required(self) -> bool:
        """Whether a key is needed."""
        return self._keys.required

    def access(self, authorization: bytes) -> Access:
        """Return what this `Authorization` header grants."""
        if not self.required:
            return EVERYTHING
        key = self._keys.find(authorization)
        return NOBODY if key is None else Access(key.scopes, key.campaigns)

    def known_access(self, headers: Mapping[bytes, bytes]) -> Access:
        """Return what the headers of a request grant; nothing if that is unknown."""
        try:
            return self.access(headers.get(b"authorization", b""))
        except KeysError:
            return NOBODY

    def admit(self, scope: str | None, headers: Mapping[bytes, bytes]) -> Access:
        """Admit a request for an operation that needs this scope; return what else it may do.

        Raises:
            Problem: 401, 403 or 429.
        """
        if scope is None:
            return self.known_access(headers)
        if self.required:
            key = self._keys.check(headers.get(b"authorization", b""), scope)
            key_id, access = key.id, Access(key.scopes, key.campaigns)
            if self.cors.allows(headers.get(b"origin")) and not access.suits_browsers:
                detail = "a web page needs a key that is limited to one campaign, and to the scopes"
                raise Problem(403, "not-for-browsers", f"{detail} decide and reward")
        else:
            key_id, access = "", EVERYTHING
            if not is_own_page(headers.get(b"host", b"localhost"), headers.get(b"origin")):
                detail = "without keys, only this machine's own pages may make requests"
                raise Problem(403, "foreign-page", detail)
            if not FORWARDING_HEADERS.isdisjoint(headers):
                detail = "without keys, requests through a proxy are refused; create a key"
                raise Problem(403, "foreign-page", detail)
        wait = self._limit.wait(key_id)
        if wait > 0:
            retry = {"Retry-After": str(math.ceil(wait))}
            raise Problem(429, "too-many", "this key makes too many requests", retry)
        return access


@lru_cache(1024)
def is_own_page(host: bytes, origin: bytes | None) -> bool:
    """Return whether a request does not come from a foreign web page in a local browser.

    Such a page has another origin, or a host name of its own that resolves to this machine.

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
