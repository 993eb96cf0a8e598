"""Shared by the ledger commands: the argument, and reading the ledger that it names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from floorline.live.ledgers import LedgerReader


LEDGER = typer.Argument(
    ...,
    metavar="LEDGER",
    help="The campaign's ledger: a file, or postgresql://HOST/DATABASE/CAMPAIGN.",
    show_default=False,
)


@contextmanager
def reading(locator: str) -> Iterator[LedgerReader]:
    """Yield a ledger opened read-only; its campaign may be running."""
    with in_one_line():
        from floorline.live.ledgers import read_ledger

        ledger = read_ledger(locator)
        try:
            yield ledger
        finally:
            ledger.close()


@contextmanager
def in_one_line() -> Iterator[None]:
    """Show errors of a campaign, and missing extras, as one line."""
    try:
        from floorline.live.errors import CampaignError
    except ImportError as error:
        raise typer.TyperException(str(error)) from None
    try:
        yield
    except CampaignError as error:
        raise typer.TyperException(str(error)) from None
