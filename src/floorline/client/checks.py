"""Argument checks. `floorline.core.checks` is missing where only the client is installed."""

from __future__ import annotations

import math
import re

MAX_TIMEOUT = 3600

TICKET = re.compile(r"[0-9a-f]{1,32}-[0-9]{1,18}-[0-9a-f]{1,64}")


def finite(name: str, value: float) -> float:
    """Return `value` as a float if it is a finite number; raise ValueError otherwise."""
    if not isinstance(value, (str, bytes, bool)):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isfinite(number):
            return number
    raise ValueError(f"{name}: must be a finite number, not {value!r}")


def reward_of(value: float) -> float:
    """Return a reward as a float if it is a finite number, True or False."""
    return float(value) if isinstance(value, bool) else finite("reward", value)


def checked_timeout(value: float) -> float:
    """Return a timeout as a float; raise ValueError unless it is above 0 and at most an hour."""
    seconds = finite("timeout", value)
    if not 0 < seconds <= MAX_TIMEOUT:
        raise ValueError(f"timeout: must be above 0 and at most {MAX_TIMEOUT}, not {value!r}")
    return seconds


def positive_int(name: str, value: int) -> int:
    """Return `value` if it is a whole number of at least 1; raise ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name}: must be a whole number of at least 1, not {value!r}")
    return value


def ticket_id(ticket: str) -> str:
    """Return `ticket` if it has the form of the service's tickets; raise ValueError otherwise."""
    if not (isinstance(ticket, str) and TICKET.fullmatch(ticket)):
        raise ValueError(f"ticket: must be one that the service gave, not {ticket!r}")
    return ticket
