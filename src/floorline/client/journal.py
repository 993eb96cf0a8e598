"""A file in which rewards wait, so that they survive the end of the process."""

from __future__ import annotations

import fcntl
import json
import logging
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TextIO

log = logging.getLogger("floorline.client")

SPARE = 1000
"""Lines of rewards that have been sent, above as many as wait, before the file is written anew."""


class Reward(NamedTuple):
    """What one decision has earned."""

    ticket: str
    reward: float


class Journal:
    """A line for each reward. They are handed to the operating system, not forced to the disk."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open or make the file.

        Raises:
            ValueError: it cannot be used, or another client has it.
        """
        self._path = os.fspath(path)
        try:
            self._file: TextIO = open(path, "a+", encoding="utf-8")  # noqa: SIM115 (until close)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise ValueError(f"queue_file: {path} is used by another client") from None
        except OSError as error:
            raise ValueError(f"queue_file: {path} cannot be used: {error.strerror}") from None
        self._lines = 0

    def rewards(self) -> list[Reward]:
        """What the file holds. A line that a crash cut short is left out."""
        self._file.seek(0)
        found = []
        for line in self._file:
            try:
                found.append(Reward(*json.loads(line)))
            except (ValueError, TypeError):
                log.warning("queue_file: a line is no reward, and left out: %r", line)
        with _logged():
            self.rewrite(found)
        return found

    def add(self, reward: Reward) -> None:
        """Put in a reward."""
        with _logged():
            self._file.write(json.dumps(reward) + "\n")
            self._file.flush()
            self._lines += 1

    def keep(self, waiting: Collection[Reward]) -> None:
        """Forget the others, now or later: the service takes no reward twice."""
        if not waiting or self._lines > 2 * len(waiting) + SPARE:
            with _logged():
                self.rewrite(waiting)

    def rewrite(self, waiting: Collection[Reward]) -> None:
        """Hold these alone."""
        unfinished = f"{self._path}-new"
        file = open(unfinished, "w", encoding="utf-8")  # noqa: SIM115 (until close)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)  # before it has the name by which others find it
            file.write("".join(json.dumps(reward) + "\n" for reward in waiting))
            file.flush()
            os.replace(unfinished, self._path)
        except OSError:
            file.close()
            raise
        self._file, old, self._lines = file, self._file, len(waiting)
        old.close()

    def close(self) -> None:
        """Close the file. What it holds stays."""
        with _logged():
            self._file.close()


@contextmanager
def _logged() -> Iterator[None]:
    """Goes on when the disk fails: the rewards are in memory still, and no visitor shall wait."""
    try:
        yield
    except OSError as error:
        log.error("queue_file: cannot be written: %s", error.strerror)
