"""The description of one operation, and what its handler receives and returns."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from floorline.service.host.host import Host
from floorline.service.http.access import Access
from floorline.service.http.limits import MAX_BODY_BYTES
from floorline.service.http.problems import ProblemDocument

T = TypeVar("T")


@dataclass(slots=True)
class Call:
    """One admitted request, with its body and query decoded and validated."""

    host: Host
    path: dict[str, str]
    """The parameters in the path."""
    access: Access
    """What the key of the request may do."""
    headers: Mapping[bytes, bytes]
    body: Any = None
    query: Any = None
    forward: Forward | None = None
    """Sends a part of the request to another server; None if there can be none."""

    async def wherever(
        self,
        here: Callable[[], Awaitable[T]],
        method: str,
        path: str,
        body: bytes,
        decode: Callable[[bytes], T],
    ) -> T:
        """Return what `here` returns, or what the owner of the campaign responds to a request."""
        if self.forward is None:
            return await here()
        answer: T = await self.forward(here, method, path, body, decode)
        return answer


@dataclass(slots=True)
class Reply:
    """A response that is not simply a message with status 200."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"


@dataclass(slots=True)
class StreamReply:
    """A response that is produced while it is sent."""

    parts: AsyncGenerator[bytes, None]
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


Forward = Callable[
    [Callable[[], Awaitable[Any]], str, str, bytes, Callable[[bytes], Any]], Awaitable[Any]
]
"""Called with what to do if the campaign is here, with the method, path and body of the request to
its owner otherwise, and with what decodes the body of the response."""

Handler = Callable[[Call], Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """One operation of the API: the source of routing, validation and the OpenAPI document."""

    id: str
    """Its id in the OpenAPI document, which must not change: generated clients use it."""
    method: str
    path: str
    handler: Handler
    summary: str
    scope: str | None
    """The scope that a key needs; None if no key is needed."""
    response: Any
    """The type of the response; a media type if it is not JSON."""
    body: Any = None
    """The type that the body is decoded as."""
    body_shapes: tuple[Any, ...] = ()
    """The types that the OpenAPI document lists instead, any of them."""
    body_required: bool = True
    max_body_bytes: int = MAX_BODY_BYTES
    query: Any = None
    status: tuple[int, ...] = (200,)
    problems: tuple[int, ...] = ()
    """Statuses of problems beyond those that every operation can have."""
    problem: Any = ProblemDocument
    """The type of its problem documents."""
    refine: Callable[[ProblemDocument, dict[str, str]], ProblemDocument] | None = None
    """Adds to a problem what another protocol expects, given the path parameters."""
