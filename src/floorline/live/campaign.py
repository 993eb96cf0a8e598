"""A live campaign: decisions under the floor, recorded in a durable ledger."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from typing import Any, TypeVar

import numpy as np

from floorline.core.checks import plain_text, require, whole
from floorline.core.deprecation import warn_renamed
from floorline.live import snapshot
from floorline.live.acceleration import LOOK_EVERY
from floorline.live.assessment import status_of
from floorline.live.choose import choose
from floorline.live.coins import Coin, SystemNumbers
from floorline.live.controls import Controls
from floorline.live.errors import Stopped
from floorline.live.events import Event
from floorline.live.history import events, records
from floorline.live.ledgers import Ledger
from floorline.live.messages import Record, Result, Ticket
from floorline.live.opening import open_recorder, refuse_other_settings
from floorline.live.outcomes import Outcomes
from floorline.live.recorder import Recorder
from floorline.live.request import check_request, checked_chances, is_key
from floorline.live.seals import Nonces
from floorline.live.state import State
from floorline.live.status import Status
from floorline.live.tickets import TicketIds, ticket_of

T = TypeVar("T")

STREAM = 0x466C6F6F
"""Separates our random streams from those of other programs with the same seed."""


class Campaign(Controls):
    """Decides, one request at a time, which arm to play, and keeps the floor.

    >>> campaign = Campaign.open(":memory:", arms=["current", "video"], max_loss=0.1, seed=1)
    >>> ticket = campaign.decide()
    >>> ticket.arm, ticket.reason
    ('current', 'default-unknown')
    >>> campaign.observe(ticket, 1.0)
    'accepted'
    >>> campaign.status().decisions
    1

    Every method may be called from any thread. A campaign stays usable after a KeyboardInterrupt:
    what was returned is durable, except what a `transaction` block has not committed yet.
    """

    def __init__(self, recorder: Recorder, ids: TicketIds, seed: int | None) -> None:
        """Use `open` instead."""
        super().__init__(recorder)
        self._ids = ids
        self._id = ids.campaign
        self._outcomes = Outcomes(recorder, ids)
        numbers: SystemNumbers | random.Random = SystemNumbers()
        self._rng = np.random.default_rng()
        self._nonces = Nonces()
        if seed is not None:
            # Separate streams: a simulation may draw its rewards with the same seed, and a coin
            # that depends on the reward would break everything. Nor may coins start afresh at
            # each opening: those of short-lived processes would all agree.
            seq = recorder.state.seq
            numbers = random.Random(f"floorline {seed}" + (f" {seq}" if seq > 1 else ""))
            self._rng = np.random.default_rng([seed, STREAM, seq])
        self._coin = Coin(numbers.random)

    @classmethod
    def open(
        cls,
        locator: str | os.PathLike[str] | Ledger,
        *,
        seed: int | None = None,
        clock: Callable[[], float] | None = None,
        down_since: float | None = None,
        up_since: float | None = None,
        **settings: Any,
    ) -> Campaign:
        """Return a new campaign in a new ledger, or the one that the ledger holds.

        Args:
            locator: where the ledger is: the path of a file, ":memory:" for one that ends with
                the process, or "postgresql://HOST/DATABASE/CAMPAIGN"; or a ledger of your own.
            seed: for the coins of the proposer and of the floor, in tests and examples. Without it
                they cannot be predicted; leave it out in live campaigns.
            clock: the time in seconds since 1970; unless given, that of the ledger: the database's
                for PostgreSQL, else the machine's, with implausible steps held back.
            down_since: when the service that reports rewards went down, by that clock, if later
                than the ledger's last event.
            up_since: when it came up, or infinity for now. Windows stood still between the two.
            settings: those of `CampaignSettings`; a new campaign needs `arms` and `max_loss`. For
                an existing one, they must match the ledger's or be left out.

        Raises:
            ValueError: a setting is not allowed, or differs from the ledger's.
            LedgerError: the ledger cannot be used, or is open elsewhere.
        """
        if seed is not None:
            seed = whole("seed", seed, 0)
        tells = clock is None or callable(clock)
        require(tells, "clock", "a function that returns the time in seconds", clock)
        source = locator if isinstance(locator, Ledger) else os.fspath(locator)
        return cls(*open_recorder(source, clock, settings, down_since, up_since), seed)

    @property
    def _ledger(self) -> Ledger:
        return self._recorder.ledger

    @property
    def id(self) -> str:
        """The campaign's own part of its tickets' ids."""
        return self._id

    @property
    def first_arms(self) -> list[str]:
        """The arms that the campaign was opened with, the default at that time first."""
        with self._recorder.reading():
            arms: list[str] = self._ledger.opened().body["settings"]["arms"]
            return arms

    def refuse_others(self, settings: Mapping[str, Any]) -> None:
        """Raise ValueError if one of these settings differs from the campaign's, as `open` does."""
        with self._recorder.reading():
            refuse_other_settings(self._ledger.opened(), self.settings, settings)

    @property
    def seq(self) -> int:
        """The sequence number of the last event."""
        return self._state.seq

    @property
    def last_event_time(self) -> float:
        """When the last event was recorded, in seconds since 1970."""
        return self._state.time

    def now(self) -> float:
        """Return the campaign's time in seconds since 1970: that of an event recorded now."""
        return self._recorder.now()

    # Decisions and rewards.

    def decide(
        self,
        request_key: str | None = None,
        candidate: str | None = None,
        context: Mapping[str, Any] | None = None,
        chances: Mapping[str, float] | None = None,
    ) -> Ticket:
        """Return which arm to play now. The decision is durable when it is returned.

        Args:
            request_key: identifies the request; asking again with it returns the same ticket.
            candidate: an arm that your own bandit proposes. It may depend on anything before
                this request and, except under the randomised floor, on nothing about this
                request; see docs/guarantee.md.
            context: a JSON object of at most 4 KB that is kept with the decision and exported.
            chances: how likely your bandit was to propose each arm, given the past; with it the
                ticket has a `propensity`.
        """
        recorder = self._recorder
        plain = check_request(recorder.state.settings, request_key, candidate, context)
        if request_key is not None:
            request_key = plain_text(request_key)
        return recorder.run(self._decide, request_key, candidate, plain, chances)

    def _decide(
        self,
        request_key: str | None,
        candidate: str | None,
        context: dict[str, Any] | None,
        chances: Mapping[str, float] | None,
    ) -> Ticket:
        recorder = self._recorder
        state = recorder.state
        arms = state.settings.arms
        likely = None
        if chances is not None:
            likely = checked_chances(state.settings, candidate, chances)  # in the arms' order
        if request_key is not None:
            earlier = recorder.ledger.by_key(request_key)
            if earlier is not None:
                return ticket_of(self._ids, arms, earlier)
        if state.stopped:
            raise Stopped(
                f"the campaign is stopped and makes no more decisions; play {state.serves}"
            )
        if state.compiled is None and state.decisions % LOOK_EVERY == LOOK_EVERY - 1:
            recorder.accelerate()
        body = choose(state, candidate, self._coin, self._rng, likely)
        if context is not None:
            body["context"] = context
        if recorder.seals and (context is not None or request_key is not None):
            body["nonce"] = self._nonces.new()
        return ticket_of(self._ids, arms, recorder.record("decided", None, request_key, body))

    def observe(
        self, ticket: Ticket | str, reward: float, metrics: Mapping[str, float] | None = None
    ) -> Result:
        """Record the reward of a decision: `accepted`, `duplicate` or `late` (and not used).

        Args:
            ticket: the decision.
            reward: what it earned.
            metrics: values of the campaign's guardrails, by name. An arm that surely breaks a
                limit is retired.

        Raises:
            ValueError: the reward is outside the declared range, and is not clipped. Unless
                another one comes, its decision then counts as unknown.
            UnknownTicket: there is no such decision.
            Conflict: the decision has another reward already, or was voided.
        """
        return self._outcomes.observe(ticket, reward, metrics)

    def void(self, ticket: Ticket | str) -> Result:
        """Record that a decision reached nobody: `accepted`, or `duplicate` if already recorded.

        A challenger stays charged. A default can be voided only if the campaign has `voids`.

        Raises:
            UnknownTicket: there is no such decision.
            Conflict: its reward is known, or its window is over, or it may not be voided.
        """
        return self._outcomes.void(ticket)

    # Reading.

    def status(self) -> Status:
        """Return the status: whether the floor holds, and what is known about each arm."""
        recorder = self._recorder
        with recorder.reading():
            problems, duplicates = recorder.clock_problems(), self._outcomes.duplicates
            return status_of(self._id, self._state, duplicates, recorder.now(), problems)

    def look(self, at: Callable[[State], T]) -> T:
        """Return what `at` makes of the state after the last event, which it must not change."""
        with self._recorder.reading():
            return at(self._state)

    def history(self, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """Yield the decisions with seq > after in order, each with its outcome so far."""
        after = whole("after", after, 0)
        limit = None if limit is None else whole("limit", limit, 0)
        return records(self._ledger, self._ids, after, limit, self._recorder.reading)

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events with seq > after, in order."""
        return events(self._ledger, whole("after", after, 0), self._recorder.reading)

    def state(self) -> dict[str, Any]:
        """Return everything that follows from the events so far, as plain values."""
        with self._recorder.reading():
            return snapshot.to_json(self._state)

    def transaction(self) -> AbstractContextManager[None]:
        """Commit everything recorded inside as one transaction: one wait for the disk.

        No ticket made inside may be handed out before the end. If the ledger fails, everything
        inside is rolled back, and LedgerError is raised at the end. Any other exception is
        passed on, and what was recorded before it is committed.
        """
        return self._recorder.transaction()

    def look_up_keys(self, request_keys: Collection[str]) -> None:
        """Look up request keys together, at the start of a transaction that decides for them.

        It only saves time. Keys that no request can have are left out: `decide` refuses them, and
        a database may refuse to look for them.
        """
        self._ledger.look_up_keys([key for key in request_keys if is_key(key)])

    def together(self) -> AbstractContextManager[None]:
        """Return `transaction()`, by its former name."""
        warn_renamed("Campaign.together", "Campaign.transaction")
        return self.transaction()

    def keep_points(self, points: Callable[[], Any]) -> None:
        """Store what `points` returns, plain JSON values, with every snapshot from now on."""
        self._recorder.snapshots.points = points

    def save_snapshot(self) -> None:
        """Store the state now, so that the campaign opens quickly next time."""
        recorder = self._recorder
        recorder.run(lambda: recorder.snapshots.write(recorder.state))

    def stored_points(self) -> tuple[int, Any] | None:
        """Return the sequence number and the points of the latest snapshot that has points."""
        with self._recorder.reading():
            for seq in self._ledger.snapshots():
                with suppress(ValueError):  # damaged: an older one may be whole
                    points = self._ledger.snapshot(seq).points
                    if points is not None:
                        return seq, points
        return None

    def close(self) -> None:
        """Close the ledger."""
        self._recorder.close()

    def __enter__(self) -> Campaign:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
