"""The events of a campaign: all that ever happened to it, in order."""

from __future__ import annotations

import json
import zlib
from typing import Any, NamedTuple

VERSION = 1
"""The version of the events' form; a ledger says which it was begun with."""

KINDS = ("opened", "decided", "observed", "voided", "expired", "paused", "resumed", "changed")


class Event(NamedTuple):
    """One thing that happened."""

    seq: int
    """Its place in the ledger, from 1."""
    time: float
    """When, in seconds since 1970."""
    kind: str
    ticket: int | None
    """The decision that it is about, by the place of that decision's event."""
    key: str | None
    """The request key of a decision, if one was given."""
    body: dict[str, Any]


class Row(NamedTuple):
    """An event as the ledger stores it."""

    seq: int
    time: float
    kind: str
    ticket: int | None
    key: str | None
    body: str
    check: int
    """A checksum of this row and all rows before it."""


_encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode


def to_row(event: Event, check_before: int) -> Row:
    """The event as it is stored, its checksum continuing that of the row before."""
    row = Row(*event[:5], _encode(event.body), 0)
    return row._replace(check=checksum(row, check_before))


def from_row(row: Row) -> Event:
    """The event that was stored."""
    return Event(*row[:5], json.loads(row.body))


def checksum(row: Row, check_before: int) -> int:
    """CRC-32 of a row's contents, continued from the row before."""
    return zlib.crc32(repr(row[:6]).encode(), check_before)
