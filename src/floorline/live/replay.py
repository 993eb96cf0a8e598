"""The state that events lead to, from the first event or from a snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from floorline.live import snapshot
from floorline.live.errors import DamagedLedger
from floorline.live.events import Event
from floorline.live.ledgers import LedgerReader
from floorline.live.ledgers.reader import UNCHANGED
from floorline.live.settings import CampaignSettings
from floorline.live.state import State

Checked = Iterator[tuple[Event, int]]
"""Events, each with its checksum."""

UNUSABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)
"""What a state raises for values that no campaign writes."""


def load(ledger: LedgerReader, upto: int | None = None) -> State:
    """Return the state after all events, or after the event with sequence number `upto`."""
    for seq in ledger.snapshots():
        if upto is None or seq <= upto:
            restored = _from_snapshot(ledger, seq)
            if restored is not None:
                state, check = restored
                return _apply(ledger, state, ledger.checked_events(seq, check), upto)
    return _apply(ledger, *start(ledger), upto)


def start(ledger: LedgerReader) -> tuple[State, Checked]:
    """Return the state before the first event, and all events with their checksums."""
    opened = ledger.opened()
    try:
        state = State(CampaignSettings.from_ledger(opened.body["settings"]))
    except UNUSABLE as error:
        raise unusable(ledger, opened, error) from None
    return state, ledger.checked_events(0, 0)


def unusable(ledger: LedgerReader, event: Event, error: Exception) -> DamagedLedger:
    """Return the error for an event with a valid checksum and invalid content."""
    return DamagedLedger(
        f"{ledger.locator}: event {event.seq} cannot be applied ({error!r}); {UNCHANGED}"
    )


def _apply(ledger: LedgerReader, state: State, events: Checked, upto: int | None) -> State:
    for event, _ in events:
        if upto is not None and event.seq > upto:
            break
        try:
            state.apply(event)
        except UNUSABLE as error:
            raise unusable(ledger, event, error) from None
    return state


def _from_snapshot(ledger: LedgerReader, seq: int) -> tuple[State, int] | None:
    """Return the state and the checksum of a snapshot; None if it cannot be used."""
    try:
        stored = ledger.snapshot(seq)
        if ledger.check(seq) != stored.check:
            return None
        return snapshot.from_json(stored.state), stored.check
    except UNUSABLE:
        return None
