"""`floorline report`: a campaign's report as one page to share."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import typer

from floorline.cli.ledger_files import LEDGER, in_one_line
from floorline.cli.output_files import writing

OUT = typer.Option(Path("report.html"), help="The file to write.")
NAME = typer.Option(None, help="The campaign's name.", show_default="the name of the file")


def report(ledger: str = LEDGER, out: Path = OUT, name: str | None = NAME) -> None:
    """Write a report of what a campaign promised, earned and did, as one self-contained page."""
    with in_one_line():
        from floorline.live.ledgers import read_ledger
        from floorline.report import facts_of, page_of
        from floorline.simulation.progress import progress_bar

        with closing(read_ledger(ledger)) as reader:
            total = sum(reader.counts().values())
        with progress_bar("verifying", total) as tick:
            facts = facts_of(ledger, name or Path(ledger).stem, time.time(), tick)
    with writing(out) as stream:
        stream.write(page_of(facts))
    typer.echo(f"{facts.status.headline}\n{out}: report of {facts.name}")
