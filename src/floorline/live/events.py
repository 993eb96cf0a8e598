"""The events of a campaign: all that ever happened to it, in order."""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import msgspec

VERSION = 1
"""The version of the events' form; a ledger says which it was begun with."""

KINDS = ("opened", "decided", "observed", "voided", "expired", "paused", "resumed", "changed")
CHANGES = ("opened", "paused", "resumed", "changed")
"""What is done to a campaign itself."""


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
    """The body as JSON."""
    check: int
    """A checksum of this row and all rows before it."""


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def to_row(event: Event, check_before: int) -> Row:
    """The event as it is stored, its checksum continuing that of the row before."""
    seq, time, kind, ticket, key, body = event
    text = _encode(body)
    check = _checksum(seq, time, kind, ticket, key, text, check_before)
    return Row(seq, time, kind, ticket, key, text.decode(), check)


def from_row(row: Row) -> Event:
    """The event that was stored."""
    return Event(row.seq, row.time, row.kind, row.ticket, row.key, _decode(row.body))


def checksum(row: Row, check_before: int) -> int:
    """CRC-32 of a row's contents, continued from the row before."""
    body = str(row.body).encode("utf-8", "surrogatepass")  # damage may have made it anything
    return _checksum(*row[:5], body, check_before)


def _checksum(
    seq: int, time: float, kind: str, ticket: int | None, key: str | None, body: bytes,
    check_before: int,
) -> int:  # fmt: skip
    head = f"{seq} {time!r} {kind} {ticket} {key!r} ".encode("utf-8", "surrogatepass")
    return zlib.crc32(body, zlib.crc32(head, check_before))
