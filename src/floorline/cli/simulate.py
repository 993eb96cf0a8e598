"""`floorline simulate`: many runs of one policy, as a table, JSON or CSV."""

from __future__ import annotations

import csv
import math
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floorline.cli import options
from floorline.cli.environments import (
    adversary_from,
    changing_from,
    delayed_from,
    environment_from,
    setting_from,
)
from floorline.cli.json_output import print_json

if TYPE_CHECKING:
    from floorline import Summary

FORMATS = ("table", "json", "csv")


def simulate(
    context: typer.Context,
    policy: options.PolicyName,
    means: Annotated[
        str | None, typer.Option(help="Mean of each arm, the default arm's first: 0.5,0.6,0.4")
    ] = None,
    horizon: options.Horizon = 10_000,
    runs: options.Runs = 1000,
    noise: options.Noise = "gaussian",
    noise_scale: options.NoiseScale = None,
    low: Annotated[
        float,
        typer.Option(help="No arm's mean is below this; for boundary beta-binomial, no reward."),
    ] = 0.0,
    high: Annotated[
        float, typer.Option(help="No reward is above this; for boundary beta-binomial.")
    ] = 1.0,
    lowest_reward: options.LowestReward = None,
    highest_reward: options.HighestReward = None,
    max_loss: options.MaxLoss = 0.1,
    delta: options.Delta = 0.05,
    default_mean: options.DefaultMean = "known",
    boundary: Annotated[
        str,
        typer.Option(
            help="stitched, beta-binomial (for rewards from --low to --high), authors, "
            "as-printed, union or union-proved."
        ),
    ] = "stitched",
    floor: options.Floor = "confidence",
    fallback: Annotated[
        str, typer.Option(help="Played instead of a refused arm: default or best-lower.")
    ] = "default",
    warm_up: Annotated[
        str | None,
        typer.Option(
            help="BudgetFirst's warm-up: authors, certified or certain.",
            show_default="authors under the authors boundary, else certified",
        ),
    ] = None,
    lil_ucb: Annotated[
        str, typer.Option(help="Constants of lil-ucb: theoretical or heuristic.")
    ] = "theoretical",
    delay: Annotated[
        str, typer.Option(help="Rounds until a reward is known: 100, or evenly from 0-2000.")
    ] = "0",
    lost: Annotated[
        str, typer.Option(help="Share of rewards that never come: 0.1, or one an arm: 0.6,0,0")
    ] = "0",
    repeated: Annotated[
        str, typer.Option(help="Share of rewards that come a second time, likewise.")
    ] = "0",
    missing: Annotated[
        str,
        typer.Option(
            help="What silence means: unknown, or, after the longest delay, zero (it is a 0) or "
            "random (it is skipped)."
        ),
    ] = "unknown",
    adversary: Annotated[
        str | None,
        typer.Option(
            help="Rewards set against the policy, --means being what each arm pays at its best: "
            "switching (the best challenger changes), late (challengers pay half until the last "
            "tenth), lure (a challenger pays until played for a tenth of the rounds, then 0), "
            "adaptive (the likeliest challenger pays 0), turncoat (for randomised policies: 0 or 1 "
            "such that averages stay at --means, but 1 for the default where a coin may miss it) "
            "or table:FILE (a row a round)."
        ),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            help="Clicks whose means are others from a round on: 25000:0.06,0.04; repeatable.",
        ),
    ] = None,
    season: Annotated[
        str | None,
        typer.Option(
            help="Clicks whose means rise and fall by a share of themselves over so many rounds: "
            "5000:0.5, or one share an arm: 5000:0.5,-0.5"
        ),
    ] = None,
    segments: Annotated[
        str | None,
        typer.Option(
            help="Clicks of visitors of several kinds, equally many: each kind's means, with a "
            "learner for each: '0.02,0.04;0.04,0.02'. --means, if given, are their averages."
        ),
    ] = None,
    holdback: Annotated[
        float | None,
        typer.Option(
            help="Least chance of the default where another arm is proposed.",
            show_default="0.05 for randomised policies, else 0",
        ),
    ] = None,
    guarantee: Annotated[
        str, typer.Option(help="What the floor holds in: probability or expectation.")
    ] = "probability",
    seed: options.Seed = 1,
    threads: options.Threads = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda (a GPU), or python (interpreted, slow).")
    ] = "cpu",
    cluster: options.Cluster = None,
    format: Annotated[str, typer.Option(help="table, json or csv.")] = "table",
) -> None:
    """Simulate many runs of one policy.

    An option that the policy does not use is ignored, so that only --policy need change.

    With --change, --season or --segments, regret is against the best arm of the moment (and of
    the visitor's kind), and breaches and budgets count means of the moment. Under randomised
    policies these count rewards received against the default's own in the same rounds.
    """
    from floorline import BOUNDARIES, make_policy, summarize
    from floorline.core.checks import choice, number, require
    from floorline.simulation.cluster import connect

    choice("format", format, FORMATS)
    low = options.renamed("--lowest-reward", lowest_reward, "--low", low)
    high = options.renamed("--highest-reward", highest_reward, "--high", high)
    number("low", low, -math.inf, math.inf)
    choice("boundary", boundary, BOUNDARIES)
    least = low if BOUNDARIES[boundary].needs_range else -math.inf
    number("high", high, least, math.inf, open_low=True)
    changing = changing_from(means, change or [], season, segments)
    require(
        changing is None or adversary is None, "adversary", "left out where means change", adversary
    )
    if changing is not None:
        environment = changing
    elif adversary is None:
        environment = environment_from(noise, means, noise_scale)
    else:
        environment = adversary_from(adversary, means, horizon)
    environment = delayed_from(environment, delay, lost, repeated, missing)
    setting = setting_from(
        environment,
        horizon,
        default_mean,
        noise_scale,
        max_loss=max_loss,
        delta=delta,
        low=low,
        high=high,
        boundary=boundary,
        fallback=fallback,
        guarantee=guarantee,
        warm_up=warm_up,
        lil_ucb=lil_ucb,
        floor=floor,
        holdback=holdback,
    )
    with connect(cluster) as client:
        found = summarize(
            make_policy(policy, setting),
            environment,
            horizon=horizon,
            runs=runs,
            seed=seed,
            max_loss=max_loss,
            threads=threads,
            device=device,
            cluster=client,
        )
    settings = options.settings_of(
        context,
        low=low,
        high=high,
        noise_scale=setting.noise_scale,
        means=",".join(f"{mean:.12g}" for mean in environment.means),
        change=" ".join(change or []),
    )
    answer = as_dict(policy, seed, found, settings)
    if format == "json":
        print_json(answer)
    elif format == "csv":
        row = flat(answer)
        writer = csv.writer(sys.stdout)
        writer.writerows([row.keys(), row.values()])
    else:
        print_table(answer, max_loss, boundary, delta)


