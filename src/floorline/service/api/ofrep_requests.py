"""The bodies of OFREP's requests."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from floorline.live.request import MAX_KEY
from floorline.service.api.fields import RequestKey


class OfrepContext(Struct):
    """The evaluation context. The rest of it, at most 4 KB, is kept with the decision."""

    targetingKey: Annotated[str, Meta(max_length=MAX_KEY)] | None = None  # noqa: N815 (OFREP's)
    """The request key: the same one always gets the same decision."""


class OfrepFlagBody(Struct):
    """An OFREP request for one flag."""

    context: OfrepContext | None = None


class OfrepBody(Struct):
    """An OFREP request as it is decoded, with everything in the context."""

    context: dict[str, Any] | None = None


class OfrepKeyedContext(Struct):
    """The evaluation context of a bulk request. The rest of it is kept with each decision."""

    targetingKey: RequestKey  # noqa: N815 (OFREP's)
    """The request key: the same one always gets the same decisions."""


class OfrepBulkBody(Struct):
    """An OFREP bulk request, as documented; OFREP has its own error if there is no key."""

    context: OfrepKeyedContext
