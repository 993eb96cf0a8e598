"""A campaign's decisions or events as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import IO, Any

import msgspec

from floorline.live.history import Record, records
from floorline.live.reader import LedgerReader

FORMATS = ("csv", "jsonl", "parquet")
CHUNK = 50_000


def decisions(ledger: LedgerReader) -> Iterator[Record]:
    """The decisions of a ledger, each with what came of it."""
    return records(ledger, ledger.opened().body["id"], 0, None, nullcontext())


def as_csv(rows: Iterable[Record], out: IO[str]) -> None:
    """Write decisions as CSV with a header; what is not known is empty."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Record._fields)
    writer.writerows(rows)


def as_jsonl(rows: Iterable[Record], out: IO[str]) -> None:
    """Write decisions as JSON, one a line."""
    for row in rows:
        out.write(json.dumps(row._asdict()) + "\n")


def events_as_jsonl(ledger: LedgerReader, out: IO[str]) -> None:
    """Write all events as JSON, one a line: everything that the state follows from."""
    for row in ledger.rows():
        out.write(json.dumps(msgspec.structs.asdict(ledger.read(row))) + "\n")


def as_parquet(rows: Iterable[Record], path: str) -> None:
    """Write decisions as a Parquet file."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            "format: parquet needs the extra [parquet]: pip install 'floorline[parquet]'"
        ) from None
    text, number = arrow.string(), arrow.float64()
    kinds: dict[str, Any] = dict.fromkeys(Record._fields, text)
    for name in ("time", "guaranteed_budget", "probability", "reward", "observed_at"):
        kinds[name] = number
    schema = arrow.schema(list(kinds.items()))
    with parquet.ParquetWriter(path, schema) as writer:
        for chunk in _chunks(rows):
            columns = [list(column) for column in zip(*chunk, strict=True)]
            writer.write_table(arrow.table(columns, schema=schema))


def _chunks(rows: Iterable[Record]) -> Iterator[list[Record]]:
    chunk: list[Record] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
