"""Another server whose answers make no sense."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from floorline.service.http.peers import ForwardedRequest, Peer, PeerError

REQUEST = ForwardedRequest("GET", "/v1/campaigns/größe", b"", [], b"")
NONSENSE = [
    b"what?\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n???",
    b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n" + msgspec.msgpack.encode([]),
    b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ncut",
    b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
]


async def ask(answer: bytes, *, stream: bool = False) -> bool:
    """Ask a server that answers so; return whether it saw the end of the connection."""
    ended = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        if answer.endswith(b"cut"):
            writer.close()
        while await reader.read(1000):
            pass
        ended.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    peer = Peer(f"http://127.0.0.1:{port}", b"secret")
    try:
        with pytest.raises(PeerError, match=f"127.0.0.1:{port}: "):
            call = peer.stream(REQUEST) if stream else peer.ask(REQUEST)
            await asyncio.wait_for(call, 30)
    finally:
        peer.close()
        await asyncio.wait_for(ended.wait(), 30)
        server.close()
    return ended.is_set()


@pytest.mark.parametrize("answer", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_no_answer(answer: bytes) -> None:
    assert asyncio.run(ask(answer))


def test_a_stream_that_does_not_begin_is_closed() -> None:
    assert asyncio.run(ask(NONSENSE[0], stream=True))
