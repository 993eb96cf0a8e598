"""The events of a campaign: all that ever happened to it, in order."""

from __future__ import annotations

import zlib
from typing import Any, Final

import msgspec

VERSION = 1
"""The version of the events' form; a ledger says which it was begun with."""

KINDS = ("opened", "decided", "observed", "voided", "expired", "paused", "resumed", "changed")
CHANGES = ("opened", "paused", "resumed", "changed")
"""What is done to a campaign itself."""


class Event(msgspec.Struct, frozen=True, gc=False):
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


Row = tuple[int, float, str, int | None, str | None, str, int]
"""An event as the ledger stores it: its body as JSON, then a checksum of this and all before."""
SEQ: Final = 0
CHECK: Final = 6

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode


def to_row(event: Event, check_before: int) -> Row:
    """The event as it is stored, its checksum continuing that of the row before."""
    seq, time, kind, ticket, key = event.seq, event.time, event.kind, event.ticket, event.key
    body = _encode(event.body).decode()
    check = checksum(seq, time, kind, ticket, key, body, check_before)
    return seq, time, kind, ticket, key, body, check


def from_row(row: Row) -> Event:
    """The event that was stored."""
    seq, time, kind, ticket, key, body, _ = row
    return Event(seq, time, kind, ticket, key, _decode(body))


def checksum(
    seq: int, time: float, kind: str, ticket: int | None, key: str | None, body: str,
    check_before: int,
) -> int:  # fmt: skip
    """CRC-32 of what a row holds before its checksum, continued from the row before."""
    text = f"{seq} {time!r} {kind} {ticket} {key!r} {body}"  # damage may have made it anything
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), check_before)
