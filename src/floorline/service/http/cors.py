"""Which web pages of other sites may call the service from a browser (CORS)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.types import Message, Send

BROWSER_SCOPES = ("decide", "reward")
"""The scopes that a web page may use. Everybody who loads the page can read its key."""

ORIGIN = re.compile(r"https?://[^/\s*]+")

PREFLIGHT_HEADERS = [
    (b"access-control-allow-methods", b"POST"),
    (b"access-control-allow-headers", b"authorization, content-type, if-none-match"),
    (b"access-control-max-age", b"7200"),
]
EXPOSED_HEADERS = [(b"access-control-expose-headers", b"etag, retry-after")]


class Cors:
    """The allowed origins: web pages from there may call the service.

    >>> Cors(["https://shop.example"]).allows(b"https://shop.example")
    True
    >>> Cors([]).allows(b"https://shop.example")
    False
    """

    def __init__(self, origins: Iterable[str]) -> None:
        """Allow these origins.

        Raises:
            ValueError: one is not like `https://shop.example`.
        """
        listed = tuple(origins)
        for origin in listed:
            if not ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"cors_origin: must be like https://shop.example, without a path, not {origin}"
                )
        self._origins = frozenset(origin.encode() for origin in listed)

    @property
    def is_enabled(self) -> bool:
        """Whether there is any such origin."""
        return bool(self._origins)

    def allows(self, origin: bytes | None) -> bool:
        """Return whether pages of this origin may call the service."""
        return origin in self._origins

    def sending(self, send: Send, origin: bytes) -> Send:
        """Return a `send` that tells the browser that pages of this origin may read responses."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_origin(origin), *EXPOSED_HEADERS]
            await send(message)

        return send_with_headers


async def send_preflight(send: Send, origin: bytes) -> None:
    """Tell the browser which requests pages of this origin may send."""
    headers = [*_origin(origin), *PREFLIGHT_HEADERS]
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _origin(origin: bytes) -> list[tuple[bytes, bytes]]:
    return [(b"access-control-allow-origin", origin), (b"vary", b"origin")]
