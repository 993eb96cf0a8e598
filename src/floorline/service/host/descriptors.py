"""File descriptors: how many there are, and how many campaigns may be open at a time."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

try:
    import fcntl
    import resource
except ImportError:  # not available on Windows, which has no such limit
    fcntl = resource = None  # type: ignore[assignment]

PER_CAMPAIGN = 4
"""Descriptors of an open campaign: SQLite's three files and the lock."""

RESERVED = 64
"""Descriptors for everything else: logs, ledgers that are read or copied."""

MAX_OPEN_CAMPAIGNS = 1000
"""At a time, however many descriptors there are: each takes memory."""

TABLE_SIZE = 8192
"""Descriptors that room is made for in advance, at eight bytes each."""


def raise_limit() -> None:
    """Raise the limit of this process as far as the system allows."""
    if resource is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # not allowed: the limit stays as it is
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def make_room() -> None:
    """Enlarge the table of descriptors now, not while clients connect.

    In a process with threads, Linux waits for some ten milliseconds whenever it doubles the table,
    and the event loop waits with it, for example at the 256th and the 512th descriptor.
    """
    if fcntl is None:
        return
    last = min(_limit(), TABLE_SIZE) - 1
    with suppress(OSError), open(os.devnull, "rb") as file:
        os.close(fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, last))


def open_campaigns_allowed() -> int:
    """Return how many campaigns may be open: they get two fifths of the descriptors."""
    return max(1, min(MAX_OPEN_CAMPAIGNS, _limit() * 2 // 5 // PER_CAMPAIGN))


def connections_allowed() -> int:
    """Return how many connections may be open beside the campaigns."""
    return max(1, _limit() - PER_CAMPAIGN * open_campaigns_allowed() - RESERVED)


def _limit() -> int:
    """Return the number of descriptors that this process may have."""
    if resource is None:
        return sys.maxsize
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft
