"""Clients after a fork: each process has connections, a thread and a queue of its own.

Web servers such as gunicorn load a program once and then fork. The threads of a client end there,
and its connections belong to both processes, so that each would read the other's responses.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """A part of a client that must not be shared between processes."""

    def start_over(self) -> None:
        """Drop everything that belongs to the parent process."""


_parts: WeakSet[Forked] = WeakSet()


def start_over_after_fork(part: Forked) -> None:
    """Call the part's `start_over` in every process forked from this one."""
    _parts.add(part)


def _start_all_over() -> None:
    for part in list(_parts):
        part.start_over()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_start_all_over)
