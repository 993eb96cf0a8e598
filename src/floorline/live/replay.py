"""State from events: all of them, or those since a snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from floorline.live import snapshot
from floorline.live.events import Event
from floorline.live.ledgers import LedgerReader
from floorline.live.settings import CampaignSettings
from floorline.live.state import State

Checked = Iterator[tuple[Event, int]]
"""Events, each with its checksum."""


def load(ledger: LedgerReader, upto: int | None = None) -> State:
    """The state that a ledger leads to; up to an event if that is given."""
    for seq in ledger.snapshots():
        if upto is None or seq <= upto:
            found = _from_snapshot(ledger, seq)
            if found is not None:
                state, check = found
                return _go_on(state, ledger.checked_events(seq, check), upto)
    return _go_on(*start(ledger), upto)


def start(ledger: LedgerReader) -> tuple[State, Checked]:
    """The state before anything happened, and all that happened."""
    settings = CampaignSettings.from_json(ledger.opened().body["settings"])
    return State(settings), ledger.checked_events(0, 0)


def _go_on(state: State, events: Checked, upto: int | None) -> State:
    for event, _ in events:
        if upto is not None and event.seq > upto:
            break
        state.apply(event)
    return state


def _from_snapshot(ledger: LedgerReader, seq: int) -> tuple[State, int] | None:
    """The state and the checksum at a snapshot; None if it is not good."""
    try:
        stored = ledger.snapshot(seq)
        if ledger.check(seq) != stored.check:
            return None
        return snapshot.from_json(stored.state), stored.check
    except (ValueError, KeyError, TypeError, IndexError):
        return None
