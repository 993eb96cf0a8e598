"""`floorline bounds`: the theorems' bounds for one setting, next to a short simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from floorline.cli import options
from floorline.cli.environments import environment_from, setting_from
from floorline.cli.json_output import print_json

if TYPE_CHECKING:
    from floorline import Environment, PolicySetup

MAX_ROUNDS = 200_000_000
"""Rounds that can be simulated in a second or two; long horizons get fewer runs."""


class BoundRow(NamedTuple):
    """One result of the paper for this setting: a bound on regret."""

    name: str
    label: str
    bound: float | None
    as_printed: float | None = None
    simulated_mean: float | None = None
    simulated_max: float | None = None


def bounds(
    context: typer.Context,
    means: Annotated[str, typer.Option(help="Mean of each arm, the default arm's first.")],
    horizon: Annotated[int, typer.Option(help="Rounds.")] = 10_000,
    max_loss: options.MaxLoss = 0.1,
    delta: options.Delta = 0.05,
    boundary: Annotated[
        str, typer.Option(help="stitched, authors, as-printed, union or union-proved.")
    ] = "stitched",
    noise: Annotated[str, typer.Option(help="gaussian or bernoulli.")] = "gaussian",
    noise_scale: options.NoiseScale = None,
    default_mean: options.DefaultMean = "known",
    runs: Annotated[int, typer.Option(help="At most how many runs are simulated.")] = 400,
    seed: options.Seed = 1,
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
) -> None:
    """Show every bound of the paper for one setting, and what policies lose in simulation."""
    from floorline.core.checks import choice, whole

    choice("format", format, ("table", "json"))
    environment = environment_from(means, horizon, noise, noise_scale)
    setting = setting_from(
        environment,
        horizon,
        default_mean,
        noise_scale,
        max_loss=max_loss,
        delta=delta,
        boundary=boundary,
    )
    runs = max(1, min(whole("runs", runs, 1), MAX_ROUNDS // horizon))
    rows = stochastic(setting, environment, runs, seed)
    rows += adversarial(setting, environment, runs, seed)
    remarks = remarks_on(setting)
    if format == "json":
        named_rows = {row.name: dict(list(row._asdict().items())[2:]) for row in rows}
        settings = options.settings_of(context, noise_scale=setting.noise_scale, runs=runs)
        answer = {"runs": runs, "seed": seed, "bounds": named_rows, **remarks}
        print_json({**answer, "settings": settings})
    else:
        print_table(rows, remarks, setting, runs)


def stochastic(
    setting: PolicySetup, environment: Environment, runs: int, seed: int
) -> list[BoundRow]:
    """Return bounds on the pseudo-regret of Conservative UCB and BudgetFirst, and simulations."""
    from floorline import make_policy, theory
    from floorline.simulation import summarize

    means = environment.means

    def simulated(name: str) -> tuple[float, float]:
        regret = summarize(
            make_policy(name, setting), environment, horizon=setting.horizon, runs=runs, seed=seed
        ).pseudo_regret
        return float(regret.mean[-1]), float(regret.max[-1])

    theorem = "Theorem 2" if setting.learned else "Theorem 1"
    problem, penalty = theory.problem_regret, theory.floor_penalty
    mean, worst = simulated("conservative-ucb")
    first_mean, first_worst = simulated("budget-first")
    first = theory.budget_first_regret
    printed = problem(setting, means, as_printed=True)
    printed_penalty = penalty(setting, means, as_printed=True)
    first_bound = first(setting, max(means) - means[0])
    everything = setting.horizon * (max(means) - min(means))
    return [
        BoundRow(
            "conservative_ucb",
            f"Conservative UCB ({theorem})",
            problem(setting, means),
            printed,
            mean,
            worst,
        ),
        BoundRow(
            "conservative_ucb_floor_penalty",
            "  of which the floor's price",
            penalty(setting, means),
            printed_penalty,
        ),
        BoundRow(
            "conservative_ucb_expected",
            "  in expectation",
            theory.expected_regret(setting, means),
            None,
            mean,
        ),
        BoundRow("conservative_ucb_worst", "  any means", theory.worst_regret(setting)),
        BoundRow("budget_first", "BudgetFirst", first_bound, None, first_mean, first_worst),
        BoundRow("budget_first_worst", "  any means", first(setting)),
        BoundRow("everything", "the largest gap in every round", everything),
        BoundRow("lower_bound", "at least, for some means (Theorem 4)", lower(setting)[0]),
    ]


def lower(setting: PolicySetup) -> tuple[float | None, str]:
    """Return the lower bound for a floor that may fail with delta, or None, and the reason.

    For rewards in [0, 1] it is that of rewards of 0 or 1, a special case.
    """
    from floorline.theory import lower_bound

    arguments = (setting.n_arms, setting.horizon, setting.max_loss, setting.default_mean)
    scale = None if setting.bounded else setting.noise_scale
    try:
        return lower_bound(*arguments, scale, delta=setting.delta), "its conditions hold"
    except ValueError as error:
        return None, str(error)


def adversarial(
    setting: PolicySetup, environment: Environment, runs: int, seed: int
) -> list[BoundRow]:
    """Return bounds for rewards in [0, 1] set by an adversary; a switching one is simulated."""
    from floorline import Switching, make_policy, theory
    from floorline.simulation import summarize

    n_arms, horizon, delta = setting.n_arms, setting.horizon, setting.delta
    arguments = (n_arms, horizon, setting.max_loss, setting.default_mean)
    adversary = Switching(environment.means, span=max(1, horizon // 10))

    def simulated(name: str) -> tuple[float, float]:
        regret = summarize(
            make_policy(name, setting),
            adversary,
            horizon=horizon,
            runs=runs,
            seed=seed,
            max_loss=setting.max_loss,
        ).regret
        return (math.nan, math.nan) if regret is None else (regret.mean[-1], regret.max[-1])

    plain = theory.exp3_ix_regret(n_arms, horizon, delta)
    safe = theory.safe_exp3_ix_regret(*arguments, delta)
    printed = theory.safe_exp3_ix_regret(*arguments, delta, as_printed=True)
    prior = theory.prior_exp3_regret(n_arms, horizon, setting.may_lose())
    return [
        BoundRow("exp3_ix", "Exp3-IX, no floor", plain, None, *simulated("exp3-ix")),
        BoundRow(
            "safe_exp3_ix", "safe Exp3-IX (Theorem 3)", safe, printed, *simulated("safe-exp3-ix")
        ),
        BoundRow("prior_exp3_default", "prior Exp3, against the default", prior.default),
        BoundRow("prior_exp3_challenger", "  against a challenger", prior.challenger),
    ]


def remarks_on(setting: PolicySetup) -> dict[str, Any]:
    """Return the theory's other results, by the names of the JSON output."""
    from floorline import theory
    from floorline.proposers import paper_targets

    arguments = (setting.n_arms, setting.horizon, setting.max_loss, setting.default_mean)
    boundary = setting.intervals()
    envelope = theory.exp3_ix_envelope(setting.n_arms, setting.delta)
    return {
        "warm_up": {
            "certified": theory.certified_warm_up(*arguments, boundary),
            "authors": theory.authors_warm_up(*arguments, boundary),
            "certain": theory.certain_warm_up(*arguments[1:]),
        },
        "last_safe_round": theory.last_safe_round(envelope, *arguments[2:]),
        "lower_bound_conditions": lower(setting)[1],
        "moss_targets_on_frontier": theory.on_frontier(paper_targets(*arguments), setting.horizon),
    }


def print_table(
    rows: list[BoundRow], remarks: dict[str, Any], setting: PolicySetup, runs: int
) -> None:
    """Print the bounds as a table."""
    from rich.console import Console
    from rich.table import Table

    title = (
        f"Regret after {setting.horizon:,} rounds at most: max_loss {setting.max_loss:g}, "
        f"delta {setting.delta:g}, {setting.boundary}"
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
        f"BudgetFirst plays the default first, in rounds: {warm_up}.",
        f"Safe Exp3-IX never intervenes after round {remarks['last_safe_round']:,} (its t_0).",
        f"Lower bound: {remarks['lower_bound_conditions']}.",
        f"Unbalanced MOSS's targets are {frontier} the Pareto frontier.",
    ):
        console.print(line, highlight=False)
