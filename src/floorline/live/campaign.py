"""A live campaign: decisions under the floor, on a ledger that survives anything."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np

from floorline.core.checks import choice, number, require
from floorline.live import snapshot
from floorline.live.errors import Conflict, LedgerError, Stopped, UnknownTicket
from floorline.live.events import VERSION, Event
from floorline.live.history import Record, records
from floorline.live.ledger import Ledger
from floorline.live.replay import load
from floorline.live.settings import CHANGEABLE, Settings
from floorline.live.state import State
from floorline.live.status import Status, status_of
from floorline.live.tickets import (
    Ticket,
    new_campaign_id,
    ticket_id,
    ticket_number,
    ticket_of,
)

SNAPSHOT_EVERY = 50_000
"""Events between snapshots, or twice the open decisions where those are more."""

MAX_KEY = 200


class Campaign:
    """Decides, one request at a time, which arm to play, and keeps the floor.

    >>> campaign = Campaign.open(":memory:", arms=["now", "video"], max_loss=0.1, seed=1)
    >>> ticket = campaign.decide()
    >>> ticket.arm, ticket.reason
    ('now', 'no-rewards')
    >>> campaign.observe(ticket, 1.0)
    'accepted'
    >>> campaign.status().decisions
    1

    Every method may be called from any thread.
    """

    def __init__(
        self, ledger: Ledger, state: State, check: int, campaign_id: str, seed: int | None,
        clock: Callable[[], float],
    ) -> None:  # fmt: skip
        """For `open`, which makes campaigns."""
        self._ledger = ledger
        self._state = state
        self._check = check
        self._id = campaign_id
        self._coin = random.Random(seed)
        self._rng = np.random.default_rng(seed)
        self._clock = clock
        self._mutex = threading.RLock()
        self._depth = 0
        self._stale = False
        self._snapshot_at = state.seq
        self.duplicates = 0
        """Rewards that came again since the campaign was opened here."""

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, seed: int | None = None,
        clock: Callable[[], float] = time.time, **settings: Any,
    ) -> Campaign:  # fmt: skip
        """A new campaign in a new file, or the one that the file holds.

        Args:
            path: the file, or ":memory:" for a campaign that is gone with the process.
            seed: for the proposer's and the holdback's coins; unpredictable unless given.
            clock: the time in seconds since 1970.
            settings: those of `Settings`; `arms` and `max_loss` are needed for a new one. A
                setting that differs from the file's is refused.

        Raises:
            ValueError: a setting is not allowed, or not the file's.
            LedgerError: the file cannot be used, or another process has it open.
        """
        ledger = Ledger(os.fspath(path))
        try:
            first = ledger.event(1)
            if first is None:
                opening = Settings.from_json(settings)
                state, check = State(opening), 0
                body: dict[str, Any] = {
                    "version": VERSION,
                    "id": new_campaign_id(),
                    "settings": opening.to_json(),
                }
            else:
                state, check = load(ledger)
                state.settings.refuse_others(settings)
                body = first.body
            campaign = cls(ledger, state, check, body["id"], seed, clock)
            if first is None:
                with campaign.together():
                    campaign._happen("opened", body=body)
        except BaseException:
            ledger.close()
            raise
        return campaign

    @property
    def id(self) -> str:
        """The campaign's own part of its tickets' ids."""
        return self._id

    @property
    def seq(self) -> int:
        """The place of the last event in the ledger."""
        return self._state.seq

    @property
    def settings(self) -> Settings:
        """What the campaign was opened with, and what has been changed since."""
        return self._state.settings

    # Decisions and rewards.

    def decide(self, request_key: str | None = None, candidate: str | None = None) -> Ticket:
        """Which arm to play now. It is durable when it is returned.

        Args:
            request_key: names the request; asking again with it gives the same ticket.
            candidate: an arm that your own bandit proposes. It may depend on anything before
                this request, and on nothing about this request; see docs/guarantee.md.
        """
        if request_key is not None:
            fits = isinstance(request_key, str) and 1 <= len(request_key) <= MAX_KEY
            require(fits, "request_key", f"a text of 1 to {MAX_KEY} characters", request_key)
        if candidate is not None:
            choice("candidate", candidate, self.settings.arms)
        with self.together():
            if request_key is not None:
                earlier = self._ledger.by_key(request_key)
                if earlier is not None:
                    return ticket_of(self._id, self.settings, earlier)
            if self._state.stopped:
                raise Stopped("the campaign is stopped: it decides nothing more")
            wanted = None if candidate is None else self._state.index[candidate]
            made = self._state.choose(wanted, self._coin.random(), self._rng)
            arms = self.settings.arms
            body = {
                "arm": arms[made.arm],
                "candidate": None if made.candidate is None else arms[made.candidate],
                "reason": made.reason,
                "guaranteed_budget": made.guaranteed_budget,
                "probability": made.probability,
            }
            event = self._happen("decided", key=request_key, body=body)
            return ticket_of(self._id, self.settings, event)

    def observe(self, ticket: Ticket | str, reward: float) -> str:
        """Take in the reward of a decision: `accepted`, `duplicate` or `late` (and not used).

        Raises:
            ValueError: the reward is outside the declared range.
            UnknownTicket: there is no such decision.
            Conflict: the decision has another reward already, or was voided.
        """
        reward = number("reward", reward, self.settings.low, self.settings.high)
        with self.together():
            seq = ticket_number(self._id, ticket)
            if seq not in self._state.open:
                return self._observe_again(seq, reward)
            self._happen("observed", ticket=seq, body={"reward": reward})
            return "accepted"

    def _observe_again(self, seq: int, reward: float) -> str:
        """A reward for a decision that is no longer open."""
        self._decision(seq)
        for event in self._ledger.about(seq):
            if event.kind == "voided":
                raise Conflict(f"ticket {ticket_id(self._id, seq)}: was voided")
            if event.kind == "observed":
                if event.body["reward"] != reward:
                    raise Conflict(
                        f"ticket {ticket_id(self._id, seq)}: has the reward "
                        f"{event.body['reward']:g} already, not {reward:g}"
                    )
                self.duplicates += 1
                return "duplicate"
        self._happen("observed", ticket=seq, body={"reward": reward, "late": True})
        return "late"

    def void(self, ticket: Ticket | str) -> str:
        """Say that a decision reached nobody: `accepted`, or `duplicate` if that was known.

        A challenger stays charged. A default can be voided only where `voids` is set.

        Raises:
            UnknownTicket: there is no such decision.
            Conflict: its reward is known, or its window is over, or it may not be voided.
        """
        with self.together():
            seq = ticket_number(self._id, ticket)
            name = ticket_id(self._id, seq)
            if seq not in self._state.open:
                self._decision(seq)
                if any(event.kind == "voided" for event in self._ledger.about(seq)):
                    return "duplicate"
                raise Conflict(f"ticket {name}: can no longer be voided; it is closed")
            if self._state.open[seq].arm == 0 and not self.settings.voids:
                raise Conflict(
                    f"ticket {name}: a default decision cannot be voided in this campaign, which "
                    "counts it when it is made; open one with voids=True"
                )
            self._happen("voided", ticket=seq)
            return "accepted"

    def _decision(self, seq: int) -> Event:
        event = self._ledger.event(seq)
        if event is None or event.kind != "decided":
            raise UnknownTicket(f"ticket {ticket_id(self._id, seq)}: there is no such decision")
        return event

    # Running it.

    def pause(self) -> None:
        """Play the default arm until `resume`. Rewards are still taken in."""
        self._switch("paused")

    def resume(self) -> None:
        """Go on after `pause`."""
        self._switch("resumed")

    def _switch(self, kind: str) -> None:
        with self.together():
            self._refuse_if_stopped()
            if self._state.paused != (kind == "paused"):
                self._happen(kind)

    def stop(self) -> None:
        """End the campaign for good. Rewards are still taken in."""
        with self.together():
            if not self._state.stopped:
                self._happen("changed", body={"stopped": True})

    def start_epoch(self) -> None:
        """Begin anew, with counts, intervals and budget from zero, as after a drift alarm.

        The promise then holds for the new epoch by itself. Rewards of earlier decisions are
        recorded and no longer used.
        """
        with self.together():
            self._refuse_if_stopped()
            self._happen("changed", body={"epoch": self._state.epoch + 1})

    def change(self, **settings: Any) -> None:
        """Change `policy` or `holdback`, on which the promise does not depend."""
        for name in settings:
            choice("setting", name, CHANGEABLE)
        Settings.from_json({**self.settings.to_json(), **settings})
        with self.together():
            self._refuse_if_stopped()
            self._happen("changed", body=settings)

    def _refuse_if_stopped(self) -> None:
        if self._state.stopped:
            raise Stopped("the campaign is stopped")

    # Looking at it.

    def status(self) -> Status:
        """Where the campaign stands: does the floor hold, and what is known of each arm."""
        with self.together():
            return status_of(self._id, self._state, self.duplicates, self._now())

    def history(self, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """The decisions in order, each with what came of it."""
        return records(self._ledger, self._id, after, limit, self._mutex)

    @property
    def ledger(self) -> Ledger:
        """The events themselves."""
        return self._ledger

    def state(self) -> dict[str, Any]:
        """All that follows from the events so far, as plain values."""
        with self._mutex:
            return snapshot.to_json(self._state)

    # How things happen.

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make what happens inside durable together, at the end: a group commit.

        No ticket made inside may be handed out before the end. If the ledger fails,
        nothing inside has happened, and LedgerError is raised.
        """
        with self._mutex:
            if self._depth:
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
                return
            self._begin()
            try:
                self._expire()
                yield
            finally:
                self._depth = 0
                self._end()

    def _begin(self) -> None:
        if self._stale:
            self._go_back()
        self._ledger.begin()
        self._depth = 1

    def _end(self) -> None:
        try:
            if self._stale:  # something broke off in the middle
                raise LedgerError(f"{self._ledger.path}: could not be written to; nothing happened")
            self._save_snapshot_if_due()
            self._ledger.commit()
        except LedgerError:
            self._stale = True
            self._go_back()
            raise

    def _go_back(self) -> None:
        """Go back to what is durable."""
        self._ledger.roll_back()
        self._state, self._check = load(self._ledger)
        self._stale = False

    def _save_snapshot_if_due(self) -> None:
        state = self._state
        if state.seq - self._snapshot_at >= max(SNAPSHOT_EVERY, 2 * len(state.open)):
            self._ledger.save_snapshot(state.seq, self._check, snapshot.to_json(state))
            self._snapshot_at = state.seq

    def _expire(self) -> None:
        for seq in list(self._state.due(self._now())):
            self._happen("expired", ticket=seq)

    def _now(self) -> float:
        return max(self._clock(), self._state.time)  # never back, whatever the clock does

    def _happen(
        self, kind: str, ticket: int | None = None, key: str | None = None,
        body: dict[str, Any] | None = None,
    ) -> Event:  # fmt: skip
        event = Event(self._state.seq + 1, self._now(), kind, ticket, key, body or {})
        self._stale = True  # unless both of these happen
        self._check = self._ledger.append(event, self._check)
        self._state.apply(event)
        self._stale = False
        return event

    def close(self) -> None:
        """Close the ledger."""
        with self._mutex:
            self._ledger.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()
