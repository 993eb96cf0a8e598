"""The suite that every ledger must pass, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from floorline.live import Campaign, LedgerError
from floorline.live import snapshot as snapshots
from floorline.live.events import CHECK, KINDS, SEQ, Event
from floorline.live.ledgers.interface import Ledger
from floorline.live.ledgers.memory import MemoryLedger
from floorline.live.ledgers.reader import PAGE_SIZE, LedgerReader, Mark
from floorline.live.replay import start

NewLedger = Callable[[], Ledger]

BODY = {"text": 'é "quoted" \n \U0001f40d', "number": 0.1 + 0.2, "tiny": 5e-324, "list": [1, None]}


def check_ledger(
    new_ledger: NewLedger, read: Callable[[Ledger], LedgerReader] | None = None
) -> None:
    """Raise AssertionError unless a ledger keeps the contract of `Ledger`.

    Args:
        new_ledger: returns a new, empty ledger, each time another one.
        read: returns a reader of what a ledger has committed, if the backend has readers.
    """
    for check in LEDGER_CHECKS:
        check(new_ledger)
    if read is not None:
        check_reader(new_ledger, read)


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
    _close(ledger, other)


def check_events_come_back(new_ledger: NewLedger) -> None:
    """Events come back as they were appended, with checksums that form a chain."""
    ledger = new_ledger()
    events = _story()
    _append(ledger, *events[:3])
    assert ledger.in_transaction
    assert ledger.events(0, 9) == events[:3], "appended events are not seen before the commit"
    ledger.commit()
    assert not ledger.in_transaction
    _append(ledger, *events[3:])
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
    later = list(ledger.checked_events(3, _check(ledger, 3)))
    assert [event for event, _ in later] == events[3:]
    _close(ledger)


def check_roll_back(new_ledger: NewLedger) -> None:
    """A transaction that is rolled back leaves nothing behind."""
    ledger = new_ledger()
    events = _story()
    _append(ledger, *events[:3])
    ledger.commit()
    before = _contents(ledger)
    _append(ledger, *events[3:])
    ledger.save_snapshot(6, {"after": 6})
    assert _contents(ledger) != before
    ledger.roll_back()
    assert not ledger.in_transaction
    assert _contents(ledger) == before
    _append(ledger, *events[3:])
    ledger.commit()
    assert [event for event, _ in ledger.checked_events(0, 0)] == events
    _close(ledger)


def check_request_keys(new_ledger: NewLedger) -> None:
    """A decision is found by its request key, which no other event can take."""
    ledger = new_ledger()
    events = _story()
    _append(ledger, *events)
    assert ledger.by_key("key 2") == events[1]
    ledger.commit()
    assert ledger.by_key("key 2") == events[1]
    assert ledger.by_key("key") is None
    number = len(events)
    ledger.look_up_keys(["key 2", "key 3"])
    assert ledger.by_key("key 2") == events[1]
    assert ledger.by_key("key 3") is None
    _expect_refusal(ledger, Event(number + 1, 2e9, "decided", None, "key 2", {}))
    assert sum(ledger.counts().values()) == number
    ledger.look_up_keys(["key 3"])
    _append(ledger, Event(number + 1, 2e9, "decided", None, "key 3", {}))
    assert ledger.by_key("key 3") is not None
    ledger.counts()
    assert ledger.by_key("key 3") is not None
    ledger.commit()
    assert ledger.by_key("key 3") is not None
    _close(ledger)


def check_sequence_numbers(new_ledger: NewLedger) -> None:
    """A sequence number cannot be taken twice."""
    ledger = new_ledger()
    events = _story()
    _append(ledger, *events)
    ledger.commit()
    before = _contents(ledger)
    _expect_refusal(ledger, Event(3, 2e9, "paused", None, None, {}))
    assert _contents(ledger) == before
    _close(ledger)


def check_about(new_ledger: NewLedger) -> None:
    """The events about a decision are found by the decision's sequence number."""
    ledger = new_ledger()
    events = _story()
    _append(ledger, *events)
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
    _close(ledger)


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
    _close(ledger)


