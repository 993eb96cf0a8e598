"""`floorline report`: a campaign's report as one page to share."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from floorline.cli.ledger_files import in_one_line
from floorline.cli.output_files import writing

FILE = typer.Argument(..., metavar="CAMPAIGN", help="The campaign's ledger.", show_default=False)
OUT = typer.Option(Path("report.html"), help="The file to write.")
NAME = typer.Option(None, help="The campaign's name.", show_default="the name of the file")


def report(campaign: str = FILE, out: Path = OUT, name: str | None = NAME) -> None:
    """Write a report of what a campaign promised, earned and did, as one self-contained page."""
    with in_one_line():
        from floorline.live.ledgers import read_ledger
        from floorline.report import facts_of, page_of
        from floorline.simulation.progress import progress_bar

        ledger = read_ledger(campaign)
        total = sum(ledger.counts().values())
        ledger.close()
        with progress_bar("verifying", total) as tick:
            facts = facts_of(campaign, name or Path(campaign).stem, time.time(), tick)
    with writing(out) as stream:
        stream.write(page_of(facts))
    typer.echo(f"{facts.status.headline}\n{out}: report of {facts.name}")
