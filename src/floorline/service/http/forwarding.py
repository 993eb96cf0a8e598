"""Forwarding of requests to the server that owns their campaign, in one hop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from starlette.types import Scope

from floorline.live import LedgerError
from floorline.service.host.errors import Unavailable
from floorline.service.host.owners import OwnedElsewhere
from floorline.service.http.forwarded import is_from_peer
from floorline.service.http.operations import Call, Operation, Reply, StreamReply
from floorline.service.http.peers import ForwardedReply, ForwardedRequest, Peer, PeerError
from floorline.service.http.problems import Problem

FORWARD_SECONDS = 5.0
"""For a response, unless the client has less time."""

WORK_SECONDS = 120.0
"""For the beginning of a report or an export, which are made before."""

LIVE_UPDATES = "text/event-stream"

DEADLINE_HEADER = b"x-floorline-deadline"
"""The seconds that a client waits for the response."""

FORWARDED_HEADERS = (
    b"authorization",
    b"content-type",
    b"host",
    b"origin",
    b"accept",
    DEADLINE_HEADER,
)
DROPPED_HEADERS = (b"content-length", b"content-type", b"transfer-encoding", b"date", b"connection")
MISDIRECTED = 421
"""The status of a forwarded request whose campaign is not here any more."""

ATTEMPTS = 3
"""At most: a campaign may change hands meanwhile."""


class RefusedThere(Unavailable):
    """The campaign's owner refused part of a forwarded request; carries its problem response."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"the campaign's server responded with {status}")
        self.status = status
        self.body = body


class ClusterView(Protocol):
    """What forwarding needs to know about ownership."""

    async def refresh(self) -> None:
        """Read again who owns what."""

    def is_alive(self, server: str) -> bool:
        """Return whether a server's heartbeat is recent."""

    def suspect(self, server: str) -> None:
        """Avoid a server that could not be reached."""


class Forwarder:
    """Sends requests to the owners of their campaigns."""

    def __init__(self, cluster: ClusterView, secret: bytes) -> None:
        self._cluster = cluster
        self.secret = secret
        self._peers: dict[str, Peer] = {}

    async def answer(self, operation: Operation, call: Call, scope: Scope, body: bytes) -> Any:
        """Return the response of the handler here, or that of the campaign's owner.

        Raises:
            Unavailable: the owner does not answer, or is not known at the moment.
        """
        headers = [pair for pair in scope["headers"] if pair[0] in FORWARDED_HEADERS]
        if scope.get("forwarded") or is_from_peer(dict(scope["headers"]), self.secret):
            return await self._answer_here(operation, call)
        streams = isinstance(operation.response, str)
        until = asyncio.get_running_loop().time() + _seconds(headers)
        request = ForwardedRequest(
            scope["method"], scope["path"], scope["query_string"], headers, body
        )

        async def ask(elsewhere: OwnedElsewhere) -> Reply | StreamReply:
            if streams:
                is_live = operation.response == LIVE_UPDATES
                return await self._stream(
                    elsewhere, request, FORWARD_SECONDS if is_live else WORK_SECONDS
                )
            return reply_of(await self._forward(elsewhere, request, until))

        async def forward_part(
            here: Callable[[], Awaitable[Any]],
            method: str,
            path: str,
            body: bytes,
            decode: Callable[[bytes], Any],
        ) -> Any:
            part = ForwardedRequest(method, path, b"", headers, body)

            async def there(elsewhere: OwnedElsewhere) -> Any:
                reply = await self._forward(elsewhere, part, until)
                if reply.status != 200:
                    raise RefusedThere(reply.status, reply.body)
                return decode(reply.body)

            return await self.wherever(here, there)

        call.forward = forward_part
        return await self.wherever(lambda: operation.handler(call), ask)

    async def _answer_here(self, operation: Operation, call: Call) -> Any:
        """Answer a request from another server here or not at all: there is only one hop."""
        with suppress(OwnedElsewhere):
            return await operation.handler(call)
        await self._refresh()  # the other one may know better
        try:
            return await operation.handler(call)
        except OwnedElsewhere as elsewhere:
            raise Problem(MISDIRECTED, "misdirected", str(elsewhere)) from None

    async def wherever(
        self,
        here: Callable[[], Awaitable[Any]],
        there: Callable[[OwnedElsewhere], Awaitable[Any]],
    ) -> Any:
        """Return what `here` returns, or `there` if another server owns the campaign."""
        why = ""
        for _ in range(ATTEMPTS):
            try:
                return await here()
            except OwnedElsewhere as elsewhere:
                try:
                    return await there(elsewhere)
                except PeerError as error:
                    self._cluster.suspect(elsewhere.server)
                    why = str(error)
                except Problem as problem:
                    if problem.status != MISDIRECTED:
                        raise
                    why = problem.detail
                await self._refresh()
        raise Unavailable(f"the campaign's server cannot be reached ({why})")

    async def _refresh(self) -> None:
        try:
            await self._cluster.refresh()
        except LedgerError as error:
            raise Unavailable(str(error)) from None

    async def _forward(
        self, elsewhere: OwnedElsewhere, request: ForwardedRequest, until: float
    ) -> ForwardedReply:
        """Return the response of the owner; raise PeerError or Problem(421) if it gives none."""
        try:
            async with asyncio.timeout_at(until):
                reply = await self._peer(elsewhere).ask(request)
        except TimeoutError:  # if the server is dead, its silence will show
            raise Unavailable("the campaign's server has not responded in time") from None
        _refuse_misdirected(reply.status)
        return reply

    async def _stream(
        self, elsewhere: OwnedElsewhere, request: ForwardedRequest, seconds: float
    ) -> Reply | StreamReply:
        head, parts = await self._peer(elsewhere).stream(request, seconds)
        if head.status != 200:
            body = b"".join([part async for part in parts])  # to its end, which closes it
            _refuse_misdirected(head.status)
            return reply_of(ForwardedReply(head.status, head.headers, body))
        reply = reply_of(head)
        return StreamReply(parts, reply.media_type, reply.headers)

    def _peer(self, elsewhere: OwnedElsewhere) -> Peer:
        """Return the server that owns a campaign; servers that are gone are forgotten."""
        if elsewhere.server not in self._peers:
            for server in [one for one in self._peers if not self._cluster.is_alive(one)]:
                self._peers.pop(server).close()
            is_alive = partial(self._cluster.is_alive, elsewhere.server)
            self._peers[elsewhere.server] = Peer(elsewhere.address, self.secret, is_alive)
        return self._peers[elsewhere.server]

    def close(self) -> None:
        """Close all connections."""
        for peer in self._peers.values():
            peer.close()


def _refuse_misdirected(status: int) -> None:
    if status == MISDIRECTED:
        raise Problem(MISDIRECTED, "misdirected", "the campaign is changing hands")


def reply_of(reply: ForwardedReply) -> Reply:
    """Return the response of another server as ours."""
    headers = dict(reply.headers)
    media_type = headers.get(b"content-type", b"application/json").decode("latin-1")
    kept = {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in reply.headers
        if name not in DROPPED_HEADERS
    }
    return Reply(reply.body, reply.status, kept, media_type)


def _seconds(headers: list[tuple[bytes, bytes]]) -> float:
    """Return the seconds that a client waits for the response."""
    try:
        return min(FORWARD_SECONDS, max(0.0, float(dict(headers).get(DEADLINE_HEADER, b""))))
    except ValueError:
        return FORWARD_SECONDS
