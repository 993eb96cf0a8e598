"""Requests to the servers that own other campaigns, many in one message."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from floorline.service.http.peer_connection import Head, PeerConnection

T = TypeVar("T")

FORWARD_PATH = "/internal/requests"
SECRET_HEADER = "x-floorline-secret"

MAX_REQUESTS = 256
"""In one message."""
MAX_MESSAGE_BYTES = 4 * 1024 * 1024
"""After which no further request is added to a message."""
IDLE_SECONDS = 20.0
"""After which a connection is not used again; the other side closes it after 30."""
EXCHANGE_SECONDS = 5.0
"""Seconds after which an unanswered message is given up, and its connection with it.

No client waits longer, and connections silenced by a cut network would get in the way later."""
CHECK_SECONDS = 0.1
"""Interval between checks that the server is still alive, while its response is awaited."""
CONNECTIONS = 4
"""To each server at most: slow requests must not delay all others."""
SLOW_SECONDS = 0.05
"""A message that takes longer is slow: further requests no longer wait for its response, and are
sent over another connection."""


class ForwardedRequest(msgspec.Struct, array_like=True):
    """A request as it came from a client."""

    method: str
    path: str
    query: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes


class ForwardedReply(msgspec.Struct, array_like=True):
    """The response of the server that owns the campaign."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class PeerError(Exception):
    """A server cannot be reached, or does not answer."""


class Peer:
    """Another server. Requests made while a message is in flight are sent in the next one."""

    def __init__(self, address: str, secret: bytes, is_alive: Callable[[], bool]) -> None:
        """Connect on the first request; requests fail with PeerError once `is_alive` is False."""
        self._address = address
        self._is_alive = is_alive
        self._secret = secret.hex()
        self._waiting: deque[tuple[ForwardedRequest, asyncio.Future[ForwardedReply]]] = deque()
        self._senders: set[asyncio.Task[None]] = set()
        self._idle: list[tuple[PeerConnection, float]] = []

    async def ask(self, request: ForwardedRequest) -> ForwardedReply:
        """Return the response to a request; raise PeerError if there is none."""
        future: asyncio.Future[ForwardedReply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._sending() == 0:
            self._add_sender()
        return await future

    def _add_sender(self) -> None:
        """Send the waiting requests over one more connection, up to CONNECTIONS."""
        if self._waiting and self._sending() < CONNECTIONS:
            task = asyncio.create_task(self._send_all())
            self._senders.add(task)
            task.add_done_callback(self._senders.discard)

    def _sending(self) -> int:
        """Return the number of messages in flight."""
        return sum(not task.done() for task in self._senders)  # some were not discarded yet

    async def _send_all(self) -> None:
        while self._waiting:
            batch: list[tuple[ForwardedRequest, asyncio.Future[ForwardedReply]]] = []
            size = 0
            while self._waiting and len(batch) < MAX_REQUESTS and size < MAX_MESSAGE_BYTES:
                request, future = self._waiting.popleft()
                if not future.done():  # its client still waits
                    batch.append((request, future))
                    size += len(request.body)
            if batch:
                await self._send(batch)

    async def _send(
        self, batch: list[tuple[ForwardedRequest, asyncio.Future[ForwardedReply]]]
    ) -> None:
        slow = asyncio.get_running_loop().call_later(SLOW_SECONDS, self._add_sender)
        try:
            async with asyncio.timeout(EXCHANGE_SECONDS):
                replies = await self._while_alive(self._exchange([request for request, _ in batch]))
        except Exception as error:  # whatever it is, those who wait must be told
            for _, future in batch:
                if not future.done():
                    future.set_exception(PeerError(f"{self._address}: {error!r}"))
            return
        finally:
            slow.cancel()
        for (_, future), reply in zip(batch, replies, strict=True):
            if not future.done():
                future.set_result(reply)

    async def _while_alive(self, call: Coroutine[Any, Any, T]) -> T:
        """Return the result of a call to the server; raise PeerError if the server falls silent."""
        asking = asyncio.ensure_future(call)
        try:
            while self._is_alive():
                if (await asyncio.wait({asking}, timeout=CHECK_SECONDS))[0]:
                    return asking.result()
            raise PeerError("has fallen silent")
        finally:
            asking.cancel()

    async def _exchange(self, requests: list[ForwardedRequest]) -> list[ForwardedReply]:
        connection = self._idle_connection() or await PeerConnection.open(self._address)
        try:
            headers = [(SECRET_HEADER, self._secret), ("content-type", "application/msgpack")]
            body = msgspec.msgpack.encode(requests)
            reply = await connection.request("POST", FORWARD_PATH, headers, body)
            content = await connection.read(reply.length)
        except BaseException:
            connection.close()
            raise
        self._idle.append((connection, time.monotonic()))
        if reply.status != 200:
            raise ValueError(f"refused with {reply.status}")
        replies = msgspec.msgpack.decode(content, type=list[ForwardedReply])
        if len(replies) != len(requests):
            raise ValueError(f"{len(replies)} responses to {len(requests)} requests")
        return replies

    def _idle_connection(self) -> PeerConnection | None:
        while self._idle:
            connection, since = self._idle.pop()
            if time.monotonic() - since < IDLE_SECONDS:
                return connection
            connection.close()
        return None

    async def stream(
        self, request: ForwardedRequest, seconds: float
    ) -> tuple[ForwardedReply, AsyncGenerator[bytes, None]]:
        """Return the beginning of a long response, which comes within `seconds`, and its parts.

        The connection is closed at the end of the parts.
        """
        headers = [(name.decode(), value.decode("latin-1")) for name, value in request.headers]
        query = f"?{request.query.decode('latin-1')}" if request.query else ""
        target = quote(request.path) + query
        headers.append((SECRET_HEADER, self._secret))

        async def begin() -> tuple[PeerConnection, Head]:
            connection = await PeerConnection.open(self._address)
            try:
                return connection, await connection.request(request.method, target, headers, b"")
            except BaseException:
                connection.close()
                raise

        try:
            async with asyncio.timeout(seconds):
                connection, reply = await self._while_alive(begin())
        except Exception as error:
            raise PeerError(f"{self._address}: {error!r}") from None
        return ForwardedReply(reply.status, reply.headers, b""), connection.parts(reply)

    def close(self) -> None:
        """Close the connections that are not in use."""
        for connection, _ in self._idle:
            connection.close()