def check_snapshots(new_ledger: NewLedger) -> None:
    """The two latest snapshots are kept, each with its points, as part of the transaction."""
    ledger = new_ledger()
    _append(ledger, *_story())
    for seq in (2, 4, 5):
        ledger.save_snapshot(seq, {"after": seq, **BODY}, points=[{"seq": seq}])
    ledger.commit()
    assert ledger.snapshots() == [5, 4]
    stored = ledger.snapshot(4)
    assert (stored.state, stored.points) == ({"after": 4, **BODY}, [{"seq": 4}])
    assert stored.check == ledger.check(4)
    ledger.save_snapshot(5, {"again": True})
    assert ledger.in_transaction
    ledger.save_snapshot(6, {})
    ledger.roll_back()
    assert ledger.snapshots() == [5, 4]
    assert ledger.snapshot(5).state == {"after": 5, **BODY}
    ledger.save_snapshot(5, {"again": True})
    ledger.commit()
    assert ledger.snapshots() == [5, 4]
    assert (ledger.snapshot(5).state, ledger.snapshot(5).points) == ({"again": True}, None)
    try:
        ledger.save_snapshot(99, {})
    except LedgerError:
        ledger.roll_back()
    else:
        raise AssertionError("a snapshot after an event that does not exist was stored")
    _close(ledger)


def check_mark(new_ledger: NewLedger) -> None:
    """The mark is the last committed event."""
    ledger = new_ledger()
    events = _story()
    _append(ledger, *events[:3])
    assert ledger.mark() is None
    ledger.commit()
    first = Mark(3, _check(ledger, 3))
    assert ledger.mark() == first
    _append(ledger, *events[3:])
    ledger.counts()
    assert ledger.mark() == first, "the mark is ahead of the commit"
    ledger.roll_back()
    assert ledger.mark() == first
    _append(ledger, *events[3:])
    ledger.commit()
    assert ledger.mark() == Mark(7, _check(ledger, 7))
    _close(ledger)


def check_secret(new_ledger: NewLedger) -> None:
    """A ledger without events takes over the secret of another, if it has one of its own."""
    ledger = new_ledger()
    if ledger.secret is not None:
        for secret in (b"s" * 32, None, b"t" * 32):
            ledger.take_over_secret(secret)
            ledger.commit()
            assert ledger.secret == secret
    _close(ledger)


def check_erasure(new_ledger: NewLedger) -> None:
    """Keys and private parts of sealed events can be erased, if the ledger can, and no others."""
    ledger = new_ledger()
    private = {"context": {"who": "ключ\n"}, "nonce": "0" * 32}
    sealed = [
        Event(1, 1e9, "opened", None, None, {}),
        Event(2, 1e9, "decided", None, "key 2", {"arm": "b", **private}),
        Event(3, 1e9, "decided", None, "key 3", {"arm": "b", "nonce": "1" * 32}),
        Event(4, 1e9, "decided", None, "key 4", {"arm": "b"}),
    ]
    _append(ledger, *sealed)
    ledger.commit()
    assert ledger.events(0, 9) == sealed
    before = _contents(ledger)
    try:
        ledger.erase([2, 4])
    except LedgerError:
        ledger.roll_back()
        _close(ledger)
        return
    assert ledger.by_key("key 2") is None
    ledger.roll_back()
    assert _contents(ledger) == before
    assert ledger.by_key("key 2") == sealed[1]
    ledger.erase([2, 4])
    assert ledger.in_transaction
    ledger.commit()
    erased, *others = ledger.events(1, 9)
    assert erased.key is None
    assert set(erased.body) == {"arm", "sealed"}
    assert others == sealed[2:], "others were changed"
    assert [row[SEQ] for row in ledger.page(0)] == [1, 2, 3, 4]
    assert ledger.by_key("key 2") is None
    assert len(list(ledger.checked_events(0, 0))) == 4, "the chain is broken"
    _append(ledger, Event(5, 1e9, "decided", None, "key 2", {"nonce": "2" * 32}))
    ledger.commit()
    assert ledger.by_key("key 2") is not None
    _close(ledger)


