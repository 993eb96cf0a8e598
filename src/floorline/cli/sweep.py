"""`floorline sweep`: a grid of policies, instances and settings from a TOML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floorline.cli import options

if TYPE_CHECKING:
    from floorline.sweeping.run import Finished


def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The grid.")],
    out: Annotated[Path, typer.Option(help="Folder for results and figures.")] = Path("out/sweep"),
    threads: options.Threads = None,
    device: options.Device = "cpu",
    cluster: options.Cluster = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start over, replacing the folder's results.")
    ] = False,
) -> None:
    """Simulate every combination of a grid: results.csv, results.parquet, a figure per instance.

    Every cell is saved as soon as it is finished: the same command resumes where it stopped, and
    for a grid that has grown it runs only the new cells.

    The file has `runs`, `seed`, a table `grid` with `policy` and any setting of a policy (one value
    or a list: max_loss, horizon, floor, boundary, learned, delta, ...), and an array of tables
    `instance` with `name`, `means`, `noise` (gaussian or bernoulli) and `noise_scale`, or `table`.
    A policy is a name of `floorline policies`, or FILE.py:NAME for a floorline.Entry of your own.
    """
    from floorline.cli.own_policies import entry_of
    from floorline.simulation.cluster import connect
    from floorline.sweeping import read_plan, run_sweep

    plan = read_plan(file)
    try:
        with connect(cluster) as client:
            finished = run_sweep(
                plan,
                out,
                find=entry_of,
                threads=threads,
                device=device,
                cluster=client,
                force=force,
            )
    except KeyboardInterrupt:
        print(
            f"floorline: finished cells are saved in {out}; the same command resumes from there",
            file=sys.stderr,
        )
        raise
    report_sweep(finished)


def report_sweep(finished: Finished) -> None:
    """Print the number of cells, and the files."""
    typer.echo(f"{len(finished.rows)} cells, {finished.new_cells} of them new")
    for path in finished.files:
        typer.echo(str(path))
