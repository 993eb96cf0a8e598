"""`floorline plan`: what to expect of a campaign, on one page and in one figure."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floorline.cli import options
from floorline.cli.json_output import print_json
from floorline.cli.options import shares
from floorline.cli.plan_page import print_page

if TYPE_CHECKING:
    from floorline.planning import Outlook, Question

LONG_PLAN = 1e10
"""Simulated decisions from which a plan takes a CPU many minutes, or hours."""


def plan(
    context: typer.Context,
    challengers: Annotated[int, typer.Option(help="How many new arms are tried.")],
    default_mean: Annotated[float, typer.Option(help="What a decision earns today, on average.")],
    decisions_per_day: Annotated[int, typer.Option(help="How many decisions are made a day.")],
    days: Annotated[int, typer.Option(help="How many days to plan.")] = 90,
    improvement: Annotated[
        str, typer.Option(help="The smallest improvement worth finding, such as 10%.")
    ] = "10%",
    max_loss: Annotated[
        str, typer.Option(help="Shares of today's reward that may be lost; one column for each.")
    ] = "5%,10%,20%",
    floor: Annotated[
        str | None,
        typer.Option(
            help="Floors to compare, such as confidence,joint,randomised.",
            show_default="joint; joint-steady with one challenger",
        ),
    ] = None,
    delta: Annotated[float, typer.Option(help="Chance that the floor fails.")] = 0.05,
    low: options.Low = 0.0,
    high: options.High = 1.0,
    unit: Annotated[
        str | None,
        typer.Option(help="What rewards are counted in, such as EUR.", show_default="not shown"),
    ] = None,
    spread: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation of one reward.",
            show_default="each is --low or --high, as a click is 0 or 1",
        ),
    ] = None,
    known: Annotated[
        bool,
        typer.Option("--known", help="The campaign is given --default-mean and need not learn it."),
    ] = False,
    default_mean_error: Annotated[
        float,
        typer.Option(help="How far off --default-mean may be; both extremes are planned, too."),
    ] = 0.0,
    boundary: Annotated[
        str, typer.Option(help="Confidence boundary: beta-binomial, stitched or union-proved.")
    ] = "beta-binomial",
    holdback: Annotated[
        str | None,
        typer.Option(
            help="Share of decisions that always go to the default.",
            show_default="2%, or 5% under the randomised floor",
        ),
    ] = None,
    missing: Annotated[
        str,
        typer.Option(
            help="What a missing reward means: unknown, or after --delay-hours zero (it counts as "
            "0) or random (it is skipped)."
        ),
    ] = "unknown",
    lost: Annotated[str, typer.Option(help="Rewards that never arrive, such as 2%.")] = "0%",
    delay_hours: Annotated[float, typer.Option(help="Hours until a reward arrives.")] = 0.0,
    in_flight_rate: Annotated[
        float,
        typer.Option(
            help="For the randomised floor: k pending rewards of the default are together at most "
            "this times k, plus --in-flight-burst, in units of --high less --low."
        ),
    ] = 1.0,
    in_flight_burst: Annotated[float, typer.Option(help="See --in-flight-rate.")] = 0.0,
    runs: Annotated[int, typer.Option(help="Simulated campaigns of each case.")] = 128,
    seed: options.Seed = 1,
    device: options.Device = "cpu",
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("out"),
    figure: Annotated[bool, typer.Option(help="Whether to draw the figure.")] = True,
    format: Annotated[str, typer.Option(help="page or json.")] = "page",
    reward: Annotated[str, typer.Option(hidden=True)] = "clicks",
) -> None:
    """Plan a campaign: when it explores, how soon it pays off, and what it may cost.

    Campaigns are simulated as they would run, by default with the settings of live campaigns.
    """
    from floorline.core.checks import choice, number, require
    from floorline.planning import Question, outlooks
    from floorline.policy_setup import FLOORS

    choice("format", format, ("page", "json"))
    if reward != "clicks":
        raise ValueError("reward: is no longer an option; give --low, --high and --spread instead")
    number("default_mean_error", default_mean_error, 0, math.inf)
    below = default_mean_error < default_mean or default_mean_error == 0
    require(below, "default_mean_error", "below the default mean", default_mean_error)
    number("delay_hours", delay_hours, 0, math.inf)
    floors: list[str | None] = [None]
    if floor is not None:
        floors = [choice("floor", name.strip(), FLOORS) for name in floor.split(",")]
    for name, value, nothing in (
        ("in_flight_rate", in_flight_rate, 1.0),
        ("in_flight_burst", in_flight_burst, 0.0),
    ):
        if value != nothing and "randomised" not in floors:
            raise ValueError(f"{name}: is for the randomised floor; give --floor randomised, too")
    if figure:
        from floorline.cli.plan_figure import draw
        from floorline.simulation.plots import require_matplotlib

        require_matplotlib()  # fails now if it is missing, not after the simulations
    question = Question(
        challengers=challengers,
        default_mean=default_mean,
        decisions_per_day=decisions_per_day,
        improvement=shares("improvement", improvement)[0],
        days=days,
        delta=delta,
        low=low,
        high=high,
        unit=unit,
        spread=spread,
        learned=not known,
        boundary=boundary,
        holdback=None if holdback is None else shares("holdback", holdback)[0],
        missing=missing,
        lost=shares("lost", lost)[0],
        delay=round(delay_hours / 24 * decisions_per_day),
        in_flight_rate=in_flight_rate,
        in_flight_burst=in_flight_burst,
    )
    guesses = [question]
    if default_mean_error > 0:
        ends = (default_mean - default_mean_error, default_mean + default_mean_error)
        guesses += [replace(question, default_mean=end) for end in ends]
    losses = shares("max_loss", max_loss)
    simulated = 2 * len(guesses) * len(losses) * len(floors) * runs * question.horizon
    if simulated > LONG_PLAN and device == "cpu":
        warnings.warn(
            f"{simulated:.2g} decisions are simulated, which takes long: fewer --days, one "
            "--max-loss or --device cuda make it shorter",
            stacklevel=2,
        )
    found = outlooks(guesses, losses, floors, runs=runs, seed=seed, device=device)
    path = draw(question, [same[0] for same in found], out / "plan.png") if figure else None
    if format == "json":
        settings = options.settings_of(context)
        print_json({**as_dict(guesses, found, path), "settings": settings})
    else:
        print_page(guesses, found, path)


def as_dict(
    guesses: Sequence[Question], found: Sequence[Sequence[Outlook]], path: Path | None
) -> dict[str, Any]:
    """Return the plan as a dictionary for JSON, with an outlook for each guess.

    A day that was never reached is null. Ranges are from the 5% to the 95% quantile of the runs.
    """
    outlooks = [
        {"default_mean": guess.default_mean, **plain(one)}
        for same in found
        for guess, one in zip(guesses, same, strict=True)
    ]
    return {"question": asdict(guesses[0]), "outlooks": outlooks, "figure": path and str(path)}


def plain(value: Any) -> Any:
    """Return records as dictionaries and arrays as lists."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    elif hasattr(value, "__dataclass_fields__"):
        value = {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value
