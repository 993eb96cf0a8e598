"""`floorline replay`: a policy on logged data."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floorline.cli import options
from floorline.cli.json_output import print_json

if TYPE_CHECKING:
    from floorline import PolicySetup
    from floorline.offpolicy import LoggedData

METHODS = ("rejection", "weights")


def replay(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="LOG.csv", help="Columns arm, reward and propensity.")
    ],
    policy: Annotated[
        str, typer.Option(help="One of `floorline policies`, or FILE.py:NAME of your own.")
    ],
    method: Annotated[
        str,
        typer.Option(
            help="rejection: the policy plays the logged decisions with which it agrees, and skips "
            "the others. weights: it learns from every logged decision, and rewards are weighted."
        ),
    ] = "rejection",
    default: Annotated[
        str | None,
        typer.Option(help="Name of the default arm.", show_default="that of the first row"),
    ] = None,
    uniform: Annotated[
        bool,
        typer.Option("--uniform", help="Every arm was equally likely: no propensities needed."),
    ] = False,
    low: options.Low = 0.0,
    high: options.High = 1.0,
    max_loss: options.MaxLoss = 0.1,
    delta: options.Delta = 0.05,
    floor: options.Floor = "confidence",
    confidence: Annotated[
        float, typer.Option(help="Confidence level of the interval, which holds at all times.")
    ] = 0.95,
    seed: options.Seed = 1,
    format: options.Format = "table",
) -> None:
    """Run a policy on logged data, such as the output of `floorline ledger export`.

    The output says what the estimate is based on and where it is biased.
    """
    from floorline import offpolicy
    from floorline.cli.own_policies import entry_of
    from floorline.core.checks import choice

    choice("format", format, options.FORMATS)
    choice("method", method, METHODS)
    log = offpolicy.read_log(file, default=default, low=low, high=high, uniform=uniform)
    setup = setup_for(log, max_loss=max_loss, delta=delta, floor=floor)
    made = entry_of(policy).build(setup)
    found: Any
    if method == "rejection":
        found = offpolicy.replay(log, made, seed=seed, confidence=confidence)
    else:
        log.require_propensities()
        target = offpolicy.followed_target(log, made, seed)
        found = offpolicy.evaluate(log, target, confidence=confidence)
    if format == "json":
        settings = options.settings_of(context, file=str(file), default=log.arms[0])
        print_json({"policy": policy, "method": method, **asdict(found), "settings": settings})
        return
    typer.echo(repr(found))
    if method == "weights":
        typer.echo(
            "The policy learned from the logged decisions, not from its own: if it learns, this is "
            "not what it would have earned by itself. --method rejection estimates that."
        )


def setup_for(log: LoggedData, **others: Any) -> PolicySetup:
    """Return a policy's setup for the arms and rewards of a log; the default mean is learned."""
    from floorline import PolicySetup

    return PolicySetup(
        n_arms=len(log.arms),
        horizon=len(log),
        default_mean=log.low,
        learned=True,
        noise_scale=(log.high - log.low) / 2,
        low=log.low,
        high=log.high,
        boundary="beta-binomial",
        bounded=(log.low, log.high) == (0, 1),
        **others,
    )
