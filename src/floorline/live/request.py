"""Checks of a decision request: its key, a candidate and a context."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from floorline.core.checks import choice, number, require
from floorline.live.settings import CampaignSettings

MAX_KEY = 200
MAX_CONTEXT = 4096
"""Bytes of a context as JSON."""
SUM_TOLERANCE = 1e-6
"""By how much the sum of chances may differ from 1, for rounding."""


def check_request(
    settings: CampaignSettings,
    request_key: str | None,
    candidate: str | None,
    context: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """Return the context as plain JSON values; raise ValueError if anything is not allowed."""
    if request_key is not None:
        check_key(request_key)
    if candidate is not None:
        choice("candidate", candidate, settings.arms)
    return None if context is None else _plain(context)


def check_key(request_key: str) -> None:
    """Raise ValueError if no request can have this key."""
    wanted = f"a printable text of 1 to {MAX_KEY} characters"
    require(is_key(request_key), "request_key", wanted, request_key)


def is_key(request_key: str) -> bool:
    """Return whether a request can have this key."""
    fits = isinstance(request_key, str) and 1 <= len(request_key) <= MAX_KEY
    return fits and request_key.isprintable()


def checked_chances(
    settings: CampaignSettings, candidate: str | None, chances: Mapping[str, float] | None
) -> list[float] | None:
    """Return how likely each arm was to be the candidate, in their order; None if not given.

    An arm that is not named had probability 0. Raise ValueError unless they add up to 1 and the
    candidate's is positive.
    """
    if chances is None:
        return None
    if candidate is None:
        raise ValueError("chances: are those of a candidate from outside, and none was given")
    for name in chances:
        choice("chances", name, settings.arms)
    found = [number(f"chances[{name}]", chances.get(name, 0.0), 0, 1) for name in settings.arms]
    require(abs(math.fsum(found) - 1) <= SUM_TOLERANCE, "chances", "numbers that add to 1", chances)
    own = found[settings.arms.index(candidate)]
    require(own > 0, "chances", f"above 0 for the candidate {candidate}", own)
    return found


def _plain(context: Mapping[str, Any]) -> dict[str, Any]:
    require(isinstance(context, Mapping), "context", "an object of JSON values", context)
    try:
        text = msgspec.json.encode(dict(context))
        values: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
    except (TypeError, ValueError, msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"context: must be an object of JSON values: {error}") from None
    if len(text) > MAX_CONTEXT:
        raise ValueError(f"context: must take at most {MAX_CONTEXT} bytes as JSON, not {len(text)}")
    return values
