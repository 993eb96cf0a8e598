"""What a client does in a process that was forked from its own.

Web servers such as gunicorn load a program once and then fork. The threads of a client end there,
and its connections belong to both processes, so that each would read the other's responses.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """A part of a client."""

    def start_over(self) -> None:
        """Begin again in a new process, with nothing of the other one's."""


_parts: WeakSet[Forked] = WeakSet()


def start_over_after_fork(part: Forked) -> None:
    """Have a part start over in every process that is forked from this one."""
    _parts.add(part)


def _start_all_over() -> None:
    for part in list(_parts):
        part.start_over()


if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
    os.register_at_fork(after_in_child=_start_all_over)
