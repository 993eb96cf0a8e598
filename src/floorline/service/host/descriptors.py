"""File descriptors: how many there are, and how many campaigns may be open at a time."""

from __future__ import annotations

import resource
from contextlib import suppress

PER_CAMPAIGN = 4
"""Descriptors of an open campaign: SQLite's three files and the lock."""

MAX_OPEN_CAMPAIGNS = 1000
"""At a time, however many descriptors there are: each takes memory."""


def raise_limit() -> None:
    """Raise the limit of this process as far as the system allows."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # not allowed: the limit stays as it is
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def open_campaigns_allowed() -> int:
    """How many campaigns may be open: half of the descriptors are reserved for connections."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MAX_OPEN_CAMPAIGNS
    return max(1, min(MAX_OPEN_CAMPAIGNS, soft // 2 // PER_CAMPAIGN))
