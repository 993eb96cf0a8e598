"""A file that keeps rewards until they are sent, so that they survive the end of the process."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from .checks import finite
from .messages import ServiceError
from .reward import Reward, checked_reward

try:
    import fcntl
except ImportError:  # not available on Windows
    fcntl = None  # type: ignore[assignment]

log = logging.getLogger("floorline.client")

SPARE_LINES = 1000
"""The file is rewritten once it has this many more lines of sent than of waiting rewards."""


class Journal:
    """A JSON line for each reward. They are handed to the operating system, not synced to disk.

    Beside the file at `path` are `path.lock`, whose lock excludes a second client, and
    `path.refused`, with what cannot be sent: lines that are not rewards, and rewards that the
    service has refused. Without `fcntl` (on Windows) there is no lock.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the file, or create it.

        Raises:
            ValueError: it cannot be used, or another client uses it.
        """
        self.path = os.path.abspath(os.fspath(path))
        self.refused_path = f"{self.path}.refused"
        self._lines = 0
        self._torn = False
        try:
            with open(self.path, "ab"):
                pass  # raises if it cannot be written
            self._lock = _locked(f"{self.path}.lock")
        except BlockingIOError:
            raise ValueError(f"queue_file: {path} is used by another client") from None
        except OSError as error:
            raise ValueError(f"queue_file: {path} cannot be used: {error.strerror}") from None

    def load(self) -> list[Reward]:
        """Return the rewards in the file; lines that are not rewards move to `refused_path`."""
        rewards: dict[Reward, Reward] = {}
        refused = []
        with open(self.path, "rb") as file:
            for line in filter(bytes.strip, file):
                try:
                    reward = _parse(line)
                    rewards[reward._replace(deferred_since=None)] = reward  # the last line counts
                except (ValueError, TypeError, RecursionError):
                    refused.append(line.decode(errors="backslashreplace").rstrip("\n"))
        self._torn = True  # until the file is rewritten: its last line may be cut short
        with _errors_logged(self.path):
            if refused:
                self._append_refused([{"line": line} for line in refused])
                moved = f"{len(refused)} lines of {self.path} are not rewards"
                log.warning("queue_file: %s; moved to %s", moved, self.refused_path)
            self._rewrite(rewards.values())
        return list(rewards.values())

    def add(self, reward: Reward) -> None:
        """Append a reward, or an update of one in the file."""
        with _errors_logged(self.path):
            start, self._torn = "\n" if self._torn else "", True
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(start + _line(reward))
            self._torn = False
            self._lines += 1

    def keep(self, rewards: list[Reward]) -> None:
        """Forget all other rewards, now or later: the service counts no reward twice."""
        if not rewards or self._lines > 2 * len(rewards) + SPARE_LINES:
            with _errors_logged(self.path):
                self._rewrite(rewards)

    def refuse(self, reward: Reward, error: ServiceError) -> None:
        """Append a reward that will not be sent again to `refused_path`."""
        with _errors_logged(self.refused_path):
            self._append_refused([{**reward.message, "reason": str(error)}])

    def close(self) -> None:
        """Release the lock. The file stays."""
        self._lock.close()

    def _append_refused(self, entries: Iterable[dict[str, Any]]) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with open(self.refused_path, "a", encoding="utf-8") as file:
            file.writelines(json.dumps({"time": now, **entry}) + "\n" for entry in entries)

    def _rewrite(self, rewards: Iterable[Reward]) -> None:
        unfinished = f"{self.path}.new"
        lines = [_line(reward) for reward in rewards]
        with open(unfinished, "w", encoding="utf-8") as file:
            file.writelines(lines)
        os.replace(unfinished, self.path)
        self._lines, self._torn = len(lines), False


def _line(reward: Reward) -> str:
    fields: list[Any] = [reward.ticket, reward.reward]
    if reward.deferred_since is not None or reward.metrics:
        fields.append(reward.deferred_since)
    if reward.metrics:
        fields.append(dict(reward.metrics))
    return json.dumps(fields) + "\n"


def _parse(line: bytes) -> Reward:
    """Return the reward in a line: ticket and reward, since when it is deferred, and metrics.

    Raises:
        ValueError, TypeError: there is none.
    """
    fields = json.loads(line)
    if not isinstance(fields, list):
        raise TypeError("a reward is a list")
    if not 2 <= len(fields) <= 4:
        raise ValueError("a reward has two to four fields")
    ticket, value, since, metrics = (*fields, None, None)[:4]
    reward = checked_reward(ticket, finite("reward", value), metrics)
    return reward if since is None else reward._replace(deferred_since=finite("time", since))


def _locked(path: str) -> IO[bytes]:
    """Return the open file, locked for this process until it is closed."""
    file = open(path, "ab")  # noqa: SIM115 (open as long as the journal)
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise
    return file


@contextmanager
def _errors_logged(path: str) -> Iterator[None]:
    """Continue when the disk fails: the rewards are still in memory, and no visitor may wait."""
    try:
        yield
    except OSError as error:
        log.error("queue_file: cannot write %s: %s", path, error.strerror)
