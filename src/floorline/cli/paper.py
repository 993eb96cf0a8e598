"""`floorline paper`: the paper's experiments, its figures and a report, in one folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floorline.cli import options

if TYPE_CHECKING:
    from distributed import Client

    from floorline.paper.sweeps import PaperRun


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
    device: options.Device = "cpu",
    cluster: options.Cluster = None,
    only: Annotated[
        str | None, typer.Option(help="One part: alpha, horizon or budget.", show_default="all")
    ] = None,
    means: Annotated[
        str | None,
        typer.Option(help="Your own means, the default arm's first: 0.3,0.4,0.2"),
    ] = None,
    noise: Annotated[str, typer.Option(help="With --means: gaussian or bernoulli.")] = "gaussian",
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy to run instead of the paper's five: one of `floorline policies`, or "
            "FILE.py:NAME; repeatable."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start over, replacing the folder's results.")
    ] = False,
) -> None:
    """Reproduce the paper's experiments: results.csv, figures and report.html.

    Every point is saved as soon as it is finished: the same command resumes where it stopped.

    With --means or --policy, runs the same experiments on your own instance or policies: results
    and figures are in the folders alpha and horizon, without the report about the paper's claims.
    """
    from floorline.paper.sweeps import QUICK_RUNS, RUNS, PaperRun
    from floorline.simulation.cluster import connect

    size = runs if runs is not None else QUICK_RUNS if quick else RUNS
    settings = PaperRun(runs=size, seed=seed, boundary=boundary, quick=quick, device=device)
    try:
        with connect(cluster) as client:
            if means is None and not policy:
                _reproduce(settings, out, only, client, force)
            else:
                _own_experiments(settings, out, only, client, force, means, noise, policy)
    except KeyboardInterrupt:
        print(
            f"floorline: finished points are saved in {out}; the same command resumes from there",
            file=sys.stderr,
        )
        raise


def _reproduce(
    settings: PaperRun, out: Path, only: str | None, cluster: Client | None, force: bool
) -> None:
    """Run the paper's own experiments."""
    from floorline.core.checks import choice
    from floorline.paper.reproduce import reproduce
    from floorline.paper.sweeps import PARTS

    if force and only is not None:
        raise ValueError("force: must be given without --only, since it starts the folder again")
    parts = list(PARTS) if only is None else [choice("only", only, PARTS)]
    reproduction = reproduce(settings, out, parts, force=force, cluster=cluster)
    if reproduction.was_finished:
        typer.echo(f"{out} is already finished; --force starts again")
    typer.echo(f"report: {reproduction.report}")


def _own_experiments(
    settings: PaperRun,
    out: Path,
    only: str | None,
    cluster: Client | None,
    force: bool,
    means: str | None,
    noise: str,
    policies: list[str] | None,
) -> None:
    """Run the paper's sweeps with the user's own means or policies."""
    from floorline.cli.environments import numbers
    from floorline.cli.own_policies import entry_of
    from floorline.cli.sweep import report_sweep
    from floorline.core.checks import choice
    from floorline.paper.own import own_plans
    from floorline.paper.sweeps import MEANS
    from floorline.sweeping import run_sweep

    given = numbers(means) if means is not None else list(MEANS)
    plans = own_plans(settings, given, noise, policies)
    for part in plans if only is None else [choice("only", only, plans)]:
        finished = run_sweep(
            plans[part],
            out / part,
            find=entry_of,
            device=settings.device,
            cluster=cluster,
            force=force,
        )
        typer.echo(f"{part}: ", nl=False)
        report_sweep(finished)