def check_campaign(new_ledger: NewLedger) -> None:
    """A campaign decides the same on this ledger as in memory, and its replay agrees."""
    states = []
    for ledger in (new_ledger(), MemoryLedger()):
        states.append(_run_campaign(ledger))
        _close(ledger)
    assert states[0] == states[1], "the state differs from that in memory"


LEDGER_CHECKS: tuple[Callable[[NewLedger], None], ...] = (
    check_empty,
    check_events_come_back,
    check_roll_back,
    check_request_keys,
    check_sequence_numbers,
    check_about,
    check_pages,
    check_snapshots,
    check_mark,
    check_secret,
    check_erasure,
    check_campaign,
)


def check_reader(new_ledger: NewLedger, read: Callable[[Ledger], LedgerReader]) -> None:
    """A concurrent reader sees committed events only, and never blocks."""
    ledger = new_ledger()
    events = _story()
    _append(ledger, *events[:3])
    ledger.save_snapshot(2, {"after": 2})
    ledger.commit()
    _append(ledger, *events[3:])
    assert len(ledger.page(0)) == 7
    reader = read(ledger)
    assert reader.events(0, 9) == events[:3], "a reader sees events that are not committed"
    assert reader.by_key("key 2") == events[1]
    assert (reader.counts(), reader.snapshots()) == ({"opened": 1, "decided": 2}, [2])
    assert reader.snapshot(2).state == {"after": 2}
    assert (reader.secret, reader.mark()) == (ledger.secret, ledger.mark())
    ledger.commit()
    assert [event for event, _ in reader.checked_events(0, 0)] == events
    assert reader.mark() == ledger.mark()
    reader.close()
    _close(ledger)


def _story() -> list[Event]:
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


def _append(ledger: Ledger, *events: Event) -> None:
    for event in events:
        ledger.append(event)


def _expect_refusal(ledger: Ledger, event: Event) -> None:
    """Append and commit an event that must be refused, and roll back."""
    try:
        ledger.append(event)
        ledger.commit()
    except LedgerError:
        ledger.roll_back()
        assert not ledger.failed
        return
    raise AssertionError(f"event {event.seq} with key {event.key!r} was accepted")


def _check(ledger: LedgerReader, seq: int) -> int:
    (row,) = ledger.rows_at([seq])
    return row[CHECK]


def _contents(ledger: LedgerReader) -> tuple[Any, ...]:
    """Return everything in a ledger, by every way of reading it."""
    return (
        ledger.page(0),
        ledger.rows_about(range(9)),
        [ledger.row_of_key(key) for key in ("key 2", "ключ", "key 3")],
        ledger.counts(),
        ledger.snapshots(),
        ledger.mark(),
    )


def _run_campaign(ledger: Ledger) -> dict[str, Any]:
    """Return the state of a campaign on a ledger after operations of every kind."""
    clock = [1e9]

    def now() -> float:
        clock[0] += 0.25
        return clock[0]

    campaign = Campaign.open(
        ledger,
        arms=["now", "video"],
        max_loss=0.5,
        missing="zero",
        window=10.0,
        seed=1,
        clock=now,
    )
    for number in range(40):
        with campaign.transaction():
            ticket = campaign.decide(f"key {number}")
            assert campaign.decide(f"key {number}") == ticket
        if number % 3:
            assert campaign.observe(ticket, 0.5) == "accepted"
            assert campaign.observe(ticket, 0.5) == "duplicate"
    campaign.pause()
    assert not ledger.in_transaction
    assert [record.request_key for record in campaign.history(limit=2)] == ["key 0", "key 1"]
    state = campaign.state()
    replayed, events = start(ledger)
    for event, _ in events:
        replayed.apply(event)
    assert snapshots.to_json(replayed) == state, "the replay differs from the live state"
    return state


def _close(*ledgers: Ledger) -> None:
    for ledger in ledgers:
        ledger.close()
