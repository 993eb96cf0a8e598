"""Moving a campaign from one ledger to another, of whatever kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from floorline.live.errors import LedgerError
from floorline.live.events import SEQ, from_row
from floorline.live.ledgers import Ledger, exists, open_ledger
from floorline.live.ledgers.reader import UNCHANGED
from floorline.live.verify import verify


class Moved(NamedTuple):
    """What was moved."""

    events: int
    kept_as: str
    """The locator of the source, which is kept and can only be read."""


def move(source: str, target: str, tick: Callable[[int], None] = lambda done: None) -> Moved:
    """Move a campaign to a new ledger, verify it, retire the source; return what was moved.

    Events keep their checksums and the ledger its secret, so tickets stay valid. An interrupted
    move can be repeated: the target appears in one transaction, and is accepted if it holds
    exactly the source's events.

    Raises:
        LedgerError: one of them cannot be used or is in use, the target holds something else, or
            what arrived is not sound. The source is unchanged then.
    """
    if not exists(source):
        raise LedgerError(f"{source}: there is no such ledger")
    origin = open_ledger(source)
    try:
        copy = open_ledger(target)
        try:
            if copy.opening() is None:
                _copy(origin, copy, tick)
            if _last(copy) != _last(origin) or copy.secret != origin.secret:
                raise LedgerError(f"{copy.locator}: holds something else; {UNCHANGED}")
        finally:
            copy.close()
        report = verify(target)
        if report.problems:
            raise LedgerError(
                f"{copy.locator}: {report.problems[0]}; {origin.locator} was not changed"
            )
        return Moved(report.events, origin.retire())
    finally:
        origin.close()


def _copy(origin: Ledger, copy: Ledger, tick: Callable[[int], None]) -> None:
    """Copy events, snapshots and secret in one transaction."""
    origin.opened()  # raises if there is nothing to move
    copy.take_over_secret(origin.secret)
    last = 0
    while rows := origin.page(last):
        for row in rows:
            copy.append(from_row(row))
        last = rows[-1][SEQ]
        copy.check(last)  # a read writes what was appended, so that memory stays small
        tick(last)
    for seq in origin.snapshots():
        copy.store_snapshot(seq, origin.stored_snapshot(seq))
    copy.commit()


def _last(ledger: Ledger) -> tuple[int, int | None]:
    """Return the sequence number and the checksum of the last event; it covers all earlier ones."""
    seq = next((row[SEQ] for row in ledger.page(2**62, 1, newest=True)), 0)
    return seq, ledger.check(seq)
