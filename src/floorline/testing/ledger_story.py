"""Events for the checks of ledgers, and what the checks do with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from floorline.live import LedgerError
from floorline.live.events import CHECK, Event
from floorline.live.ledgers.interface import Ledger
from floorline.live.ledgers.reader import LedgerReader

NewLedger = Callable[[], Ledger]

BODY = {"text": 'é "quoted" \n \U0001f40d', "number": 0.1 + 0.2, "tiny": 5e-324, "list": [1, None]}


def story() -> list[Event]:
    """Return seven events: three decisions, and events about two of them."""
    return [
        Event(1, 1e9, "opened", None, None, {"settings": BODY}),
        Event(2, 1e9 + 0.1, "decided", None, "key 2", BODY),
        Event(3, 1e9 + 0.1, "decided", None, None, {}),
        Event(4, 1e9 + 0.2, "decided", None, "ключ", {}),
        Event(5, 1e9 + 0.3, "expired", 2, None, {}),
        Event(6, 1e9 + 0.4, "voided", 3, None, {}),
        Event(7, 1e9 + 0.4, "observed", 2, None, {"reward": 1 / 3, "late": True}),
    ]


def append_all(ledger: Ledger, *events: Event) -> None:
    """Append events, one after the other."""
    for event in events:
        ledger.append(event)


def expect_refusal(ledger: Ledger, event: Event) -> None:
    """Append and commit an event that must be refused, and roll back."""
    try:
        ledger.append(event)
        ledger.commit()
    except LedgerError:
        ledger.roll_back()
        assert not ledger.failed
        return
    raise AssertionError(f"event {event.seq} with key {event.key!r} was accepted")


def check_of(ledger: LedgerReader, seq: int) -> int:
    """Return the checksum of an event."""
    (row,) = ledger.rows_at([seq])
    return row[CHECK]


def contents(ledger: LedgerReader) -> tuple[Any, ...]:
    """Return everything in a ledger, by every way of reading it."""
    return (
        ledger.page(0),
        ledger.rows_about(range(9)),
        [ledger.row_of_key(key) for key in ("key 2", "ключ", "key 3")],
        ledger.counts(),
        ledger.snapshots(),
        ledger.mark(),
    )


def close_all(*ledgers: Ledger) -> None:
    """Close ledgers."""
    for ledger in ledgers:
        ledger.close()
