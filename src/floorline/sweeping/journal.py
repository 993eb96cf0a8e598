"""The journal of a folder: its settings, then one line for every finished point.

A line is written before the next point starts, and synced to disk at most once a second: a
killed process loses nothing, a crashed machine the last few points. An incomplete last line is
dropped when the folder is opened again; the point is then run again.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from floorline import __version__

NAME = "points.jsonl"

SYNC_SECONDS = 1.0
"""The shortest time between two syncs to disk."""


class PointJournal:
    """The finished points of a folder, each with its result rows and its running time."""

    def __init__(self, path: Path, settings: Any) -> None:
        """Open the journal at a path, or begin it there.

        Args:
            path: the file.
            settings: a dataclass of all that affects results; a journal with others is refused.
        """
        self._path = path
        self._entries: dict[str, tuple[list[list[Any]], float]] = {}
        self._synced = -math.inf
        head = {"floorline": __version__, **asdict(settings)}
        if path.exists():
            self._read(head)
        else:
            self._write(head)

    def __contains__(self, point: Any) -> bool:
        return bool(self._entries) and _key(asdict(point)) in self._entries

    def add(self, point: Any, rows: Sequence[Sequence[Any]], seconds: float) -> None:
        """Save a finished point, a dataclass of plain values."""
        plain, values = asdict(point), [list(row) for row in rows]
        seconds = round(seconds, 3)  # as it will be read back, so that reports agree
        self._write({"point": plain, "rows": values, "seconds": seconds})
        self._entries[_key(plain)] = values, seconds

    def rows(self, points: Iterable[Any]) -> list[list[Any]]:
        """Return the rows of these points, in order."""
        return [row for point in points for row in self._entries[_key(asdict(point))][0]]

    def seconds(self, points: Iterable[Any]) -> float:
        """Return the total time of these points, over all sessions."""
        return sum(self._entries[_key(asdict(point))][1] for point in points)

    def _write(self, line: dict[str, Any]) -> None:
        with open(self._path, "a") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            if time.monotonic() - self._synced > SYNC_SECONDS:  # a GPU finishes hundreds per second
                os.fsync(file.fileno())
                self._synced = time.monotonic()

    def _read(self, head: dict[str, Any]) -> None:
        text = self._path.read_bytes()
        complete = text[: text.rfind(b"\n") + 1]
        try:
            first, *lines = [json.loads(line) for line in complete.splitlines()] or [head]
            stored = dict(first)
            entries = {_key(line["point"]): (line["rows"], line["seconds"]) for line in lines}
        except (ValueError, KeyError, TypeError):
            raise ValueError(
                f"out: {self._path} is damaged; use another folder, or --force to start again"
            ) from None
        if stored != head:
            other = ", ".join(
                f"{key} {stored.get(key)!r}, not {value!r}"
                for key, value in head.items()
                if stored.get(key) != value
            )
            raise ValueError(
                f"out: {self._path.parent} holds results of other settings ({other}); "
                "use another folder, or --force to start again"
            )
        self._entries = entries
        if len(complete) < len(text) or not complete:  # the last line is incomplete
            os.truncate(self._path, len(complete))
            if not complete:
                self._write(head)


def _key(point: dict[str, Any]) -> str:
    """Return a point as text, the same before it is saved and after it is loaded."""
    return json.dumps(point, sort_keys=True)
