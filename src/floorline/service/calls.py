"""What a handler is given and gives back, and the description of one operation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from floorline.service.limits import MAX_BODY
from floorline.service.problems import ProblemDocument

if TYPE_CHECKING:
    from floorline.service.app import Service


@dataclass(slots=True)
class Call:
    """One request, checked: its key may do this, and its body and query are what they should be."""

    service: Service
    path: dict[str, str]
    """The parts of the path that vary."""
    body: Any = None
    query: Any = None


@dataclass(slots=True)
class Reply:
    """An answer that is more than a message with status 200."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json"


@dataclass(slots=True)
class Stream:
    """An answer that is made while it is sent."""

    parts: AsyncGenerator[bytes, None]
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Awaitable[Any]]


@dataclass(frozen=True)
class Operation:
    """One thing that the API does: the source of routing, checks and the API's description."""

    method: str
    path: str
    handler: Handler
    summary: str
    scope: str | None
    """What a key needs; None for what everyone may do."""
    answer: Any
    """The type of the answer; a media type where it is no JSON."""
    body: Any = None
    """The type that the body is read as."""
    body_shapes: tuple[Any, ...] = ()
    """The types that the description names instead, any of them."""
    body_needed: bool = True
    max_body: int = MAX_BODY
    query: Any = None
    status: tuple[int, ...] = (200,)
    problems: tuple[int, ...] = ()
    """Statuses of problems beyond those that everything can have."""
    problem: Any = ProblemDocument
    """The type of its problem documents."""
    refine: Callable[[ProblemDocument, dict[str, str]], ProblemDocument] | None = None
    """Adds to a problem what another protocol expects, given the parts of the path."""
