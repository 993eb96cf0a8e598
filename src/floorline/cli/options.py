"""Options that several commands share, with their help texts."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

PolicyName = Annotated[str, typer.Option(help="One of `floorline policies`.")]
Horizon = Annotated[int, typer.Option(help="Rounds per run.")]
Runs = Annotated[int, typer.Option(help="How many runs.")]
Noise = Annotated[
    str, typer.Option(help="gaussian, bernoulli, or table:FILE (arm, value, probability).")
]
NoiseScale = Annotated[
    float | None,
    typer.Option(
        help="Subgaussian scale of the rewards, as policies assume it; 0.5 covers [0, 1]. "
        "It is also the standard deviation of Gaussian rewards.",
        show_default="that of the rewards; 1 if gaussian",
    ),
]
Low = Annotated[float, typer.Option(help="No reward is below this.")]
High = Annotated[float, typer.Option(help="No reward is above this.")]
LowestReward = Annotated[float | None, typer.Option("--lowest-reward", hidden=True)]
HighestReward = Annotated[float | None, typer.Option("--highest-reward", hidden=True)]
MaxLoss = Annotated[float, typer.Option(help="Share of the default's reward that may be lost.")]
Delta = Annotated[float, typer.Option(help="Chance that the guarantee fails.")]
DefaultMean = Annotated[
    str, typer.Option(help="Whether the policy knows the default arm's mean: known, learned.")
]
Floor = Annotated[
    str,
    typer.Option(
        help="Floor of the conservative policies: confidence (the paper's), joint, joint-steady, "
        "joint-variance or randomised."
    ),
]
Seed = Annotated[int, typer.Option(help="Same seed, same results.")]
Device = Annotated[str, typer.Option(help="cpu, or cuda (a GPU).")]
Threads = Annotated[
    int | None, typer.Option(help="How many threads play the runs.", show_default="all cores")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        help="Play the runs on a Dask cluster: local, or a scheduler such as tcp://host:8786. "
        "The results are the same.",
        show_default="this process",
    ),
]
Format = Annotated[str, typer.Option(help="table or json.")]
FORMATS = ("table", "json")
"""The values of `Format`."""
DATA = typer.Option(..., envvar="FLOORLINE_DATA", help="The service's data folder or database.")
"""For commands that change what a service keeps."""

NOT_SETTINGS = ("format", "threads", "out", "figure", "lowest_reward", "highest_reward")
"""Options that do not affect the results, and deprecated names."""


def settings_of(context: typer.Context, **resolved: Any) -> dict[str, Any]:
    """Return every option that affects the results, so that outputs can be told apart.

    `resolved` has the values of options that were left open.
    """
    given = {name: value for name, value in context.params.items() if name not in NOT_SETTINGS}
    return {**given, **resolved}


def shares(name: str, text: str) -> list[float]:
    """Return the shares in a list such as 5%,10% or 0.05,0.1."""
    try:
        return [
            float(part.strip().removesuffix("%")) / (100 if part.strip().endswith("%") else 1)
            for part in text.split(",")
        ]
    except ValueError:
        raise ValueError(f"{name}: must be shares such as 5%,10%, not {text!r}") from None


def renamed(old: str, old_value: float | None, new: str, new_value: float) -> float:
    """Return the value of a renamed option, given under its old or its new name."""
    if old_value is None:
        return new_value
    warnings.warn(f"{old} is deprecated; use {new} instead", stacklevel=2)
    return old_value
