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
    cluster: options.Cluster = None,
    only: Annotated[
        str | None, typer.Option(help="One part: alpha, horizon or budget.", show_default="all")
    ] = None,
    means: Annotated[
        str | None,
        typer.Option(help="Means of your own, the default arm's first: 0.3,0.4,0.2"),
    ] = None,
    noise: Annotated[str, typer.Option(help="With --means: gaussian or bernoulli.")] = "gaussian",
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="Policies of your own choice instead of the paper's five: names of `floorline "
            "policies`, or FILE.py:NAME; repeatable."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start again, replacing what the folder has.")
    ] = False,
) -> None:
    """Reproduce the paper's experiments: results.csv, figures and report.html.

    Every point is saved as soon as it is finished: the same command resumes where it stopped.

    With --means or --policy, the same experiments on your own instance or policies: results and
    figures in the folders alpha and horizon, without the report on what the paper says.
    """
    from floorline.core.checks import choice
    from floorline.paper.reproduce import reproduce
    from floorline.paper.sweeps import PARTS, QUICK_RUNS, RUNS, PaperRun
    from floorline.simulation.cluster import connect

    if means is not None or policy:
        _own_experiments(
            out, quick, runs, seed, boundary, device, only, means, noise, policy, force
        )
        return
    if force and only is not None:
        raise ValueError("force: must be given without --only, since it starts the folder again")
    parts = list(PARTS) if only is None else [choice("only", only, PARTS)]
    size = runs if runs is not None else QUICK_RUNS if quick else RUNS
    settings = PaperRun(runs=size, seed=seed, boundary=boundary, quick=quick, device=device)
    try:
        with connect(cluster) as client:
            reproduction = reproduce(settings, out, parts, force=force, cluster=client)
    except KeyboardInterrupt:
        print(
            f"floorline: finished points are saved in {out}; the same command resumes from there",
            file=sys.stderr,
        )
        raise
    if reproduction.was_finished:
        typer.echo(f"{out} is already finished; --force starts again")
    typer.echo(f"report: {reproduction.report}")


def _own_experiments(
    out: Path,
    quick: bool,
    runs: int | None,
    seed: int,
    boundary: str,
    device: str,
    only: str | None,
    means: str | None,
    noise: str,
    policies: list[str] | None,
    force: bool,
) -> None:
    """Run the paper's sweeps with means or policies of the user's own."""
    from floorline.cli.environments import numbers
    from floorline.cli.own_policies import entry_of
    from floorline.core.checks import choice
    from floorline.paper.own import own_plans
    from floorline.paper.sweeps import MEANS, PaperRun
    from floorline.sweeping import run_sweep

    given = numbers(means) if means is not None else list(MEANS)
    settings = PaperRun(runs=runs or 0, seed=seed, boundary=boundary, quick=quick, device=device)
    plans = own_plans(settings, given, noise, policies)
    for part in plans if only is None else [choice("only", only, plans)]:
        found = run_sweep(plans[part], out / part, find=entry_of, device=device, force=force)
        typer.echo(f"{part}: {len(found.rows)} cells, {found.new_cells} of them new")
        for path in found.files:
            typer.echo(str(path))
