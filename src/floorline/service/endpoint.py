"""From a request to a handler and back: the one way through which everything goes."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Receive, Scope, Send

from floorline.service.calls import Call, Operation, Reply, Stream
from floorline.service.limits import BODY_SECONDS
from floorline.service.problems import MEDIA_TYPE, Problem, ProblemDocument, problem_of

if TYPE_CHECKING:
    from floorline.service.app import Service

log = logging.getLogger("floorline.service")

JSON = "application/json"

STRANGERS = ("no-key", "foreign-page")
"""Problems of those who shall learn nothing."""


class Endpoint:
    """Answers all methods of one path. Its decoders are made once."""

    def __init__(self, service: Service, operations: Iterable[Operation]) -> None:
        self._service = service
        self._operations = {operation.method: operation for operation in operations}
        if "GET" in self._operations and self._operations["GET"].scope is None:
            self._operations["HEAD"] = self._operations["GET"]  # as load balancers ask for health
        self._decoders = {
            method: msgspec.json.Decoder(operation.body)
            for method, operation in self._operations.items()
            if operation.body is not None
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with a problem document if anything goes wrong."""
        started = time.perf_counter()
        operation = self._operations.get(scope["method"])
        status, sending = 500, False
        try:
            if operation is None:
                raise Problem(405, "wrong-method", f"{scope['method']} is not possible here",
                              {"Allow": ", ".join(sorted(self._operations))})  # fmt: skip
            call = await self._admit(operation, scope, receive)
            answer = await operation.handler(call)
            if isinstance(answer, Stream):
                sending, status = True, 200
                await _stream(receive, send, answer)
            elif isinstance(answer, Reply):
                status = answer.status
                await respond(send, status, answer.body, answer.media_type, answer.headers)
            else:
                status = 200
                await respond(send, status, msgspec.json.encode(answer))
        except Exception as error:
            if sending:
                raise  # too late for a problem document: the connection breaks off
            status = await self._fail(send, scope, operation, error)
        finally:
            seconds = time.perf_counter() - started
            if operation is not None:  # methods that clients make up would be ever new labels
                self._service.metrics.request(operation.path, operation.method, status, seconds)

    async def _admit(self, operation: Operation, scope: Scope, receive: Receive) -> Call:
        """The request, if it may be made and is well-formed."""
        headers = dict(scope["headers"])
        self._service.gate.admit(operation.scope, headers)
        call = Call(self._service, scope["path_params"])
        if operation.body is not None:
            body = await read_body(headers, receive, operation.max_body)
            if body or operation.body_needed:
                kind = headers.get(b"content-type", b"").partition(b";")[0]
                if kind.strip().lower() != b"application/json":
                    raise Problem(415, "not-json", "the body must be application/json")
                call.body = _decoded(self._decoders[operation.method], body)
            else:
                call.body = operation.body()
        if operation.query is not None:
            call.query = _query(operation.query, scope["query_string"])
        return call

    async def _fail(
        self, send: Send, scope: Scope, operation: Operation | None, error: Exception
    ) -> int:
        problem = problem_of(error)
        default_arm = None
        if operation is not None and problem.word not in STRANGERS:
            found = self._service.registry.concerned(scope["path_params"])
            default_arm = None if found is None else found.default_arm
        document = problem.document(default_arm)
        if operation is not None and operation.refine is not None:
            document = operation.refine(document, scope["path_params"])
        await send_problem(send, problem, document, scope["path"])
        return problem.status


async def send_problem(send: Send, problem: Problem, document: ProblemDocument, path: str) -> None:
    """Send a problem; one that should not happen is also logged."""
    if problem.status == 500:
        log.error("request failed", extra={"request_id": document.request_id, "path": path})
    body = msgspec.json.encode(document)
    await respond(send, problem.status, body, MEDIA_TYPE, problem.headers)


async def respond(
    send: Send, status: int, body: bytes, media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Send a whole answer."""
    raw = [(b"content-type", media_type.encode()), (b"content-length", b"%d" % len(body))]
    if headers:
        raw += [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


async def _stream(receive: Receive, send: Send, stream: Stream) -> None:
    """Send a stream for as long as its reader is there."""
    sending = asyncio.create_task(_send_parts(send, stream))
    leaving = asyncio.create_task(_left(receive))
    try:
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        finished = sending.done()
        sending.cancel()
        leaving.cancel()
        await asyncio.wait({sending, leaving})
    if finished:
        sending.result()


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_parts(send: Send, stream: Stream) -> None:
    raw = [(b"content-type", stream.media_type.encode())]
    raw += [(name.lower().encode(), value.encode()) for name, value in stream.headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": raw})
    async with aclosing(stream.parts) as parts:
        async for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def read_body(headers: Mapping[bytes, bytes], receive: Receive, most: int) -> bytes:
    """The body of a request, which has at most `most` bytes and comes in time."""
    declared = headers.get(b"content-length", b"0")
    if not declared.isdigit() or int(declared) > most:
        raise _too_large(most)
    body = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            more = True
            while more and len(body) <= most:
                message = await receive()
                if message["type"] == "http.disconnect":  # not a body that is empty
                    raise Problem(400, "cut-off", "the request ended before its body did")
                body += message.get("body", b"")
                more = message.get("more_body", False)
    except TimeoutError:
        raise Problem(408, "too-slow", "the body did not come in time") from None
    if len(body) > most:
        raise _too_large(most)
    return body


def _too_large(most: int) -> Problem:
    return Problem(413, "too-large", f"the body must have at most {most} bytes")


def _decoded(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Problem(422, "invalid", str(error)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise Problem(400, "malformed", f"the body is not JSON: {error}") from None


def _query(kind: Any, raw: bytes) -> Any:
    try:
        pairs = parse_qsl(raw.decode(), keep_blank_values=True)
        values = dict(pairs)
        if len(values) < len(pairs):
            raise Problem(422, "invalid", "query: a name is there twice")
        return msgspec.convert(values, kind, strict=False)
    except (UnicodeDecodeError, msgspec.ValidationError) as error:
        raise Problem(422, "invalid", f"query: {error}") from None
