"""Rewards on their way: a queue with a thread of its own that sends them until they arrive."""

from __future__ import annotations

import atexit
import json
import logging
import math
import os
import re
import threading
import time
from collections import deque
from itertools import islice
from typing import Any

from floorline.client.answers import ServiceError, problem_of
from floorline.client.journal import Journal, Reward
from floorline.client.wire import Wire
from floorline.core.checks import number, require, whole

log = logging.getLogger("floorline.client")

BATCH = 1000
LINGER = 0.1
"""Seconds in which rewards gather before they are sent together."""
TIMEOUT = 10.0
REST = (0.2, 10.0)
"""Seconds after a failure, the first and at most; they double."""
HOPELESS = ("malformed", "invalid", "too-large", "not-json")
"""The service's problems that the same rewards would have for ever. Others may be a proxy's."""
TICKET = re.compile(r"[0-9a-f]{1,32}-[0-9]{1,18}-[0-9a-f]{1,6}")


def checked_ticket(ticket: str) -> str:
    """The ticket, which has the form of one."""
    fits = isinstance(ticket, str) and TICKET.fullmatch(ticket) is not None
    require(fits, "ticket", "one that the service gave", ticket)
    return ticket


class RewardQueue:
    """Sends rewards in the background, many at a time, again and again until they are taken."""

    def __init__(self, wire: Wire, size: int, path: str | os.PathLike[str] | None) -> None:
        """Take up what the file holds, if there is one."""
        self._wire = wire
        self._size = whole("queue_size", size, 1)
        self._journal = None if path is None else Journal(path)
        self._waiting: deque[Reward] = deque(self._journal.rewards() if self._journal else ())
        self._changed = threading.Condition()
        self._closing = self._hurry = False
        self._thread: threading.Thread | None = None
        if self._waiting:
            self._start()

    def put(self, ticket: str, value: float) -> bool:
        """Take in a reward: whether there is room for it."""
        reward = Reward(checked_ticket(ticket), number("reward", value, -math.inf, math.inf))
        with self._changed:
            require(not self._closing, "client", "open", "closed")
            if len(self._waiting) >= self._size:
                log.warning("reward of %s dropped: %d are waiting", ticket, self._size)
                return False
            if self._journal:
                self._journal.add(reward)
            self._waiting.append(reward)
            self._start()
            self._changed.notify_all()
        return True

    def _start(self) -> None:
        """Start the thread when it is first needed: by then a web server has forked."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="rewards", daemon=True)
            self._thread.start()
            atexit.register(self.close)

    def flush(self, timeout: float) -> bool:
        """Wait until nothing waits any more: whether that is so."""
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not self._waiting, timeout)

    def close(self, timeout: float = 5.0) -> None:
        """Send what waits, if possible in time; what is left stays in the file."""
        ends = time.monotonic() + timeout
        atexit.unregister(self.close)
        with self._changed:
            if self._closing:
                return
            self._closing = True
        done = self.flush(timeout)
        with self._changed:
            self._waiting, left = deque(), len(self._waiting)
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(max(0.0, ends - time.monotonic()))
        if self._journal:
            self._journal.close()
        if not done and not self._journal:
            log.error("%d rewards were not sent, and are lost", left)

    # The thread.

    def _run(self) -> None:
        rest = REST[0]
        while batch := self._next_batch():
            try:
                left = self._send(batch)
            except Exception as error:  # whatever it is, the thread has to live on
                if rest == REST[0]:  # a line for an outage
                    log.warning("rewards wait to be sent: %s", error)
                left = batch
            with self._changed:
                if not self._waiting:  # closed meanwhile
                    return
                for _ in batch:
                    self._waiting.popleft()
                self._waiting.extend(left)
                if self._journal:
                    self._journal.keep(self._waiting)
                self._changed.notify_all()
                if left:
                    self._changed.wait_for(
                        lambda: self._hurry or not self._waiting, REST[0] if self._closing else rest
                    )
                    rest = min(2 * rest, REST[1])
                else:
                    rest = REST[0]

    def _next_batch(self) -> list[Reward]:
        """Rewards to send now; none when the queue is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._changed.wait_for(
                lambda: self._hurry or self._closing or len(self._waiting) >= BATCH, LINGER
            )
            self._hurry = False
            return list(islice(self._waiting, BATCH))

    def _send(self, batch: list[Reward]) -> list[Reward]:
        """The rewards that are to be sent again."""
        rewards = [reward._asdict() for reward in batch]
        body = json.dumps({"rewards": rewards}).encode()
        status, answer = self._wire.post("/v1/rewards", body, TIMEOUT)
        if status != 200:
            problem = problem_of(status, answer)
            if problem.reason not in HOPELESS:
                raise problem
            log.error("%d rewards refused: %s", len(batch), problem)
            return []
        try:
            return _refused_for_now(batch, json.loads(answer)["results"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ServiceError("not-floorline", "the answer has no results") from None


def _refused_for_now(batch: list[Reward], results: list[dict[str, Any]]) -> list[Reward]:
    """The rewards that are to be sent again. Those refused for good are logged."""
    again = []
    for reward, result in zip(batch, results, strict=True):
        problem = result.get("problem")
        if problem and problem["status"] >= 500:
            again.append(reward)
        elif problem:
            log.warning("reward of %s refused: %s", reward.ticket, problem["detail"])
    return again
