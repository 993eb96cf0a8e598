"""The receiving end of forwarding: requests from other servers, many in one message."""

from __future__ import annotations

import asyncio
import hmac
from typing import Any

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from floorline.service.http.peers import (
    MAX_MESSAGE_BYTES,
    SECRET_HEADER,
    ForwardedReply,
    ForwardedRequest,
)
from floorline.service.http.problems import Problem
from floorline.service.http.transfer import read_body, send_problem, send_response


def is_from_peer(headers: dict[bytes, bytes], secret: bytes) -> bool:
    """Return whether a request comes from a server that knows the secret of the database."""
    return hmac.compare_digest(headers.get(SECRET_HEADER.encode(), b""), secret.hex().encode())


class ForwardedRequests:
    """Answers requests that other servers forward; clients get nothing from it."""

    def __init__(self, app: ASGIApp, secret: bytes) -> None:
        self._app = app
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to all requests of a message, each as if its client had sent it here."""
        headers = dict(scope["headers"])
        try:
            if scope["method"] != "POST" or not is_from_peer(headers, self._secret):
                raise Problem(404, "unknown-path", f"there is nothing at {scope['path']}")
            body = await read_body(headers, receive, 2 * MAX_MESSAGE_BYTES)
            requests = msgspec.msgpack.decode(body, type=list[ForwardedRequest])
        except Problem as problem:
            await send_problem(send, problem, problem.document(), scope["path"])
            return
        replies = await asyncio.gather(*(self._answer(scope, request) for request in requests))
        await send_response(send, 200, msgspec.msgpack.encode(replies), "application/msgpack")

    async def _answer(self, outer: Scope, request: ForwardedRequest) -> ForwardedReply:
        scope = {
            "type": "http",
            "asgi": outer["asgi"],
            "http_version": "1.1",
            "scheme": outer["scheme"],
            "server": outer.get("server"),
            "client": outer.get("client"),
            "root_path": "",
            "method": request.method,
            "path": request.path,
            "raw_path": request.path.encode(),
            "query_string": request.query,
            "headers": request.headers,
            "forwarded": True,
        }
        reply = ForwardedReply(500, [], b"")

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": request.body, "more_body": False}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                reply.status, reply.headers = message["status"], list(message["headers"])
            else:
                reply.body += message.get("body", b"")

        await self._app(scope, receive, send)
        return reply
