"""A live campaign: decisions under the floor, on a ledger that survives anything."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

import numpy as np

from floorline.core.checks import choice, number, require
from floorline.live import snapshot
from floorline.live.choose import choose
from floorline.live.errors import Conflict, Stopped
from floorline.live.events import SEQ, Event
from floorline.live.history import Record, records
from floorline.live.ledger import Ledger
from floorline.live.opening import open_writer
from floorline.live.settings import CHANGEABLE, Settings, plain_text
from floorline.live.state import State
from floorline.live.status import Status, status_of
from floorline.live.tickets import (
    Ticket,
    decision_of,
    no_such_decision,
    place_of,
    ticket_id,
    ticket_of,
)
from floorline.live.writer import Group, Writer

MAX_KEY = 200
STREAM = 0x466C6F6F
"""Tells our random numbers from those of anybody else with the same seed."""


class Campaign:
    """Decides, one request at a time, which arm to play, and keeps the floor.

    >>> campaign = Campaign.open(":memory:", arms=["now", "video"], max_loss=0.1, seed=1)
    >>> ticket = campaign.decide()
    >>> ticket.arm, ticket.reason
    ('now', 'default-is-best')
    >>> campaign.observe(ticket, 1.0)
    'accepted'
    >>> campaign.status().decisions
    1

    Every method may be called from any thread. After a KeyboardInterrupt, close the campaign
    and open it again: what was returned is durable, but Python may have kept a group from
    ending, and other threads wait for that.
    """

    def __init__(self, writer: Writer, campaign_id: str, seed: int | None) -> None:
        """For `open`, which makes campaigns."""
        self._writer = writer
        self._id = campaign_id
        # Streams of our own: a simulation may draw its rewards with the same seed, and a coin
        # that knows the reward would break everything.
        # Nor may coins begin anew at each opening: those of short-lived processes would all agree.
        events = writer.state.seq
        begun = f" {events}" if events > 1 else ""
        self._coin = random.Random(None if seed is None else f"floorline {seed}{begun}")
        self._rng = np.random.default_rng(None if seed is None else [seed, STREAM, events])
        self._duplicates = 0

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, seed: int | None = None,
        clock: Callable[[], float] = time.time, **settings: Any,
    ) -> Campaign:  # fmt: skip
        """A new campaign in a new file, or the one that the file holds.

        Args:
            path: the file, or ":memory:" for a campaign that is gone with the process.
            seed: for the coins of the proposer and the holdback; unpredictable unless given.
            clock: the time in seconds since 1970.
            settings: those of `Settings`; a new campaign needs `arms` and `max_loss`. One that
                differs from the file's is refused.

        Raises:
            ValueError: a setting is not allowed, or not the file's.
            LedgerError: the file cannot be used, or is open elsewhere.
        """
        return cls(*open_writer(os.fspath(path), clock, settings), seed)

    @property
    def _state(self) -> State:
        return self._writer.state

    @property
    def _ledger(self) -> Ledger:
        return self._writer.ledger

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
        writer = self._writer
        check_request(writer.state.settings, request_key, candidate)
        if request_key is not None:
            request_key = plain_text(request_key)
        with writer:
            state = writer.state
            arms = state.settings.arms
            if request_key is not None:
                earlier = writer.ledger.by_key(request_key)
                if earlier is not None:
                    return ticket_of(self._id, arms, earlier)
            if state.stopped:
                raise Stopped("the campaign is stopped: it decides nothing more")
            body = choose(state, candidate, self._coin.random(), self._rng)
            return ticket_of(self._id, arms, writer.happen("decided", None, request_key, body))

    def observe(self, ticket: Ticket | str, reward: float) -> str:
        """Take in the reward of a decision: `accepted`, `duplicate` or `late` (and not used).

        Raises:
            ValueError: the reward is outside the declared range.
            UnknownTicket: there is no such decision.
            Conflict: the decision has another reward already, or was voided.
        """
        writer = self._writer
        settings = writer.state.settings
        reward = number("reward", reward, settings.low, settings.high)
        with writer:
            seq, name = self._decision(ticket)
            if seq not in writer.state.open:
                return self._observe_again(seq, name, reward)
            writer.happen("observed", seq, body={"reward": reward})
            return "accepted"

    def _observe_again(self, seq: int, name: str, reward: float) -> str:
        """A reward for a decision that is no longer open."""
        for event in self._ledger.about(seq):
            if event.kind == "voided":
                raise Conflict(f"ticket {name}: was voided")
            if event.kind == "observed":
                if event.body["reward"] != reward:
                    raise Conflict(
                        f"ticket {name}: has the reward {event.body['reward']:g} already, "
                        f"not {reward:g}"
                    )
                self._duplicates += 1
                return "duplicate"
        self._writer.happen("observed", ticket=seq, body={"reward": reward, "late": True})
        return "late"

    def void(self, ticket: Ticket | str) -> str:
        """Say that a decision reached nobody: `accepted`, or `duplicate` if that was known.

        A challenger stays charged. A default can be voided only where `voids` is set.

        Raises:
            UnknownTicket: there is no such decision.
            Conflict: its reward is known, or its window is over, or it may not be voided.
        """
        with self._writer:
            seq, name = self._decision(ticket)
            if seq not in self._state.open:
                if any(event.kind == "voided" for event in self._ledger.about(seq)):
                    return "duplicate"
                raise Conflict(f"ticket {name}: can no longer be voided; it is closed")
            if self._state.open[seq].arm == 0 and not self.settings.voids:
                raise Conflict(
                    f"ticket {name}: a default decision cannot be voided in this campaign, which "
                    "counts it when it is made; open one with voids=True"
                )
            self._writer.happen("voided", ticket=seq)
            return "accepted"

    def _decision(self, ticket: Ticket | str) -> tuple[int, str]:
        """The place of a decision and its id; it is closed if its window is over."""
        name = ticket.id if isinstance(ticket, Ticket) else ticket
        seq = place_of(self._id, name)
        play = self._state.open.get(seq)
        if play is None:
            decision_of(self._ledger, self._id, name)
        elif name != ticket_id(self._id, seq, play.time):
            raise no_such_decision(name)
        elif self._state.is_due(seq, self._writer.now()):
            self._writer.happen("expired", seq)
        return seq, name

    # Running it.

    def pause(self) -> None:
        """Play the default arm until `resume`. Rewards are still taken in."""
        self._switch("paused")

    def resume(self) -> None:
        """Go on after `pause`."""
        self._switch("resumed")

    def _switch(self, kind: str) -> None:
        with self._writer:
            self._refuse_if_stopped()
            if self._state.paused != (kind == "paused"):
                self._writer.happen(kind)

    def stop(self) -> None:
        """End the campaign for good. Rewards are still taken in."""
        with self._writer:
            if not self._state.stopped:
                self._writer.happen("changed", body={"stopped": True})

    def start_epoch(self) -> None:
        """Begin anew, with counts, intervals and budget from zero, as after a drift alarm.

        The promise then holds for the new epoch by itself. Rewards of earlier decisions are
        recorded and no longer used.
        """
        with self._writer:
            self._refuse_if_stopped()
            self._writer.happen("changed", body={"epoch": self._state.epoch + 1})

    def change(self, **settings: Any) -> None:
        """Change `policy` or `holdback`, on which the promise does not depend."""
        for name in settings:
            choice("setting", name, CHANGEABLE)
        wanted = Settings.from_json({**self.settings.to_json(), **settings})
        with self._writer:
            self._refuse_if_stopped()
            body = {name: getattr(wanted, name) for name in settings}
            self._writer.happen("changed", body=body)

    def _refuse_if_stopped(self) -> None:
        if self._state.stopped:
            raise Stopped("the campaign is stopped")

    # Looking at it.

    def status(self) -> Status:
        """Where the campaign stands: does the floor hold, and what is known of each arm."""
        with self._writer:
            return status_of(self._id, self._state, self._duplicates, self._writer.now())

    def history(self, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """The decisions in order, each with what came of it."""
        return records(self._ledger, self._id, after, limit, self._writer)

    def events(self, after: int = 0) -> Iterator[Event]:
        """All that happened after a place in the ledger, in order."""
        while True:
            with self._writer:
                page = self._ledger.page(after)
            if not page:
                return
            for row in page:
                yield self._ledger.read(row)
            after = page[-1][SEQ]

    def state(self) -> dict[str, Any]:
        """All that follows from the events so far, as plain values."""
        with self._writer:
            return snapshot.to_json(self._state)

    def together(self) -> AbstractContextManager[object]:
        """Make what happens inside durable together, at its end: a group commit.

        No ticket made inside may be handed out before the end. If the ledger fails,
        nothing inside has happened, and LedgerError is raised at the end.
        """
        return Group(self._writer)

    def close(self) -> None:
        """Close the ledger."""
        self._writer.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


def check_request(settings: Settings, request_key: str | None, candidate: str | None) -> None:
    """Raise ValueError unless a decision may be asked for in this way."""
    if request_key is not None:
        fits = isinstance(request_key, str) and 1 <= len(request_key) <= MAX_KEY
        require(fits and request_key.isprintable(), "request_key",
                f"a printable text of 1 to {MAX_KEY} characters", request_key)  # fmt: skip
    if candidate is not None:
        choice("candidate", candidate, settings.arms)
