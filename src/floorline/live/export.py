"""Decisions and events as CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Any

import msgspec

from floorline.live.history import records
from floorline.live.ledgers import LedgerReader
from floorline.live.messages import Record
from floorline.live.tickets import ticket_ids

FORMATS = ("csv", "jsonl", "parquet")
LINES = 1000
"""Messages that are encoded at a time."""
ROW_GROUP = 50_000
NUMBERS = (
    "time",
    "guaranteed_budget",
    "probability",
    "propensity",
    "p",
    "reward",
    "observed_at",
)
"""The columns of decisions that are numbers."""


def decisions(ledger: LedgerReader) -> Iterator[Record]:
    """Yield the decisions of a ledger with their outcomes."""
    return records(ledger, ticket_ids(ledger, ledger.opened()))


CSV_HEADER = ",".join(Record.__struct_fields__) + "\n"


def to_csv(messages: Iterable[Record]) -> str:
    """Return decisions as lines of CSV, without the header; unknown values are empty."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(_row, messages))
    return text.getvalue()


def to_jsonl(messages: Iterable[msgspec.Struct]) -> str:
    """Return messages as lines of JSON."""
    return "".join(msgspec.json.encode(message).decode() + "\n" for message in messages)


def write_csv(messages: Iterable[Record], out: IO[str]) -> None:
    """Write decisions as CSV with a header."""
    out.write(CSV_HEADER)
    out.writelines(map(to_csv, _chunks(messages, LINES)))


def write_jsonl(messages: Iterable[msgspec.Struct], out: IO[str]) -> None:
    """Write messages as JSON, one per line."""
    out.writelines(map(to_jsonl, _chunks(messages, LINES)))


def write_parquet(rows: Iterable[Record], path: str) -> None:
    """Write decisions to a Parquet file."""
    arrow, parquet = parquet_modules()
    text, number = arrow.string(), arrow.float64()
    kinds: dict[str, Any] = dict.fromkeys(Record.__struct_fields__, text)
    for name in NUMBERS:
        kinds[name] = number
    schema = arrow.schema(list(kinds.items()))
    with parquet.ParquetWriter(path, schema) as writer:
        for chunk in _chunks(rows, ROW_GROUP):
            columns = [list(column) for column in zip(*map(_row, chunk), strict=True)]
            writer.write_table(arrow.table(columns, schema=schema))


def parquet_modules() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet; raise ValueError if they are not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise ValueError(
            "format: parquet needs the extra [parquet]: pip install 'floorline[parquet]'"
        ) from None
    return pyarrow, parquet


def _row(record: Record) -> tuple[Any, ...]:
    """Return a decision as the cells of a table; its context is JSON text."""
    *cells, context = msgspec.structs.astuple(record)
    return *cells, None if context is None else msgspec.json.encode(context).decode()


def _chunks(messages: Iterable[Any], size: int) -> Iterator[list[Any]]:
    remaining = iter(messages)
    while chunk := list(islice(remaining, size)):
        yield chunk
