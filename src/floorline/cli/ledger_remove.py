"""`floorline ledger erase` and `delete`: remove personal data, or a whole campaign."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from floorline.cli.ledger_files import LEDGER, in_one_line
from floorline.core.words import counted


def erase(
    ledger: str = LEDGER,
    key: Annotated[
        str | None, typer.Option(help="Erase this request key, with its context.")
    ] = None,
    before: Annotated[
        datetime | None,
        typer.Option(
            help="Erase all keys and contexts before this date, in UTC.", formats=["%Y-%m-%d"]
        ),
    ] = None,
) -> None:
    """Erase request keys and contexts; decisions, rewards and checksums stay.

    The campaign must not be running; if it is, ask its service (POST /v1/campaigns/NAME/erase).
    """
    from floorline.live import Campaign
    from floorline.live.ledgers import exists

    if not exists(ledger):
        raise typer.TyperException(f"{ledger}: there is no such ledger")
    limit = None if before is None else before.replace(tzinfo=UTC).timestamp()
    with in_one_line(), Campaign.open(ledger) as campaign:
        erased = campaign.erase(key, limit)
    typer.echo(f"erased: request keys and contexts of {counted(erased, 'decision')}")


def delete(
    ledger: str = LEDGER,
    confirm: Annotated[
        str, typer.Option(help="The ledger again, exactly as given; nothing is kept.")
    ] = "",
) -> None:
    """Delete the ledger of a finished or stopped campaign, with everything in it."""
    from floorline.live.deletion import delete as delete_ledger

    if confirm != ledger:
        raise ValueError(f"confirm: must be {ledger}; this cannot be undone")
    with in_one_line():
        delete_ledger(ledger)
    typer.echo(f"deleted {ledger}")
