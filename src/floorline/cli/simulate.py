"""`floorline simulate`: many runs of one policy, as a table, JSON or CSV."""

from __future__ import annotations

import csv
import math
import sys
from typing import Annotated

import typer

from floorline.cli import options
from floorline.cli.environments import delayed_from, environment_from, setup_from
from floorline.cli.json_output import print_json
from floorline.cli.simulate_output import as_dict, flat, print_table

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
        str, typer.Option(help="Rounds until a reward is known: 100, or uniform over 0-2000.")
    ] = "0",
    lost: Annotated[
        str, typer.Option(help="Rewards that never arrive, such as 2%, or one per arm: 60%,0,0")
    ] = "0",
    repeated: Annotated[
        str, typer.Option(help="Rewards that arrive a second time, such as 2%, or one per arm.")
    ] = "0",
    missing: Annotated[
        str,
        typer.Option(
            help="What a missing reward means: unknown, or after the longest delay zero (it counts "
            "as 0) or random (it is skipped)."
        ),
    ] = "unknown",
    adversary: Annotated[
        str | None,
        typer.Option(
            help="Rewards set by an adversary; --means are what each arm pays at its best: "
            "switching (the best challenger changes), late (challengers pay half until the last "
            "tenth), lure (a challenger pays until played for a tenth of the rounds, then 0), "
            "adaptive (the likeliest challenger pays 0), turncoat (for randomised policies: 0 or 1 "
            "such that averages stay at --means, but 1 for the default where a coin may miss it) "
            "or table:FILE (a row per round)."
        ),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            help="Clicks whose means change at a round: 25000:0.06,0.04; repeatable.",
        ),
    ] = None,
    season: Annotated[
        str | None,
        typer.Option(
            help="Clicks with seasons: the rounds of a season, and the share by which means rise "
            "and fall: 5000:0.5, or one share per arm: 5000:0.5,-0.5"
        ),
    ] = None,
    segments: Annotated[
        str | None,
        typer.Option(
            help="Clicks of visitors of several kinds, equally frequent: the means of each kind, "
            "with a learner for each: '0.02,0.04;0.04,0.02'. --means, if given, are the averages."
        ),
    ] = None,
    holdback: Annotated[
        float | None,
        typer.Option(
            help="Smallest probability of the default where another arm is proposed.",
            show_default="0.05 for randomised policies, else 0",
        ),
    ] = None,
    guarantee: Annotated[
        str, typer.Option(help="How the floor holds: in probability or in expectation.")
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

    Options that the policy does not use are ignored, so that policies can be compared by changing
    --policy alone.

    With --change, --season or --segments, regret is against the arm that is currently best for the
    visitor, and breaches and budgets count current means. Under randomised policies they count
    rewards received, against the default's own rewards in the same rounds.
    """
    from floorline import BOUNDARIES, make_policy, summarize
    from floorline.core.checks import choice, number
    from floorline.simulation.cluster import connect

    choice("format", format, FORMATS)
    low = options.renamed("--lowest-reward", lowest_reward, "--low", low)
    high = options.renamed("--highest-reward", highest_reward, "--high", high)
    number("low", low, -math.inf, math.inf)
    choice("boundary", boundary, BOUNDARIES)
    least = low if BOUNDARIES[boundary].needs_range else -math.inf
    number("high", high, least, math.inf, open_low=True)
    environment = environment_from(
        means, horizon, noise, noise_scale, adversary, change or [], season, segments
    )
    environment = delayed_from(environment, delay, lost, repeated, missing)
    setup = setup_from(
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
    made = make_policy(policy, setup)
    with connect(cluster) as client:
        summary = summarize(
            made,
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
        noise_scale=setup.noise_scale,
        means=",".join(f"{mean:.12g}" for mean in environment.means),
        change=" ".join(change or []),
    )
    answer = as_dict(policy, seed, summary, settings)
    if format == "json":
        print_json(answer)
    elif format == "csv":
        row = flat(answer)
        writer = csv.writer(sys.stdout)
        writer.writerows([row.keys(), row.values()])
    else:
        print_table(answer, max_loss, made.boundary)
