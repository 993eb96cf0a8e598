"""`floorline bounds`: the theorems' bounds for one setting, next to a short simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from floorline.cli import options
from floorline.cli.bounds_rows import BoundRow, adversarial, remarks_on, stochastic
from floorline.cli.environments import environment_from, setup_from
from floorline.cli.json_output import print_json

if TYPE_CHECKING:
    from floorline import PolicySetup

MAX_ROUNDS = 200_000_000
"""Rounds that can be simulated in a second or two; long horizons get fewer runs."""


def bounds(
    context: typer.Context,
    means: Annotated[str, typer.Option(help="Mean of each arm, the default arm's first.")],
    horizon: options.Horizon = 10_000,
    max_loss: options.MaxLoss = 0.1,
    delta: options.Delta = 0.05,
    boundary: Annotated[
        str, typer.Option(help="stitched, authors, as-printed, union or union-proved.")
    ] = "stitched",
    noise: Annotated[str, typer.Option(help="gaussian or bernoulli.")] = "gaussian",
    noise_scale: options.NoiseScale = None,
    default_mean: options.DefaultMean = "known",
    runs: Annotated[int, typer.Option(help="Maximum number of simulated runs.")] = 400,
    seed: options.Seed = 1,
    format: options.Format = "table",
) -> None:
    """Show every bound of the paper for one setting, and the regret of policies in simulation."""
    from floorline.boundaries.registry import BOUNDARIES
    from floorline.core.checks import choice, require, whole

    choice("format", format, options.FORMATS)
    choice("boundary", boundary, [kind.name for kind in BOUNDARIES.values() if kind.has_radius])
    environment = environment_from(means, horizon, noise, noise_scale)
    default = environment.means[0]
    require(default > 0, "means", "above 0 for the default arm", default)
    setup = setup_from(
        environment,
        horizon,
        default_mean,
        noise_scale,
        max_loss=max_loss,
        delta=delta,
        boundary=boundary,
    )
    runs = max(1, min(whole("runs", runs, 1), MAX_ROUNDS // horizon))
    rows = stochastic(setup, environment, runs, seed)
    rows += adversarial(setup, environment, runs, seed)
    remarks = remarks_on(setup)
    if format == "json":
        named_rows = {row.name: dict(list(row._asdict().items())[2:]) for row in rows}
        settings = options.settings_of(context, noise_scale=setup.noise_scale, runs=runs)
        answer = {"runs": runs, "seed": seed, "bounds": named_rows, **remarks}
        print_json({**answer, "settings": settings})
    else:
        print_table(rows, remarks, setup, runs)


def print_table(
    rows: list[BoundRow], remarks: dict[str, Any], setup: PolicySetup, runs: int
) -> None:
    """Print the bounds as a table."""
    from rich.console import Console
    from rich.table import Table

    title = (
        f"Bounds on regret after {setup.horizon:,} rounds: max_loss {setup.max_loss:g}, "
        f"delta {setup.delta:g}, {setup.boundary}"
    )
    headers = ("", "bound", "as printed", "simulated", "worst run")
    table = Table(*headers, box=None, title=title, title_justify="left", pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        if row.name == "exp3_ix":
            table.add_section()
        table.add_row(row.label, *("" if x is None else f"{x:,.0f}" for x in row[2:]))
    warm_up = ", ".join(f"{count:,} ({form})" for form, count in remarks["warm_up"].items())
    frontier = "on or above" if remarks["moss_targets_on_frontier"] else "below"
    console = Console()
    console.print(table)
    for line in (
        f"Simulated: mean of {runs:,} runs. As printed: the paper's constants (docs/errata.md).",
        "Exp3: regret in hindsight, rewards in [0, 1]; simulated: the best challenger switches.",
        "The bounds hold while all confidence intervals do: with probability 1 - delta.",
        f"BudgetFirst's warm-up, in rounds of the default: {warm_up}.",
        f"Safe Exp3-IX never intervenes after round {remarks['last_safe_round']:,} (its t_0).",
        f"Lower bound: {remarks['lower_bound_conditions']}.",
        f"Unbalanced MOSS's targets are {frontier} the Pareto frontier.",
    ):
        console.print(line, highlight=False)
