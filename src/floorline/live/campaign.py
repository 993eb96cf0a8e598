"""A live campaign: decisions under the floor, on a ledger that survives anything."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Any

import numpy as np

from floorline.core.checks import choice, number, require
from floorline.live import snapshot
from floorline.live.choose import choose
from floorline.live.errors import Conflict, Stopped
from floorline.live.events import Event
from floorline.live.history import events, records
from floorline.live.ledgers import Ledger
from floorline.live.messages import Record, Result, Ticket
from floorline.live.notes import checked_labels, checked_note
from floorline.live.opening import open_recorder
from floorline.live.recorder import Recorder
from floorline.live.settings import (
    CHANGEABLE,
    CHANGEABLE_IN_NEW_EPOCH,
    LARGEST_REWARD,
    CampaignSettings,
    plain_text,
)
from floorline.live.state import State
from floorline.live.status import Status, status_of
from floorline.live.tickets import TicketIds, decision_of, seq_of, ticket_of

MAX_KEY = 200
STREAM = 0x466C6F6F
"""Tells our random numbers from those of anybody else with the same seed."""


class Campaign:
    """Decides, one request at a time, which arm to play, and keeps the floor.

    >>> campaign = Campaign.open(":memory:", arms=["now", "video"], max_loss=0.1, seed=1)
    >>> ticket = campaign.decide()
    >>> ticket.arm, ticket.reason
    ('now', 'default-unknown')
    >>> campaign.observe(ticket, 1.0)
    'accepted'
    >>> campaign.status().decisions
    1

    Every method may be called from any thread. After a KeyboardInterrupt the campaign goes on:
    what was returned is durable, except what a `transaction` block has not committed yet.
    """

    def __init__(self, recorder: Recorder, ids: TicketIds, seed: int | None) -> None:
        """Use `open` instead."""
        self._recorder = recorder
        self._ids = ids
        self._id = ids.campaign
        # Streams of our own: a simulation may draw its rewards with the same seed, and a coin
        # that knows the reward would break everything.
        # Nor may coins begin anew at each opening: those of short-lived processes would all agree.
        events = recorder.state.seq
        begun = f" {events}" if events > 1 else ""
        self._coin = random.Random(None if seed is None else f"floorline {seed}{begun}")
        self._rng = np.random.default_rng(None if seed is None else [seed, STREAM, events])
        self._duplicates = 0

    @classmethod
    def open(
        cls,
        locator: str | os.PathLike[str] | Ledger,
        *,
        seed: int | None = None,
        clock: Callable[[], float] | None = None,
        up_since: float | None = None,
        **settings: Any,
    ) -> Campaign:
        """Return a new campaign in a new ledger, or the one that the ledger holds.

        Args:
            locator: where the ledger is: the path of a file, ":memory:" for one that ends with
                the process, or "postgresql://HOST/DATABASE/CAMPAIGN"; or a ledger of your own.
            seed: for the coins of the proposer and the holdback; unpredictable unless given.
            clock: the time in seconds since 1970; unless given, that of the ledger: the database's
                for PostgreSQL, else the machine's, with implausible steps held back.
            up_since: when the service that reports rewards came up, by that clock. Windows did
                not run between the ledger's last event and then.
            settings: those of `CampaignSettings`; a new campaign needs `arms` and `max_loss`. For
                an existing one, they must be the ledger's or be left out.

        Raises:
            ValueError: a setting is not allowed, or differs from the ledger's.
            LedgerError: the ledger cannot be used, or is open elsewhere.
        """
        source = locator if isinstance(locator, Ledger) else os.fspath(locator)
        return cls(*open_recorder(source, clock, settings, up_since), seed)

    @property
    def _state(self) -> State:
        return self._recorder.state

    @property
    def _ledger(self) -> Ledger:
        return self._recorder.ledger

    @property
    def id(self) -> str:
        """The campaign's own part of its tickets' ids."""
        return self._id

    @property
    def seq(self) -> int:
        """The sequence number of the last event."""
        return self._state.seq

    @property
    def settings(self) -> CampaignSettings:
        """What the campaign was opened with, and what has been changed since."""
        return self._state.settings

    # Decisions and rewards.

    def decide(self, request_key: str | None = None, candidate: str | None = None) -> Ticket:
        """Return which arm to play now. The decision is durable when it is returned.

        Args:
            request_key: names the request; asking again with it gives the same ticket.
            candidate: an arm that your own bandit proposes. It may depend on anything before
                this request, and on nothing about this request; see docs/guarantee.md.
        """
        recorder = self._recorder
        check_request(recorder.state.settings, request_key, candidate)
        if request_key is not None:
            request_key = plain_text(request_key)
        return recorder.run(self._decide, request_key, candidate)

    def _decide(self, request_key: str | None, candidate: str | None) -> Ticket:
        recorder = self._recorder
        state = recorder.state
        arms = state.settings.arms
        if request_key is not None:
            earlier = recorder.ledger.by_key(request_key)
            if earlier is not None:
                return ticket_of(self._ids, arms, earlier)
        if state.stopped:
            raise Stopped(f"the campaign is stopped: it decides nothing more; play {state.serves}")
        body = choose(state, candidate, self._coin, self._rng)
        return ticket_of(self._ids, arms, recorder.record("decided", None, request_key, body))

    def observe(self, ticket: Ticket | str, reward: float) -> Result:
        """Record the reward of a decision: `accepted`, `duplicate` or `late` (and not used).

        Raises:
            ValueError: the reward is outside the declared range, and is not clipped. Unless
                another one comes, its decision then counts as unknown.
            UnknownTicket: there is no such decision.
            Conflict: the decision has another reward already, or was voided.
        """
        recorder = self._recorder
        settings = recorder.state.settings
        if isinstance(reward, (Ticket, str)) and not isinstance(ticket, (Ticket, str)):
            raise ValueError(f"ticket: must come before the reward, not {ticket!r} before {reward}")
        reward = float(reward) if isinstance(reward, bool) else reward  # it clicked, or did not
        try:
            given = number("reward", reward, settings.low, settings.high)
        except ValueError:
            with suppress(ValueError):  # no number at all
                given = number("reward", reward, -LARGEST_REWARD, LARGEST_REWARD)
                if given > settings.high and settings.beyond == "clip":
                    return recorder.run(self._observe, ticket, given)
                recorder.run(self._refuse, ticket, given)
            raise
        return recorder.run(self._observe, ticket, given)

    def _observe(self, ticket: Ticket | str, given: float) -> Result:
        recorder = self._recorder
        reward = min(given, recorder.state.settings.high)
        seq, name = self._decision(ticket)
        if seq not in recorder.state.open:
            return self._observe_closed(seq, name, reward)
        clipped = {} if reward == given else {"clipped_from": given}
        recorder.record("observed", seq, None, {"reward": reward, **clipped})
        return "accepted"

    def _refuse(self, ticket: Ticket | str, given: float) -> None:
        """Record that a reward was refused: silence about its decision is no zero any more."""
        state = self._state
        seq, _ = self._decision(ticket)
        if seq in state.open and seq not in state.refused_open:
            self._recorder.record("refused", seq, None, {"reward": given})

    def _observe_closed(self, seq: int, name: str, reward: float) -> Result:
        """Record the reward of a decision that is no longer open."""
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
        self._recorder.record("observed", seq, body={"reward": reward, "late": True})
        return "late"

    def void(self, ticket: Ticket | str) -> Result:
        """Record that a decision reached nobody: `accepted`, or `duplicate` if that is known.

        A challenger stays charged. A default can be voided only if the campaign has `voids`.

        Raises:
            UnknownTicket: there is no such decision.
            Conflict: its reward is known, or its window is over, or it may not be voided.
        """
        return self._recorder.run(self._void, ticket)

    def _void(self, ticket: Ticket | str) -> Result:
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
        self._recorder.record("voided", seq)
        return "accepted"

    def _decision(self, ticket: Ticket | str) -> tuple[int, str]:
        """Return the sequence number and id of a decision, closed if its window is over."""
        recorder = self._recorder
        name = ticket.id if isinstance(ticket, Ticket) else ticket
        seq = seq_of(self._id, name)
        play = recorder.state.open.get(seq)
        if play is None:
            decision_of(recorder.ledger, self._ids, name)
            return seq, name
        self._ids.check(name, seq, play.time)
        if recorder.state.is_due(seq, recorder.now()):
            recorder.record("expired", seq)
        return seq, name

    # Running it.

    def pause(self) -> None:
        """Play the default arm until `resume`. Rewards are still recorded."""
        self._recorder.run(self._switch, "paused")

    def resume(self) -> None:
        """Go on after `pause`."""
        self._recorder.run(self._switch, "resumed")

    def _switch(self, kind: str) -> None:
        self._refuse_if_ended()
        if self._state.paused != (kind == "paused"):
            self._recorder.record(kind)

    def finish(self, arm: str) -> None:
        """Declare a winner: it is served from now on, and nothing else.

        There is no holdback and no fallback to the default any more, and nothing is promised of
        decisions from now on. Decisions and rewards are still recorded.

        Raises:
            Conflict: the campaign was finished with another arm.
            Stopped: it was stopped.
        """
        winner = choice("arm", arm, self.settings.arms)
        with self.transaction():
            if self._state.finished and self._state.serves == winner:
                return
            self._refuse_if_ended()
            self._recorder.record("changed", body={"finished": True, "serves": winner})

    def stop(self, arm: str | None = None) -> None:
        """End the campaign for good. Rewards are still recorded.

        Args:
            arm: the arm that everybody is to get from now on; unless told, the winner of a
                finished campaign, else the default. The campaign no longer decides: `decide`
                raises Stopped, which names this arm.

        Raises:
            Conflict: it was stopped with another arm.
        """
        arms = self.settings.arms
        wanted = None if arm is None else choice("arm", arm, arms)
        with self.transaction():
            state = self._state
            if not state.stopped:
                body = {"stopped": True, "serves": wanted or state.serves or arms[0]}
                self._recorder.record("changed", body=body)
            elif wanted not in (None, state.serves):
                raise Conflict(f"arm: the campaign was stopped with {state.serves}, not {wanted}")

    def note(self, text: str) -> None:
        """Record a remark, which is shown among what happened to the campaign."""
        self._recorder.run(self._recorder.record, "noted", None, None, {"text": checked_note(text)})

    def label(self, labels: Sequence[str]) -> None:
        """Replace the campaign's labels, by which people find it."""
        body = {"labels": checked_labels(labels)}
        self._recorder.run(self._recorder.record, "noted", None, None, body)

    def archive(self, archived: bool = True) -> None:
        """Leave the campaign out of lists, or take it back in. It goes on as before."""
        with self.transaction():
            if self._state.archived != archived:
                self._recorder.record("noted", body={"archived": archived})

    @property
    def serves(self) -> str | None:
        """The arm that everybody gets for good, once the campaign is finished or stopped."""
        return self._state.serves

    def start_epoch(self, **settings: Any) -> None:
        """Start again, with counts, intervals and budget from zero, as after a drift alarm.

        The promise then holds for the new epoch by itself. Rewards of earlier decisions are
        recorded and no longer used. `floor`, `policy` and `holdback` may change with it.
        """
        changed = self._changed_settings(settings, CHANGEABLE_IN_NEW_EPOCH)
        with self.transaction():
            self._refuse_if_ended()
            self._recorder.record("changed", body={"epoch": self._state.epoch + 1, **changed})

    def change(self, **settings: Any) -> None:
        """Change `policy` or `holdback`, on which the promise does not depend."""
        changed = self._changed_settings(settings, CHANGEABLE)
        with self.transaction():
            self._refuse_if_ended()
            self._recorder.record("changed", body=changed)

    def _changed_settings(
        self, settings: dict[str, Any], allowed: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the settings as the ledger keeps them; raise ValueError if one is not allowed."""
        for name in settings:
            choice("setting", name, allowed)
        changed = CampaignSettings.from_json({**self.settings.to_json(), **settings})
        return {name: getattr(changed, name) for name in settings}

    def _refuse_if_ended(self) -> None:
        if self._state.stopped:
            raise Stopped("the campaign is stopped")
        if self._state.finished:
            raise Conflict(f"the campaign is finished: everybody gets {self._state.serves}")

    # Looking at it.

    def status(self) -> Status:
        """Return where the campaign stands: whether the floor holds, what is known of each arm."""
        with self._recorder.reading():
            now, problems = self._recorder.now(), self._recorder.clock_problems()
            return status_of(self._id, self._state, self._duplicates, now, problems)

    def history(self, after: int = 0, limit: int | None = None) -> Iterator[Record]:
        """Yield the decisions with seq > after in order, each with its outcome so far."""
        return records(self._ledger, self._ids, after, limit, self._recorder.reading)

    def events(self, after: int = 0) -> Iterator[Event]:
        """Yield the events with seq > after, in order."""
        return events(self._ledger, after, self._recorder.reading)

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
        """Look up request keys together, at the beginning of a transaction that decides for them.

        It only saves time, where a ledger is on another machine.
        """
        self._ledger.look_up_keys(request_keys)

    def together(self) -> AbstractContextManager[None]:
        """Return `transaction()`, by its former name."""
        warnings.warn(
            "Campaign.together is deprecated; use Campaign.transaction",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.transaction()

    def keep_points(self, points: Callable[[], Any]) -> None:
        """Store what `points` returns, plain JSON values, with every snapshot from now on."""
        self._recorder.points = points

    def save_snapshot(self) -> None:
        """Store the state now, so that the campaign opens quickly next time."""
        self._recorder.run(self._recorder.save_snapshot)

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def check_request(
    settings: CampaignSettings, request_key: str | None, candidate: str | None
) -> None:
    """Raise ValueError unless a decision may be requested with these arguments."""
    if request_key is not None:
        fits = isinstance(request_key, str) and 1 <= len(request_key) <= MAX_KEY
        require(
            fits and request_key.isprintable(),
            "request_key",
            f"a printable text of 1 to {MAX_KEY} characters",
            request_key,
        )
    if candidate is not None:
        choice("candidate", candidate, settings.arms)
