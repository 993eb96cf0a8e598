"""Checks of what a ledger keeps besides events: snapshots, the mark, the secret, erasures."""

from __future__ import annotations

from floorline.live import LedgerError
from floorline.live.events import SEQ, Event
from floorline.live.ledgers.reader import Mark
from floorline.testing.ledger_story import (
    BODY,
    NewLedger,
    append_all,
    check_of,
    close_all,
    contents,
    story,
)


def check_snapshots(new_ledger: NewLedger) -> None:
    """The two latest snapshots are kept, each with its points, as part of the transaction."""
    ledger = new_ledger()
    append_all(ledger, *story())
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
    close_all(ledger)


def check_mark(new_ledger: NewLedger) -> None:
    """The mark is the last committed event."""
    ledger = new_ledger()
    events = story()
    append_all(ledger, *events[:3])
    assert ledger.mark() is None
    ledger.commit()
    first = Mark(3, check_of(ledger, 3))
    assert ledger.mark() == first
    append_all(ledger, *events[3:])
    ledger.counts()
    assert ledger.mark() == first, "the mark is ahead of the commit"
    ledger.roll_back()
    assert ledger.mark() == first
    append_all(ledger, *events[3:])
    ledger.commit()
    assert ledger.mark() == Mark(7, check_of(ledger, 7))
    close_all(ledger)


def check_secret(new_ledger: NewLedger) -> None:
    """A ledger without events takes over the secret of another, if it has one of its own."""
    ledger = new_ledger()
    if ledger.secret is not None:
        for secret in (b"s" * 32, None, b"t" * 32):
            ledger.take_over_secret(secret)
            ledger.commit()
            assert ledger.secret == secret
    close_all(ledger)


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
    append_all(ledger, *sealed)
    ledger.commit()
    assert ledger.events(0, 9) == sealed
    before = contents(ledger)
    try:
        ledger.erase([2, 4])
    except LedgerError:
        ledger.roll_back()
        close_all(ledger)
        return
    assert ledger.by_key("key 2") is None
    ledger.roll_back()
    assert contents(ledger) == before
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
    append_all(ledger, Event(5, 1e9, "decided", None, "key 2", {"nonce": "2" * 32}))
    ledger.commit()
    assert ledger.by_key("key 2") is not None
    close_all(ledger)
