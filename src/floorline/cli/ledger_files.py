"""Shared by the ledger commands: the argument, opening a ledger, and writing files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

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


@contextmanager
def writing(out: Path | None) -> Iterator[IO[str]]:
    """Open the file to write to, or standard output."""
    try:
        if out is None:
            yield sys.stdout
        else:
            with open(out, "w", newline="") as stream:
                yield stream
    except OSError as error:
        target = out or "standard output"
        raise ValueError(f"out: cannot write {target}: {error.strerror}") from None


def write_file(out: Path, content: bytes) -> None:
    """Write a file."""
    try:
        out.write_bytes(content)
    except OSError as error:
        raise ValueError(f"out: cannot write {out}: {error.strerror}") from None
