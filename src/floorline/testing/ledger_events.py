"""Checks of the events of a ledger: appended, committed, rolled back and found again."""

from __future__ import annotations

from typing import Any

from floorline.live.events import KINDS, SEQ, Event
from floorline.live.ledgers.reader import PAGE_SIZE
from floorline.testing.ledger_story import (
    NewLedger,
    append_all,
    check_of,
    close_all,
    contents,
    expect_refusal,
    story,
)


def check_empty(new_ledger: NewLedger) -> None:
    """A new ledger has no events, and a secret of its own if it has one."""
    ledger, other = new_ledger(), new_ledger()
    assert ledger.opening() is None
    assert ledger.page(0) == ledger.page(9, newest=True) == []
    assert ledger.decisions(0, 9) == []
    assert (ledger.counts(), ledger.snapshots(), ledger.mark()) == ({}, [], None)
    assert (ledger.failed, ledger.in_transaction) == (False, False)
    assert ledger.problems() == []
    assert ledger.secret is None or len(ledger.secret) >= 16
    assert ledger.secret is None or ledger.secret != other.secret
    ledger.commit()
    ledger.roll_back()
    assert ledger.counts() == {}
    close_all(ledger, other)


def check_events_come_back(new_ledger: NewLedger) -> None:
    """Events come back as they were appended, with checksums that form a chain."""
    ledger = new_ledger()
    events = story()
    append_all(ledger, *events[:3])
    assert ledger.in_transaction
    assert ledger.events(0, 9) == events[:3], "appended events are not seen before the commit"
    ledger.commit()
    assert not ledger.in_transaction
    append_all(ledger, *events[3:])
    ledger.commit()
    assert [event for event, _ in ledger.checked_events(0, 0)] == events
    assert [ledger.event(seq) for seq in (1, 5, 0, len(events) + 1)] == [
        events[0],
        events[4],
        None,
        None,
    ]
    assert [row[SEQ] for row in ledger.rows_at([7, 2, 99])] == [2, 7]
    assert ledger.times([2, 3, 99]) == {2: events[1].time, 3: events[2].time}
    later = list(ledger.checked_events(3, check_of(ledger, 3)))
    assert [event for event, _ in later] == events[3:]
    close_all(ledger)


def check_roll_back(new_ledger: NewLedger) -> None:
    """A transaction that is rolled back leaves nothing behind."""
    ledger = new_ledger()
    events = story()
    append_all(ledger, *events[:3])
    ledger.commit()
    before = contents(ledger)
    append_all(ledger, *events[3:])
    ledger.save_snapshot(6, {"after": 6})
    assert contents(ledger) != before
    ledger.roll_back()
    assert not ledger.in_transaction
    assert contents(ledger) == before
    append_all(ledger, *events[3:])
    ledger.commit()
    assert [event for event, _ in ledger.checked_events(0, 0)] == events
    close_all(ledger)


def check_request_keys(new_ledger: NewLedger) -> None:
    """A decision is found by its request key, which no other event can take."""
    ledger = new_ledger()
    events = story()
    append_all(ledger, *events)
    assert ledger.by_key("key 2") == events[1]
    ledger.commit()
    assert ledger.by_key("key 2") == events[1]
    assert ledger.by_key("key") is None
    number = len(events)
    ledger.look_up_keys(["key 2", "key 3"])
    assert ledger.by_key("key 2") == events[1]
    assert ledger.by_key("key 3") is None
    expect_refusal(ledger, Event(number + 1, 2e9, "decided", None, "key 2", {}))
    assert sum(ledger.counts().values()) == number
    ledger.look_up_keys(["key 3"])
    append_all(ledger, Event(number + 1, 2e9, "decided", None, "key 3", {}))
    assert ledger.by_key("key 3") is not None
    ledger.counts()
    assert ledger.by_key("key 3") is not None
    ledger.commit()
    assert ledger.by_key("key 3") is not None
    close_all(ledger)


def check_sequence_numbers(new_ledger: NewLedger) -> None:
    """A sequence number cannot be taken twice."""
    ledger = new_ledger()
    events = story()
    append_all(ledger, *events)
    ledger.commit()
    before = contents(ledger)
    expect_refusal(ledger, Event(3, 2e9, "paused", None, None, {}))
    assert contents(ledger) == before
    close_all(ledger)


def check_about(new_ledger: NewLedger) -> None:
    """The events about a decision are found by the decision's sequence number."""
    ledger = new_ledger()
    events = story()
    append_all(ledger, *events)
    ledger.commit()
    assert ledger.about(2) == [events[4], events[6]]
    assert ledger.about(3) == [events[5]]
    assert ledger.about(1) == ledger.about(99) == []
    assert [row[SEQ] for row in ledger.rows_about([3, 2, 99])] == [5, 6, 7]
    assert ledger.decisions(0, 9) == [
        (events[1], [events[4], events[6]]),
        (events[2], [events[5]]),
        (events[3], []),
    ]
    assert [event.seq for event, _ in ledger.decisions(2, 1)] == [3]
    assert [event.seq for event, _ in ledger.decisions(4, 9, newest=True)] == [3, 2]
    close_all(ledger)


def check_pages(new_ledger: NewLedger) -> None:
    """Pages start after or before a sequence number and contain only the requested kinds."""
    ledger = new_ledger()
    number = PAGE_SIZE + 5
    for seq in range(1, number + 1):
        kind = "opened" if seq == 1 else "paused" if seq % 2 else "resumed"
        ledger.append(Event(seq, float(seq), kind, None, None, {}))
    ledger.commit()

    def page(*args: Any, **options: Any) -> list[int]:
        return [row[SEQ] for row in ledger.page(*args, **options)]

    assert page(0) == list(range(1, PAGE_SIZE + 1))
    assert page(0, 3) == [1, 2, 3]
    assert page(number - 2, 9) == [number - 1, number]
    assert page(number) == page(2**62) == page(1, newest=True) == []
    assert page(2**62, 2, newest=True) == [number, number - 1]
    assert page(4, 9, newest=True) == [3, 2, 1]
    assert page(0, 3, kinds=("paused",)) == [3, 5, 7]
    assert page(9, 3, newest=True, kinds=("opened", "paused")) == [7, 5, 3]
    assert page(0, 3, kinds=("voided",)) == []
    assert page(0, 3, kinds=KINDS) == [1, 2, 3]
    assert len(list(ledger.checked_events(0, 0))) == number
    assert ledger.counts() == {"opened": 1, "paused": number // 2, "resumed": number // 2}
    close_all(ledger)
