"""A queue of rewards, and the thread that sends them until the service accepts them."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Mapping
from itertools import islice

from .checks import positive_int
from .deferred import RETENTION_SECONDS, DeferredRewards
from .delivery import Delivery, deliver
from .forks import start_over_after_fork
from .journal import Journal
from .messages import MAX_BATCH, ServiceError
from .requests import Requests
from .reward import Reward, checked_reward

log = logging.getLogger("floorline.client")

GATHER_SECONDS = 0.1
"""Seconds for which rewards are collected before they are sent together."""

BACKOFF = (0.2, 10.0)
"""Seconds before rewards are sent again after a failure: at first, and at most."""


class RewardQueue:
    """Sends rewards in the background, in batches, until they are accepted."""

    def __init__(self, pool: Requests, size: int, path: str | os.PathLike[str] | None) -> None:
        """Start with the rewards in the file at `path`, if there is one."""
        self._pool = pool
        self._size = positive_int("queue_size", size)
        self._journal = None if path is None else Journal(path)
        self._begin()
        start_over_after_fork(self)
        if self._journal:
            self._waiting.extend(self._journal.load())
        if self._waiting:
            self._start()

    def _begin(self) -> None:
        """Begin without rewards."""
        self._waiting: deque[Reward] = deque()
        self._deferred = DeferredRewards()
        self._changed = threading.Condition()
        self._closing = self._closed = self._hurry = False
        self._thread: threading.Thread | None = None

    def start_over(self) -> None:
        """Drop the rewards, which the parent process sends, and its file."""
        if self._closing:
            return
        atexit.unregister(self.close)
        if self._journal:
            log.error(
                "queue_file: %s belongs to the process that this one was forked from; here rewards "
                "wait in memory only. Create a client in each process, with a file of its own",
                self._journal.path,
            )
        self._journal = None
        self._begin()

    def put(self, ticket: str, value: float, metrics: Mapping[str, float] | None = None) -> bool:
        """Add a reward; False if the queue is full."""
        reward = checked_reward(ticket, value, metrics)
        with self._changed:
            if self._closing:
                raise ValueError("client: is closed")
            if len(self._waiting) + len(self._deferred) >= self._size and not self._evict():
                full = f"{self._size} rewards are waiting"
                log.warning("reward %g of %s dropped: %s", reward.reward, ticket, full)
                return False
            if self._journal:
                self._journal.add(reward)
            self._waiting.append(reward)
            self._start()
            self._changed.notify_all()
        return True

    def flush(self, timeout: float) -> bool:
        """Wait until every reward was sent or refused; False if some are left after `timeout`."""
        with self._changed:
            self._send_all_now()
            return self._changed.wait_for(
                lambda: not self._waiting and not self._deferred,
                min(timeout, threading.TIMEOUT_MAX),
            )

    def close(self, timeout: float = 5.0) -> None:
        """Send queued rewards, as far as the timeout allows. The rest stays in the file.

        Deferred rewards are sent once more, but not waited for.
        """
        timeout = min(timeout, threading.TIMEOUT_MAX)
        end = time.monotonic() + timeout
        atexit.unregister(self.close)
        with self._changed:
            if self._closing:
                return
            self._closing = True
            self._send_all_now()
            self._changed.wait_for(lambda: not self._waiting, timeout)
            self._closed = True
            left = len(self._waiting) + len(self._deferred)
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(max(0.0, end - time.monotonic()))
        if self._journal:
            self._journal.close()
        elif left:
            log.error("%d rewards were not sent, and are lost", left)

    def _send_all_now(self) -> None:
        self._waiting.extend(self._deferred.take_all())
        if self._waiting:
            self._start()
        self._hurry = True
        self._changed.notify_all()

    def _evict(self) -> bool:
        """Give up the reward deferred longest to make room; False if none is deferred."""
        if not self._deferred:
            return False
        error = ServiceError("queue-full", f"{self._size} rewards are waiting")
        self._refuse(self._deferred.take_oldest(), error)
        return True

    def _refuse(self, reward: Reward, error: ServiceError) -> None:
        """Give up a reward visibly: in the log, and in the file beside the queue's."""
        where = ""
        if self._journal:
            self._journal.refuse(reward, error)
            where = f" (kept in {self._journal.refused_path})"
        log.warning("reward %g of %s refused: %s%s", reward.reward, reward.ticket, error, where)

    def _start(self) -> None:
        """Start the thread when it is first needed: by then a web server has forked."""
        if self._thread is not None:
            return
        thread = threading.Thread(target=self._run, name="rewards", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the system gives none now: the next reward tries again
            log.warning("rewards wait to be sent: %s", error)
            return
        self._thread = thread
        atexit.register(self.close)

    # The thread.

    def _run(self) -> None:
        pause = BACKOFF[0]
        while batch := self._next_batch():
            delivery = deliver(self._pool, batch)
            with self._changed:
                if self._closed:  # the file still holds what was not taken
                    return
                for _ in batch:
                    self._waiting.popleft()
                self._waiting.extend(delivery.retry)
                self._settle(delivery)
                self._changed.notify_all()
                if not delivery.retry:
                    pause = BACKOFF[0]
                    continue
                if pause == BACKOFF[0]:  # once an outage
                    log.warning("rewards wait to be sent: %s", delivery.error)
                self._changed.wait_for(
                    lambda: self._hurry or self._closed, BACKOFF[0] if self._closing else pause
                )
                pause = min(2 * pause, BACKOFF[1])

    def _next_batch(self) -> list[Reward]:
        """Return the rewards to send now; none to end the thread."""
        with self._changed:
            while True:
                self._waiting.extend(self._deferred.take_due())
                if self._waiting or self._closing:
                    break
                self._changed.wait(self._deferred.seconds_to_next())
            self._changed.wait_for(
                lambda: self._hurry or self._closing or len(self._waiting) >= MAX_BATCH,
                GATHER_SECONDS,
            )
            self._hurry = False
            return [] if self._closed else list(islice(self._waiting, MAX_BATCH))

    def _settle(self, delivery: Delivery) -> None:
        """Defer or give up what should not be sent again soon, and forget what was accepted."""
        for reward, error in delivery.refused:
            self._refuse(reward, error)
        new = [item for item in delivery.deferred if item[0].deferred_since is None]
        if new:
            ticket, error = new[0][0].ticket, new[0][1]
            kept = f"{len(new)} rewards kept for {RETENTION_SECONDS / 3600:g} hours"
            log.warning("%s and sent again; the first is of %s: %s", kept, ticket, error)
        for reward, error in delivery.deferred:
            self._defer(reward, error)
        if self._journal:
            self._journal.keep([*self._waiting, *self._deferred])

    def _defer(self, reward: Reward, error: ServiceError) -> None:
        if reward.deferred_since is None:
            reward = reward._replace(deferred_since=time.time())
            if self._journal:
                self._journal.add(reward)
        if not self._deferred.add(reward):
            self._refuse(reward, error)
