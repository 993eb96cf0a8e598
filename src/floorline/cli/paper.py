"""`floorline paper`: the paper's experiments, its figures and a report, in one folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from floorline.cli import options


def paper(
    out: Annotated[Path, typer.Option(help="Folder for results, figures and report.")] = Path(
        "out/paper"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Fewer runs and points.")] = False,
    runs: Annotated[
        int | None, typer.Option(help="Runs per point.", show_default="4000; 192 with --quick")
    ] = None,
    seed: options.Seed = 1,
    boundary: Annotated[str, typer.Option(help="authors, stitched or as-printed.")] = "authors",
    device: Annotated[str, typer.Option(help="cpu, or cuda where there is one.")] = "cpu",
    only: Annotated[
        str | None, typer.Option(help="One part: alpha, horizon or budget.", show_default="all")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start again, replacing what the folder has.")
    ] = False,
) -> None:
    """Reproduce the paper's experiments: results.csv, figures and report.html.

    Every point is saved as soon as it is finished: the same command resumes where it stopped.
    """
    from floorline.core.checks import choice
    from floorline.paper.reproduce import reproduce
    from floorline.paper.sweeps import PARTS, QUICK_RUNS, RUNS, PaperRun

    if force and only is not None:
        raise ValueError("force: must be given without --only, since it starts the folder again")
    parts = list(PARTS) if only is None else [choice("only", only, PARTS)]
    size = runs if runs is not None else QUICK_RUNS if quick else RUNS
    settings = PaperRun(runs=size, seed=seed, boundary=boundary, quick=quick, device=device)
    try:
        reproduction = reproduce(settings, out, parts, force=force)
    except KeyboardInterrupt:
        print(
            f"floorline: finished points are saved in {out}; the same command resumes from there",
            file=sys.stderr,
        )
        raise
    if reproduction.was_finished:
        typer.echo(f"{out} is already finished; --force starts again")
    typer.echo(f"report: {reproduction.report}")
