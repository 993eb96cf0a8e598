"""The handler that downloads decisions and what the dashboard shows."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from urllib.parse import quote

from floorline.live import Record
from floorline.live.export import CSV_HEADER, to_csv, to_jsonl
from floorline.live.history import record
from floorline.live.ledgers import LedgerReader
from floorline.live.tickets import ticket_ids
from floorline.report.tables import refuse_empty_table
from floorline.service.api.reading import read_ledger
from floorline.service.api.whole_ledger import from_whole_ledger
from floorline.service.host.campaigns import HostedCampaign
from floorline.service.host.exports import export_in_child
from floorline.service.http.operations import Call, Reply, StreamReply

DECISIONS_PER_READ = 1000
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
}

Page = tuple[list[Record], int]
"""Records, and the sequence number of the last."""


async def export(call: Call) -> StreamReply | Reply:
    """Return a table of a campaign: decisions streamed, others made in a child process."""
    hosted = await call.host.registry.get(call.path["name"])
    form, table = call.query.format, call.query.table
    refuse_empty_table(table, hosted.settings)
    name = hosted.name if table == "decisions" else f"{hosted.name}-{table}"
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}.{form}"}
    if table == "decisions" and form != "parquet":
        return StreamReply(_export(hosted, form), MEDIA_TYPES[form], headers)
    page = await from_whole_ledger(
        call, hosted, lambda now: export_in_child(hosted.locator, table, form, now)
    )
    return Reply(page, headers=headers, media_type=MEDIA_TYPES[form])


async def _export(hosted: HostedCampaign, form: str) -> AsyncGenerator[bytes, None]:
    if form == "csv":
        yield CSV_HEADER.encode()
    encode = to_csv if form == "csv" else to_jsonl
    after = 0
    while True:
        records, after = await read_ledger(hosted, _page_after(after))
        if not records:
            return
        yield encode(records).encode()


def _page_after(seq: int) -> Callable[[LedgerReader], Page]:
    def read(ledger: LedgerReader) -> Page:
        page = ledger.decisions(seq, DECISIONS_PER_READ)
        last = page[-1][0].seq if page else seq
        ids = ticket_ids(ledger, ledger.opened())
        return [record(ids, *decision) for decision in page], last

    return read
