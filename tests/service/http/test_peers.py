"""Connections to other servers: whatever goes wrong, those who wait hear of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from floorline.service.host.owners import OwnedElsewhere
from floorline.service.http import peers
from floorline.service.http.forwarding import Forwarder
from floorline.service.http.peers import ForwardedReply, ForwardedRequest, Peer, PeerError

REQUEST = ForwardedRequest("POST", "/v1/campaigns/page/decisions", b"", [], b"{}")


def with_server(answer: bytes | None, ask: Callable[[str], Awaitable[None]]) -> int:
    """How many connections a server got that gives this answer, or none, to everything."""
    connections = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        try:
            while await reader.read(65536):
                if answer is not None:
                    writer.write(answer)
        finally:
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        await asyncio.wait_for(ask(f"http://127.0.0.1:{port}"), 20)
        server.close()

    asyncio.run(run())
    return connections


def answer_of(*replies: ForwardedReply) -> bytes:
    body = msgspec.msgpack.encode(list(replies))
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize(
    "answer",
    [b"\r\n\r\n", b"nonsense: here\r\n\r\n", answer_of(), b"HTTP/1.1 500 No\r\n\r\n", None],
)
def test_what_is_no_answer_is_an_error(
    answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "EXCHANGE_SECONDS", 0.2)

    async def ask(address: str) -> None:
        peer = Peer(address, b"", lambda: True)
        for _ in range(2):
            with pytest.raises(PeerError, match=address):
                await peer.ask(REQUEST)
        if answer is None:
            with pytest.raises(PeerError, match=address):
                await peer.stream(REQUEST, 0.2)
        peer.close()

    assert with_server(answer, ask) > 0


def test_a_stream_may_begin_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report is made before it is sent, which takes longer than an exchange may."""
    monkeypatch.setattr(peers, "EXCHANGE_SECONDS", 0.1)
    target, ended = b"", asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal target
        target = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1]
        await asyncio.sleep(0.3)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\npage")
        await reader.read()  # until the other end closes
        writer.close()
        await writer.wait_closed()
        ended.set()

    async def run() -> bytes:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        peer = Peer(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", b"", lambda: True)
        request = ForwardedRequest("GET", "/v1/campaigns/größe/report", b"a=b", [], b"")
        _, parts = await peer.stream(request, 20)
        body = b"".join([part async for part in parts])
        await ended.wait()
        server.close()
        return body

    assert asyncio.run(run()) == b"page"
    assert target == b"/v1/campaigns/gr%C3%B6%C3%9Fe/report?a=b"


def test_what_comes_while_a_message_is_under_way_is_sent_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They use the same connection, unless a message is slow."""
    sizes: list[int] = []
    released: asyncio.Event

    async def exchange(self: Peer, requests: list[ForwardedRequest]) -> list[ForwardedReply]:
        sizes.append(len(requests))
        if len(sizes) == 1:
            await released.wait()
        return [ForwardedReply(200, [], b"")] * len(requests)

    async def ask(count: int, slow_seconds: float) -> list[int]:
        nonlocal released
        sizes.clear()
        released = asyncio.Event()
        monkeypatch.setattr(peers, "SLOW_SECONDS", slow_seconds)
        peer = Peer("http://127.0.0.1:1", b"", lambda: True)
        asking = [asyncio.ensure_future(peer.ask(REQUEST))]
        while not sizes:
            await asyncio.sleep(0)
        asking += [asyncio.ensure_future(peer.ask(REQUEST)) for _ in range(count)]
        if slow_seconds > 1:
            await asyncio.sleep(0)
            released.set()
        await asyncio.gather(*asking[1:])
        released.set()
        await asking[0]
        return list(sizes)

    monkeypatch.setattr(Peer, "_exchange", exchange)
    assert asyncio.run(ask(5, 3600.0)) == [1, 5]
    assert asyncio.run(ask(5, 0.001)) == [1, 5]  # although the first has no answer yet


def test_a_server_that_falls_silent_is_not_waited_for() -> None:
    async def ask(address: str) -> None:
        alive = True
        peer = Peer(address, b"", lambda: alive)
        asking = [asyncio.ensure_future(peer.ask(REQUEST)) for _ in range(3)]
        await asyncio.sleep(0)
        alive = False
        for one in asking:
            with pytest.raises(PeerError, match="has fallen silent"):
                await asyncio.wait_for(one, peers.EXCHANGE_SECONDS / 2)
        with pytest.raises(PeerError, match="has fallen silent"):
            await peer.stream(REQUEST, 60.0)

    with_server(None, ask)


def test_nothing_is_sent_for_those_who_have_gone() -> None:
    async def ask(address: str) -> None:
        peer = Peer(address, b"", lambda: True)
        asking = asyncio.ensure_future(peer.ask(REQUEST))
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.gather(*peer._senders)

    assert with_server(answer_of(), ask) == 0


def test_servers_that_have_gone_are_forgotten() -> None:
    class View:
        def __init__(self) -> None:
            self.alive: set[str] = set()

        async def refresh(self) -> None: ...
        def suspect(self, server: str) -> None: ...
        def is_alive(self, server: str) -> bool:
            return server in self.alive

    view = View()
    forwarder = Forwarder(view, b"")
    for server in ("a", "b", "c"):
        view.alive = {"a", server}
        forwarder._peer(OwnedElsewhere("page", server, f"http://{server}"))
    assert sorted(forwarder._peers) == ["a", "c"]
