"""`floorline demo`: the paper's story, live over HTTP or simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from floorline.cli.output_files import make_folder


def demo(
    visitors: Annotated[int, typer.Option(help="Visitors to the live page.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Same seed, same visitors.")] = 1,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Simulate the paper's policies instead.")
    ] = False,
    runs: Annotated[int, typer.Option(help="Simulated runs of each policy.")] = 4000,
    out: Annotated[Path, typer.Option(help="Folder for the report, or the figure.")] = Path("out"),
) -> None:
    """Run the paper's story: a landing page, its alternatives and a floor under its clicks.

    Starts a service on this machine, opens a campaign, sends it visitors, finishes with the winner
    and writes the report. On a terminal, the service then stays up for browsing until Ctrl-C.
    """
    if simulated:
        from floorline.cli.simulated_demo import simulated_demo

        make_folder(out)
        simulated_demo(out, runs, seed)
        return
    try:
        from floorline.cli.live_demo import live_demo
    except ImportError as error:
        raise ValueError(
            f"the live demo needs the extra [service]: pip install 'floorline[service]' ({error})"
        ) from None
    make_folder(out)
    live_demo(visitors, seed, out)
