"""State from events: the whole of them, or those since a snapshot."""

from __future__ import annotations

from floorline.live import snapshot
from floorline.live.errors import LedgerError
from floorline.live.events import from_row
from floorline.live.ledger import Ledger
from floorline.live.settings import Settings
from floorline.live.state import State


def load(ledger: Ledger) -> tuple[State, int]:
    """The state that a ledger leads to and the last checksum, from its latest good snapshot."""
    for seq in ledger.snapshots():
        started = _from_snapshot(ledger, seq)
        if started is not None:
            return _go_on(ledger, *started)
    return replay(ledger)


def replay(ledger: Ledger) -> tuple[State, int]:
    """The state that all events of a ledger lead to, and the last checksum."""
    events = ledger.checked_events(0, 0)
    first, check = next(events, (None, 0))
    if first is None or first.kind != "opened":
        raise LedgerError(f"{ledger.path}: does not begin with a campaign's opening")
    state = State(Settings.from_json(first.body["settings"]))
    state.apply(first)
    for event, check in events:  # noqa: B007 (the last one is wanted)
        state.apply(event)
    return state, check


def _go_on(ledger: Ledger, state: State, check: int) -> tuple[State, int]:
    for event, check in ledger.checked_events(state.seq, check):  # noqa: B007, B020
        state.apply(event)
    return state, check


def _from_snapshot(ledger: Ledger, seq: int) -> tuple[State, int] | None:
    """The state and checksum at a snapshot; None if it is not good."""
    try:
        check, values = ledger.snapshot(seq)
        event = ledger.row(seq)
        if event is None or event.check != check:
            return None
        return snapshot.from_json(values), check
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def state_before(ledger: Ledger, seq: int, most: int) -> State | None:
    """The state just before an event; None if more than `most` events would have to be replayed."""
    for kept in ledger.snapshots():
        started = _from_snapshot(ledger, kept) if kept < seq else None
        if started is not None:
            state = started[0]
            break
    else:
        first = ledger.event(1)
        if first is None:
            return None
        state = State(Settings.from_json(first.body["settings"]))
    if seq - state.seq > most:
        return None
    for row in ledger.rows(state.seq, seq - 1):
        state.apply(from_row(row))
    return state
