"""The handler that downloads all decisions."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncGenerator, Callable

import msgspec

from floorline.live.events import Event
from floorline.live.history import record
from floorline.live.reader import LedgerReader
from floorline.service.api.history import record_answer
from floorline.service.api.reading import read_ledger
from floorline.service.api.responses import RecordAnswer
from floorline.service.host.campaigns import HostedCampaign
from floorline.service.http.operations import Call, StreamReply

DECISIONS_PER_READ = 1000


async def export(call: Call) -> StreamReply:
    """All decisions, each with its outcome."""
    hosted = call.host.registry.get(call.path["name"])
    form = call.query.format
    lines = _csv if form == "csv" else _jsonl
    media_type = "text/csv; charset=utf-8" if form == "csv" else "application/jsonl"
    disposition = f'attachment; filename="{hosted.name}.{form}"'
    return StreamReply(_export(hosted, lines), media_type, {"Content-Disposition": disposition})


async def _export(
    hosted: HostedCampaign, lines: Callable[[list[RecordAnswer]], bytes]
) -> AsyncGenerator[bytes, None]:
    after = 0
    if lines is _csv:
        yield (",".join(RecordAnswer.__struct_fields__) + "\n").encode()
    while True:
        page = await read_ledger(hosted, _page_after(after))
        if not page:
            return
        after = page[-1][0].seq
        yield lines([record_answer(record(hosted.id, *decision)) for decision in page])


def _page_after(seq: int) -> Callable[[LedgerReader], list[tuple[Event, list[Event]]]]:
    return lambda ledger: ledger.decisions(seq, DECISIONS_PER_READ)


def _csv(records: list[RecordAnswer]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(msgspec.structs.astuple, records))
    return text.getvalue().encode()


def _jsonl(records: list[RecordAnswer]) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)
