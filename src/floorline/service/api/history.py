"""Handlers that page through decisions and events."""

from __future__ import annotations

from msgspec import UNSET

from floorline.live.events import CHANGES, KINDS
from floorline.live.history import record
from floorline.live.ledgers import LedgerReader
from floorline.live.notes import words_of
from floorline.live.tickets import ticket_ids
from floorline.service.api.reading import read_ledger
from floorline.service.api.requests import EventQuery, PageQuery
from floorline.service.api.responses import EventAnswer, EventPage, RecordPage
from floorline.service.http.operations import Call

AFTER_LAST_SEQ = 2**62


async def decisions(call: Call) -> RecordPage:
    """Return a page of decisions, each with its outcome."""
    hosted = await call.host.registry.get(call.path["name"])
    query: PageQuery = call.query

    def read(ledger: LedgerReader) -> RecordPage:
        page = ledger.decisions(_start(query), query.limit, newest=query.order == "newest")
        ids = ticket_ids(ledger, ledger.opened())
        records = [record(ids, *decision) for decision in page]
        return RecordPage(records, page[-1][0].seq if len(page) == query.limit else None)

    return await read_ledger(hosted, read)


async def events(call: Call) -> EventPage:
    """Return a page of events."""
    hosted = await call.host.registry.get(call.path["name"])
    query: EventQuery = call.query
    newest = query.order == "newest"
    kinds = KINDS if query.kind == "all" else CHANGES

    def read(ledger: LedgerReader) -> EventPage:
        page = ledger.events(_start(query), query.limit, newest=newest, kinds=kinds)
        times = ledger.times({e.decision_seq for e in page if e.decision_seq is not None})
        ids = ticket_ids(ledger, ledger.opened())
        tickets = {seq: ids.name(seq, time) for seq, time in times.items()}
        answers = [
            EventAnswer(
                event.seq,
                event.time,
                event.kind,
                None if event.decision_seq is None else tickets[event.decision_seq],
                event.key,
                event.body,
                words_of(event.kind, event.body),
            )
            for event in page
        ]
        return EventPage(answers, answers[-1].seq if len(answers) == query.limit else None)

    return await read_ledger(hosted, read)


def _start(query: PageQuery) -> int:
    """Return the sequence number after which, or before which, a page begins."""
    if query.cursor is UNSET:
        return AFTER_LAST_SEQ if query.order == "newest" else 0
    return query.cursor
