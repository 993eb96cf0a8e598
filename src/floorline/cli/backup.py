"""`floorline backup`: a copy of a service's data folder."""

from __future__ import annotations

from pathlib import Path

import typer

DATA = typer.Option(..., envvar="FLOORLINE_DATA", help="The service's data folder.")
TO = typer.Option(..., help="The new folder.")


def backup(data: str = DATA, to: Path = TO) -> None:
    """Copy the data folder of a service, which may be running, to a new folder."""
    from floorline.cli.ledger_files import in_one_line

    if "://" in data:
        raise ValueError("data: back up a database with its own tools, such as pg_dump")
    with in_one_line():
        from floorline.service.host.backup import back_up

        copied, failed = back_up(Path(data), to)
    campaigns = "1 campaign was" if len(copied) == 1 else f"{len(copied)} campaigns were"
    typer.echo(f"{campaigns} copied to {to}")
    for name, why in failed.items():
        typer.echo(f"{name} was not copied: {why}", err=True)
    if failed:
        raise typer.Exit(1)
