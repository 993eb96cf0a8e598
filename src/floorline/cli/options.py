"""Options that several commands have, each with its one help text."""

from __future__ import annotations

from typing import Annotated

import typer

PolicyName = Annotated[str, typer.Option(help="One of `floorline policies`.")]
Horizon = Annotated[int, typer.Option(help="Rounds a run.")]
Runs = Annotated[int, typer.Option(help="How many runs.")]
Noise = Annotated[
    str, typer.Option(help="gaussian, bernoulli, or table:FILE (arm, value, probability).")
]
NoiseScale = Annotated[
    float, typer.Option(help="Subgaussian scale of the rewards; 0.5 covers [0, 1].")
]
MaxLoss = Annotated[float, typer.Option(help="Share of the default's reward that may be lost.")]
Delta = Annotated[float, typer.Option(help="Chance that the guarantee fails.")]
DefaultMean = Annotated[
    str, typer.Option(help="Whether the policy knows the default arm's mean: known, learned.")
]
Floor = Annotated[
    str,
    typer.Option(help="Floor of the conservative policies: confidence (the paper's), or joint."),
]
Seed = Annotated[int, typer.Option(help="Same seed, same results.")]
Threads = Annotated[int | None, typer.Option(show_default="all cores")]
