"""The suite that every ledger must pass, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from floorline.live import Campaign
from floorline.live import snapshot as snapshots
from floorline.live.ledgers.interface import Ledger
from floorline.live.ledgers.memory import MemoryLedger
from floorline.live.ledgers.reader import LedgerReader
from floorline.live.replay import start
from floorline.testing import ledger_events, ledger_extras
from floorline.testing.ledger_story import NewLedger, append_all, close_all, story


def check_ledger(
    new_ledger: NewLedger, read: Callable[[Ledger], LedgerReader] | None = None
) -> None:
    """Raise AssertionError unless a ledger keeps the contract of `Ledger`.

    Args:
        new_ledger: returns a new, empty ledger, a different one each time.
        read: returns a reader of what a ledger has committed, if the backend has readers.
    """
    for check in LEDGER_CHECKS:
        check(new_ledger)
    if read is not None:
        check_reader(new_ledger, read)


def check_campaign(new_ledger: NewLedger) -> None:
    """A campaign decides the same on this ledger as in memory, and its replay agrees."""
    states = []
    for ledger in (new_ledger(), MemoryLedger()):
        states.append(_run_campaign(ledger))
        close_all(ledger)
    assert states[0] == states[1], "the state differs from that in memory"


LEDGER_CHECKS: tuple[Callable[[NewLedger], None], ...] = (
    ledger_events.check_empty,
    ledger_events.check_events_come_back,
    ledger_events.check_roll_back,
    ledger_events.check_request_keys,
    ledger_events.check_sequence_numbers,
    ledger_events.check_about,
    ledger_events.check_pages,
    ledger_extras.check_snapshots,
    ledger_extras.check_mark,
    ledger_extras.check_secret,
    ledger_extras.check_erasure,
    check_campaign,
)


def check_reader(new_ledger: NewLedger, read: Callable[[Ledger], LedgerReader]) -> None:
    """A concurrent reader sees committed events only, and never blocks."""
    ledger = new_ledger()
    events = story()
    append_all(ledger, *events[:3])
    ledger.save_snapshot(2, {"after": 2})
    ledger.commit()
    append_all(ledger, *events[3:])
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
    close_all(ledger)


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
