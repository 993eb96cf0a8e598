"""The events and decisions of a campaign, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

from floorline.live.events import Event
from floorline.live.ledgers import LedgerReader
from floorline.live.messages import Outcome, Record
from floorline.live.tickets import TicketIds, chances_of

PAGE_SIZE = 1000

Reading = Callable[[], AbstractContextManager[object]]
"""The context in which a page is read from a ledger that others use at the same time."""


def events(ledger: LedgerReader, after: int = 0, reading: Reading = nullcontext) -> Iterator[Event]:
    """Yield the events with seq > after, in order."""
    while True:
        with reading():
            page = ledger.events(after, PAGE_SIZE)
        yield from page
        if not page:
            return
        after = page[-1].seq


def records(
    ledger: LedgerReader,
    ids: TicketIds,
    after: int = 0,
    limit: int | None = None,
    reading: Reading = nullcontext,
) -> Iterator[Record]:
    """Yield the decisions with seq > after and their outcomes, in order; at most `limit`."""
    left = limit
    while left is None or left > 0:
        with reading():
            page = ledger.decisions(after, PAGE_SIZE if left is None else min(left, PAGE_SIZE))
        if not page:
            return
        for decided, later in page:
            yield record(ids, decided, later)
        after = page[-1][0].seq
        left = None if left is None else left - len(page)


def record(ids: TicketIds, decided: Event, later: list[Event]) -> Record:
    """Return a decision with its outcome, from its event and the later events about it."""
    outcome: Outcome = "pending"
    reward = observed_at = None
    for event in later:
        if event.kind == "refused" or (event.kind == "expired" and outcome == "refused"):
            outcome = "refused"
            continue
        outcome = "late" if event.body.get("late") else event.kind  # type: ignore[assignment]
        reward = event.body.get("reward", reward)
        observed_at = event.time if event.kind == "observed" else observed_at
    body = decided.body
    return Record(
        ids.name(decided.seq, decided.time),
        decided.time,
        body["arm"],
        body["candidate"],
        body["reason"],
        body["guaranteed_budget"],
        *chances_of(body),
        body.get("p"),
        body.get("coin"),
        decided.key,
        outcome,
        reward,
        observed_at,
        body.get("context"),
    )
