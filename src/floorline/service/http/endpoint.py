"""From a request to a handler and back. Every operation of the API goes through here."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Receive, Scope, Send

from floorline.live import CampaignError
from floorline.service.host.host import Host
from floorline.service.http.cors import BROWSER_SCOPES, send_preflight
from floorline.service.http.forwarding import Forwarder
from floorline.service.http.gate import Gate
from floorline.service.http.operations import Call, Operation, Reply, StreamReply
from floorline.service.http.problems import Problem, problem_of
from floorline.service.http.transfer import read_body, send_problem, send_response, send_stream
from floorline.service.http.wording import in_words

HIDES_DEFAULT_ARM = ("no-key", "foreign-page")
"""Errors whose response must not reveal the default arm."""


class Endpoint:
    """Serves all methods of one path. Its decoders are built once."""

    def __init__(
        self,
        host: Host,
        gate: Gate,
        operations: Iterable[Operation],
        forwarder: Forwarder | None = None,
    ) -> None:
        """Serve operations here, or through a forwarder if other servers own some campaigns."""
        self._host = host
        self._gate = gate
        self._forwarder = forwarder
        self._operations = {operation.method: operation for operation in operations}
        if "GET" in self._operations and self._operations["GET"].scope is None:
            self._operations["HEAD"] = self._operations["GET"]  # for health checks
        self._for_browsers = gate.cors.is_enabled and any(
            operation.scope in BROWSER_SCOPES for operation in self._operations.values()
        )
        self._decoders = {
            method: msgspec.json.Decoder(operation.body)
            for method, operation in self._operations.items()
            if operation.body is not None
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request, with a problem document if it fails."""
        started = time.perf_counter()
        if self._for_browsers:
            origin = dict(scope["headers"]).get(b"origin")
            if origin is not None and self._gate.cors.allows(origin):
                if scope["method"] == "OPTIONS":
                    await send_preflight(send, origin)
                    return
                send = self._gate.cors.sending(send, origin)
        operation = self._operations.get(scope["method"])
        status, streaming = 500, False
        try:
            if operation is None:
                allow = {"Allow": ", ".join(sorted(self._operations))}
                raise Problem(405, "wrong-method", f"{scope['method']} is not possible here", allow)
            call, body = await self._admit(operation, scope, receive)
            if self._forwarder is None:
                response = await operation.handler(call)
            else:
                response = await self._forwarder.answer(operation, call, scope, body)
            if isinstance(response, StreamReply):
                streaming, status = True, 200
                await send_stream(receive, send, response)
            elif isinstance(response, Reply):
                status = response.status
                await send_response(
                    send, status, response.body, response.media_type, response.headers
                )
            else:
                status = 200
                await send_response(send, status, msgspec.json.encode(response))
        except Exception as error:
            if streaming:
                raise  # too late for a problem document: the connection is closed
            status = await self._fail(send, scope, operation, error)
        finally:
            seconds = time.perf_counter() - started
            if operation is not None:  # else any invented method would become a label
                self._host.metrics.request(operation.path, operation.method, status, seconds)

    async def _admit(
        self, operation: Operation, scope: Scope, receive: Receive
    ) -> tuple[Call, bytes]:
        """Return the request and its body, if it is allowed and well-formed."""
        headers = dict(scope["headers"])
        access = self._gate.admit(operation.scope, headers)
        path = scope["path_params"]
        catalogue = self._host.registry.catalogue
        await catalogue.learn(path.get("name", path.get("key")), path.get("ticket"))
        access.check_path(catalogue, path)
        body = b""
        call = Call(self._host, path, access, headers)
        if operation.body is not None:
            body = await read_body(headers, receive, operation.max_body_bytes)
            if body or operation.body_required:
                media_type = headers.get(b"content-type", b"").partition(b";")[0]
                if media_type.strip().lower() != b"application/json":
                    raise Problem(415, "not-json", "the body must be application/json")
                call.body = _decode(self._decoders[operation.method], body)
            else:
                call.body = operation.body()
        if operation.query is not None:
            call.query = _decode_query(operation.query, scope["query_string"])
        return call, body

    async def _fail(
        self, send: Send, scope: Scope, operation: Operation | None, error: Exception
    ) -> int:
        problem = problem_of(error)
        default_arm = None
        if operation is not None and problem.word not in HIDES_DEFAULT_ARM:
            default_arm = self._default_arm(scope)
        document = problem.document(default_arm)
        if operation is not None and operation.refine is not None:
            document = operation.refine(document, scope["path_params"])
        await send_problem(send, problem, document, scope["path"])
        return document.status

    def _default_arm(self, scope: Scope) -> str | None:
        """Return the default arm of the campaign in the path, if the sender may know it."""
        catalogue = self._host.registry.catalogue
        try:
            access = self._gate.known_access(dict(scope["headers"]))
            access.check_path(catalogue, scope["path_params"])
        except CampaignError:
            return None
        return catalogue.default_arm(scope["path_params"])


def _decode(decoder: msgspec.json.Decoder[Any], body: bytes) -> Any:
    try:
        try:
            return decoder.decode(body)
        except msgspec.ValidationError as error:
            value = msgspec.json.decode(body)  # the rest may not be JSON
            raise Problem(422, "invalid", in_words(str(error), decoder.type, value)) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise Problem(400, "malformed", f"the body is not JSON: {error}") from None


def _decode_query(kind: Any, raw: bytes) -> Any:
    try:
        pairs = parse_qsl(raw.decode(), keep_blank_values=True)
    except UnicodeDecodeError as error:
        raise Problem(422, "invalid", f"query: {error}") from None
    values: dict[str, str] = {}
    for name, value in pairs:
        if name in values:
            raise Problem(422, "invalid", f"{name}: is given twice")
        values[name] = value
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Problem(422, "invalid", in_words(str(error), kind, values)) from None
