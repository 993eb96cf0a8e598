"""Deleting a campaign for good."""

from __future__ import annotations

from floorline.live.errors import Conflict, LedgerError
from floorline.live.ledgers import exists, open_ledger
from floorline.live.replay import load


def delete(locator: str) -> None:
    """Delete the ledger of a campaign that has ended, with everything in it.

    Raises:
        Conflict: the campaign is neither finished nor stopped.
        LedgerError: there is no such ledger, it is in use, or it cannot be deleted.
    """
    if not exists(locator):
        raise LedgerError(f"{locator}: there is no such ledger")
    ledger = open_ledger(locator)
    try:
        if ledger.opening() is not None:
            refuse_unless_ended(load(ledger).serves)
        ledger.delete()
    finally:
        ledger.close()


def refuse_unless_ended(serves: str | None) -> None:
    """Raise Conflict unless the campaign was finished or stopped."""
    if serves is None:
        raise Conflict("only a campaign that was finished or stopped can be deleted; stop it first")
