"""What happened: pages of decisions and events, the series and the export.

All but the series is read through a connection of its own, so that nobody's decision waits.
"""

from __future__ import annotations

import asyncio
import csv
import io
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import closing
from typing import TypeVar

import msgspec
from msgspec import UNSET

from floorline.live import Campaign, Record, Status
from floorline.live.events import CHANGES, KINDS, Event
from floorline.live.history import record
from floorline.live.ledgers import LedgerReader, read_ledger
from floorline.live.tickets import ticket_id
from floorline.service.answers import EventAnswer, EventPage, RecordAnswer, RecordPage, Series
from floorline.service.calls import Call, Stream
from floorline.service.entries import Entry
from floorline.service.requests import EventQuery, PageQuery
from floorline.service.series import Point, series_of

T = TypeVar("T")

LINES = 1000
"""Decisions that an export reads at a time."""


async def reading(entry: Entry, read: Callable[[LedgerReader], T]) -> T:
    """What `read` finds in the ledger, read beside the writer."""

    def with_ledger() -> T:
        with closing(read_ledger(entry.path)) as ledger:
            return read(ledger)

    return await asyncio.to_thread(with_ledger)


async def decisions(call: Call) -> RecordPage:
    """A page of decisions, each with what came of it."""
    entry = call.service.registry.get(call.path["name"])
    query: PageQuery = call.query
    newest = query.order == "newest"

    def read(ledger: LedgerReader) -> RecordPage:
        page = ledger.decisions(_start(query), query.limit, newest=newest)
        found = [answer_of(record(entry.id, made, outcomes)) for made, outcomes in page]
        return RecordPage(found, page[-1][0].seq if len(page) == query.limit else None)

    return await reading(entry, read)


async def events(call: Call) -> EventPage:
    """A page of events."""
    entry = call.service.registry.get(call.path["name"])
    query: EventQuery = call.query
    newest = query.order == "newest"
    kinds = KINDS if query.kind == "all" else CHANGES

    def read(ledger: LedgerReader) -> EventPage:
        page = ledger.events(_start(query), query.limit, newest=newest, kinds=kinds)
        about = {event.decision_seq for event in page if event.decision_seq is not None}
        made = ledger.times(about)
        names = {seq: ticket_id(entry.id, seq, time) for seq, time in made.items()}
        found = [
            EventAnswer(
                event.seq,
                event.time,
                event.kind,
                None if event.decision_seq is None else names[event.decision_seq],
                event.key,
                event.body,
            )
            for event in page
        ]
        return EventPage(found, found[-1].seq if len(found) == query.limit else None)

    return await reading(entry, read)


def _start(query: PageQuery) -> int:
    """The place after which, or before which, a page begins."""
    if query.cursor is UNSET:
        return 2**62 if query.order == "newest" else 0
    return query.cursor


def answer_of(found: Record) -> RecordAnswer:
    """A record as it is answered."""
    return RecordAnswer(*msgspec.structs.astuple(found))


async def series(call: Call) -> Series:
    """How the campaign went, up to now."""
    entry = call.service.registry.get(call.path["name"])

    def look(campaign: Campaign) -> tuple[list[Point], Status]:
        return entry.track.points, campaign.status()

    points, status = await entry.writer.submit(look)
    return series_of([*points, Point(0, time.time(), status)], entry.settings)


async def export(call: Call) -> Stream:
    """All decisions, each with what came of it."""
    entry = call.service.registry.get(call.path["name"])
    written = call.query.format
    lines = _csv if written == "csv" else _jsonl
    media_type = "text/csv; charset=utf-8" if written == "csv" else "application/jsonl"
    name = f'attachment; filename="{entry.name}.{written}"'
    return Stream(_export(entry, lines), media_type, {"Content-Disposition": name})


async def _export(
    entry: Entry, lines: Callable[[list[RecordAnswer]], bytes]
) -> AsyncGenerator[bytes, None]:
    after = 0
    if lines is _csv:
        yield (",".join(RecordAnswer.__struct_fields__) + "\n").encode()
    while True:
        page = await reading(entry, _page_after(after))
        if not page:
            return
        after = page[-1][0].seq
        yield lines([answer_of(record(entry.id, made, outcomes)) for made, outcomes in page])


def _page_after(place: int) -> Callable[[LedgerReader], list[tuple[Event, list[Event]]]]:
    return lambda ledger: ledger.decisions(place, LINES)


def _csv(found: list[RecordAnswer]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(msgspec.structs.astuple(one) for one in found)
    return text.getvalue().encode()


def _jsonl(found: list[RecordAnswer]) -> bytes:
    return b"".join(msgspec.json.encode(one) + b"\n" for one in found)