def as_dict(policy: str, seed: int, found: Summary, settings: dict[str, Any]) -> dict[str, Any]:
    """A summary under the names that the JSON output promises."""
    budget = found.lowest_budget
    regrets = {"pseudo_regret": found.pseudo_regret, "regret": found.regret}
    return {
        "policy": policy,
        "horizon": int(found.checkpoints[-1]),
        "runs": found.runs,
        "seed": seed,
        **{
            name: {"mean": float(one.mean[-1]), "standard_error": float(one.standard_error[-1])}
            for name, one in regrets.items()
            if one is not None
        },
        "breach_rate": float(found.breach_rate[-1]),
        "lowest_budget": {"mean": float(budget.mean[-1]), "min": float(budget.min[-1])},
        "plays": {"mean": [float(plays) for plays in found.plays[-1]]},
        "rounds_per_second": found.rounds_per_second,
        "settings": settings,
    }


def flat(answer: dict[str, Any]) -> dict[str, Any]:
    """The same answer as one row of columns."""
    row: dict[str, Any] = {}
    for name, value in answer.items():
        for part, inner in value.items() if isinstance(value, dict) else [("", value)]:
            entries = enumerate(inner) if isinstance(inner, list) else [("", inner)]
            row |= {"_".join(str(x) for x in (name, part, i) if x != ""): v for i, v in entries}
    return row


def print_table(answer: dict[str, Any], max_loss: float, boundary: str, delta: float) -> None:
    """Print the answer for a person."""
    from rich.console import Console
    from rich.table import Table

    regret = answer.get("regret", answer["pseudo_regret"])
    budget, plays = answer["lowest_budget"], answer["plays"]
    rounds = answer["horizon"]
    title = f"{answer['policy']}: {answer['runs']:,} runs of {rounds:,} rounds"
    title += f"\nboundary {boundary}, delta {delta:g}"
    table = Table("", "", title=title, box=None, show_header=False, title_justify="left")
    table.add_row("regret", f"{regret['mean']:,.1f} ± {regret['standard_error']:.2g}")
    table.add_row("regret a round", f"{regret['mean'] / rounds:.5f}")
    table.add_row(f"runs below {1 - max_loss:.4g} of the default", f"{answer['breach_rate']:.2%}")
    lowest = {name: round(value, 9) + 0.0 for name, value in budget.items()}
    table.add_row("lowest budget", f"mean {lowest['mean']:.4g}, min {lowest['min']:.4g}")
    shares = ", ".join(f"{plays / rounds:.1%}" for plays in plays["mean"])
    table.add_row("plays, the default first", shares)
    table.add_row("speed", f"{answer['rounds_per_second'] / 1e6:,.0f} million rounds a second")
    Console().print(table)
