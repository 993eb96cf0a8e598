"""A connection to another server: HTTP/1.1 as this service speaks it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit


class Head(NamedTuple):
    """The beginning of a response."""

    status: int
    headers: list[tuple[bytes, bytes]]
    length: int
    """Of the body; 0 if that comes in chunks."""


class PeerConnection:
    """A connection to another server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, address: str) -> PeerConnection:
        """Connect to an address, with TLS if it says https."""
        url = urlsplit(address)
        tls = ssl.create_default_context() if url.scheme == "https" else None
        if tls is not None and url.hostname in ("127.0.0.1", "::1"):  # another worker
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        return cls(*await asyncio.open_connection(url.hostname, url.port, ssl=tls))

    async def request(
        self, method: str, target: str, headers: list[tuple[str, str]], body: bytes
    ) -> Head:
        """Send a request and return the beginning of the response."""
        names = {name.lower() for name, _ in headers}
        if "host" not in names:
            headers = [*headers, ("host", "localhost")]
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        head = "\r\n".join([*lines, f"content-length: {len(body)}", "", ""])
        self._writer.write(head.encode("latin-1") + body)
        await self._writer.drain()
        first, *rest = (await self._reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        pairs = [line.split(b": ", 1) for line in rest if line]
        received = [(name.lower(), value) for name, value in pairs]
        return Head(
            int(first.split(b" ")[1]), received, int(dict(received).get(b"content-length", 0))
        )

    async def read(self, length: int) -> bytes:
        """Return a body of known length."""
        return await self._reader.readexactly(length)

    async def parts(self, head: Head) -> AsyncGenerator[bytes, None]:
        """Yield the parts of a body until its end, then close."""
        try:
            if head.length:
                yield await self.read(head.length)
                return
            while size := int(await self._reader.readuntil(b"\r\n"), 16):
                yield await self._reader.readexactly(size)
                await self._reader.readexactly(2)
        finally:
            self.close()

    def close(self) -> None:
        """Close the connection."""
        with suppress(RuntimeError):  # the loop has ended
            self._writer.close()
