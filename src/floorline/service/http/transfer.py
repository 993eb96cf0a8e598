"""Reading bodies and sending responses, with bounds on size and time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import aclosing

import msgspec
from starlette.types import Message, Receive, Send

from floorline.service.http.limits import BODY_TIMEOUT_SECONDS
from floorline.service.http.operations import StreamReply
from floorline.service.http.problems import MEDIA_TYPE, Problem, ProblemDocument

log = logging.getLogger("floorline.service")

JSON = "application/json"


async def read_body(headers: Mapping[bytes, bytes], receive: Receive, max_bytes: int) -> bytes:
    """Return the body of a request.

    Raises:
        Problem: 413 if it is larger than `max_bytes`, 408 if it is late, 400 if it is cut off.
    """
    declared = headers.get(b"content-length", b"0")
    if not declared.isdigit() or int(declared) > max_bytes:
        raise _too_large(max_bytes)
    message = await receive()  # the first call does not wait
    body = _part(message)
    if message.get("more_body", False):
        try:
            async with asyncio.timeout(BODY_TIMEOUT_SECONDS):
                while message.get("more_body", False) and len(body) <= max_bytes:
                    message = await receive()
                    body += _part(message)
        except TimeoutError:
            raise Problem(408, "too-slow", "the body did not come in time") from None
    if len(body) > max_bytes:
        raise _too_large(max_bytes)
    return body


def _part(message: Message) -> bytes:
    if message["type"] == "http.disconnect":  # not the same as an empty body
        raise Problem(400, "cut-off", "the request ended before its body did")
    part: bytes = message.get("body", b"")
    return part


def _too_large(max_bytes: int) -> Problem:
    return Problem(413, "too-large", f"the body must have at most {max_bytes} bytes")


async def send_response(
    send: Send,
    status: int,
    body: bytes,
    media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a complete response."""
    raw = [(b"content-type", media_type.encode()), (b"content-length", b"%d" % len(body))]
    if headers:
        raw += [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


async def send_problem(send: Send, problem: Problem, document: ProblemDocument, path: str) -> None:
    """Send a problem; an internal error is also logged."""
    if document.status == 500:
        log.error("request failed", extra={"request_id": document.request_id, "path": path})
    body = msgspec.json.encode(document)
    await send_response(send, document.status, body, MEDIA_TYPE, problem.headers)


async def send_stream(receive: Receive, send: Send, stream: StreamReply) -> None:
    """Send a stream until it ends or its reader disconnects."""
    sending = asyncio.create_task(_send_parts(send, stream))
    disconnect = asyncio.create_task(_wait_for_disconnect(receive))
    try:
        await asyncio.wait({sending, disconnect}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        finished = sending.done()
        sending.cancel()
        disconnect.cancel()
        await asyncio.wait({sending, disconnect})
    if finished:
        sending.result()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_parts(send: Send, stream: StreamReply) -> None:
    raw = [(b"content-type", stream.media_type.encode())]
    raw += [(name.lower().encode(), value.encode()) for name, value in stream.headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": raw})
    await send({"type": "http.response.body", "body": b"", "more_body": True})  # without delay
    async with aclosing(stream.parts) as parts:
        async for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
