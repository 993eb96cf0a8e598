"""`floorline ledger move` and `migrate`: move a campaign to another ledger, upgrade the tables."""

from __future__ import annotations

import typer

from floorline.cli.ledger_files import LEDGER, in_one_line, reading
from floorline.core.words import counted

TARGET = typer.Argument(
    ...,
    metavar="TARGET",
    help="The new ledger: a new file, or postgresql://HOST/DATABASE/CAMPAIGN.",
    show_default=False,
)
DATABASE = typer.Argument(
    ..., metavar="DATABASE", help="postgresql://HOST/DATABASE", show_default=False
)


def move(ledger: str = LEDGER, target: str = TARGET) -> None:
    """Move a campaign that is not running to another ledger; its tickets stay valid."""
    from floorline.simulation.progress import progress_bar

    with reading(ledger) as reader:
        total = sum(reader.counts().values())
    with in_one_line(), progress_bar("moving", total) as tick:
        from floorline.live.move import move as move_ledger

        moved = move_ledger(ledger, target, tick)
    typer.echo(f"{counted(moved.events, 'event')} moved and verified")
    typer.echo(f"the source is kept, read-only: {moved.kept_as}")


def migrate(database: str = DATABASE) -> None:
    """Migrate the tables of a database after an upgrade of Floorline."""
    with in_one_line():
        try:
            from floorline.live.ledgers.postgres_schema import migrate as migrate_schema
        except ImportError:
            raise ValueError(
                "this needs the extra [postgres]: pip install 'floorline[postgres]'"
            ) from None
        before, after = migrate_schema(database)
    typer.echo(f"the schema had version {before} and has version {after}")
