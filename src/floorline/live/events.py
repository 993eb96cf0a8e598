"""The events of a campaign: everything that ever happened to it, in order."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from floorline.live.seals import MAY_BE_SEALED, chained_part, read_body, stored_parts

VERSION = 4
"""The version of the events' format; a ledger records the one it was created with."""
UNSIGNED_IDS = 1
"""The last version whose ticket ids are not signed; ledgers without a secret stay at it."""

HMAC_IDS = 3
"""The last version whose ticket ids are signed by HMAC-SHA256, and not by BLAKE2s."""

SEALED = 3
"""The first version whose checksums cover a digest of request keys and contexts instead."""

KINDS = (
    "opened",
    "decided",
    "observed",
    "voided",
    "refused",
    "expired",
    "paused",
    "resumed",
    "changed",
    "noted",
)
CHANGES = ("opened", "paused", "resumed", "changed", "noted")
"""The kinds that concern the campaign itself rather than one decision."""


class Event(msgspec.Struct, frozen=True, gc=False, rename={"decision_seq": "ticket"}):
    """One event. In files and exports, `decision_seq` is called `ticket`."""

    seq: int
    """Sequence number in the ledger, from 1."""
    time: float
    """Seconds since 1970."""
    kind: str
    decision_seq: int | None
    """Sequence number of the decision that the event is about, if it is about one."""
    key: str | None
    """The request key of a decision, if one was given."""
    body: dict[str, Any]


_encode = msgspec.json.Encoder().encode

Row = tuple[int, float, str, int | None, str | None, str, int]
"""An event as ledgers store it: its fields, the body as JSON, then the chained checksum."""
SEQ: Final = 0
TIME: Final = 1
KIND: Final = 2
DECISION_SEQ: Final = 3
KEY: Final = 4
BODY: Final = 5
CHECK: Final = 6


def to_row(event: Event, check_before: int) -> Row:
    """Return the event as it is stored; its checksum continues that of the previous row."""
    seq, time, kind = event.seq, event.time, event.kind
    decision_seq, key = event.decision_seq, event.key
    chained, private = stored_parts(key, event.body)
    covered = f"{key!r} {chained}" if private is None else chained
    check = _continued(check_before, seq, time, kind, decision_seq, covered)
    body = f"{chained}\n{private}" if private else chained
    return seq, time, kind, decision_seq, key, body, check


def to_rows(events: Iterable[Event], check_before: int) -> list[Row]:
    """Return consecutive events as they are stored, each checksum continuing the one before."""
    rows = []
    for event in events:
        row = to_row(event, check_before)
        check_before = row[CHECK]
        rows.append(row)
    return rows


def from_row(row: Row) -> Event:
    """Return the event that a row stores."""
    seq, time, kind, decision_seq, key, body, _ = row
    return Event(seq, time, kind, decision_seq, key, read_body(body))


def checksum(
    seq: int,
    time: float,
    kind: str,
    decision_seq: int | None,
    key: str | None,
    body: str,
    check_before: int,
) -> int:
    """Return the CRC-32 of a row without its checksum, continued from the previous row.

    For a sealed row, it covers a digest instead of key and context.
    """
    # Of any type, because damage can have turned these values into anything.
    chained = chained_part(body) if isinstance(body, str) and MAY_BE_SEALED in body else None
    covered = f"{key!r} {body}" if chained is None else chained
    return _continued(check_before, seq, time, kind, decision_seq, covered)


def _continued(
    check: int, seq: int, time: float, kind: str, decision_seq: int | None, covered: str
) -> int:
    """Return the checksum `check` continued by a row, of whose key and body it covers a part."""
    text = f"{seq} {float_text(time)} {kind} {decision_seq} {covered}"
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), check)  # which damage can bring


def float_text(value: float) -> str:
    """Return `repr(value)`; for the time of an event, in a tenth of the time.

    >>> float_text(1.7e9 + 1 / 3)
    '1700000000.3333333'
    """
    if type(value) is float and 1.0 < value < 1e15:  # without an exponent both are the same
        return _encode(value).decode()
    return repr(value)
