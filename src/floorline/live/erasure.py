"""Erasing personal data from a ledger: request keys and contexts of decisions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from floorline.core.checks import number
from floorline.live.errors import Conflict
from floorline.live.events import BODY, SEALED, SEQ, TIME, Row
from floorline.live.ledgers import Ledger
from floorline.live.recorder import Recorder
from floorline.live.request import check_key
from floorline.live.seals import has_private_part


def erase(recorder: Recorder, request_key: str | None, before: float | None) -> int:
    """Erase the key and context of one request, or of all decisions before a time.

    Return how many decisions had one. An event records that number.

    Raises:
        ValueError: neither or both are given, or no request can have this key.
        Conflict: the ledger's checksums cover keys and contexts.
    """
    if (request_key is None) == (before is None):
        raise ValueError("request_key, before: give one of them")
    if request_key is not None:
        check_key(request_key)
    limit = None if before is None else number("before", before, 0, math.inf)
    return recorder.run(_erase, recorder, request_key, limit)


def _erase(recorder: Recorder, request_key: str | None, before: float | None) -> int:
    ledger = recorder.ledger
    version = ledger.opened().body["version"]
    if version < SEALED:
        raise Conflict(
            f"this ledger has form {version}, whose checksums cover request keys and contexts, so "
            "they cannot be erased from it. Delete the campaign once it has ended"
        )
    if request_key is not None:
        row = ledger.row_of_key(request_key)
        rows: Iterable[Row] = () if row is None else (row,)
    else:
        assert before is not None
        rows = (row for row in _decided(ledger) if row[TIME] < before)
    seqs = [row[SEQ] for row in rows if has_private_part(row[BODY])]
    if seqs:
        ledger.erase(seqs)
        recorder.record("noted", body={"erased": len(seqs)})
    return len(seqs)


def _decided(ledger: Ledger) -> Iterator[Row]:
    after = 0
    while rows := ledger.page(after, kinds=("decided",)):
        yield from rows
        after = rows[-1][SEQ]
