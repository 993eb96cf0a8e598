"""Clicks at 3%: who gets the traffic under each boundary, as a figure and in numbers.

    python benchmarks/clicks.py [--runs 1000] [--out docs/figures]

One challenger at 4% against a default at 3%, whose mean is learned; max_loss 0.1, delta 0.05,
50,000 decisions, every reward known at once, no holdback.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from floorline import Bernoulli, PolicySetup, make_policy, simulate
from floorline.paper.style import Line, legend, save
from floorline.simulation import Results
from floorline.simulation.plots import new_figure, tidy

HORIZON = 50_000
CHECKPOINTS = [9, 10, *range(500, HORIZON + 1, 500)]
LINES = {
    "beta-binomial": Line("beta-binomial", "#0072b2", "-", "o"),
    "stitched": Line("stitched, scale 1/2", "#d55e00", "--", "s"),
}


def clicks(boundary: str, runs: int) -> Results:
    """Return runs of the campaign above under one boundary."""
    setting = PolicySetup(
        n_arms=2,
        horizon=HORIZON,
        default_mean=0.03,
        learned=True,
        max_loss=0.1,
        delta=0.05,
        noise_scale=0.5,
        boundary=boundary,
    )
    policy = make_policy("conservative-ucb", setting)
    return simulate(
        policy, Bernoulli([0.03, 0.04]), horizon=HORIZON, runs=runs, seed=1, checkpoints=CHECKPOINTS
    )


def row(boundary: str, found: Results) -> str:
    """Return the numbers of one boundary as a line of the table."""
    at = {int(t): i for i, t in enumerate(found.checkpoints)}
    plays = found.plays[:, :, 1].astype(float)
    first = "10" if plays[:, at[9]].max() == 0 and plays[:, at[10]].min() == 1 else "other"
    of_all = plays[:, -1].mean() / HORIZON
    last_tenth = (plays[:, -1] - plays[:, at[45_000]]).mean() / (HORIZON / 10)
    breaches = int((found.first_breach > 0).sum())
    return f"| {boundary} | {first} | {of_all:.1%} | {last_tenth:.1%} | {breaches} |"


def draw(found: dict[str, Results], folder: Path) -> None:
    """Draw the better arm's share of the decisions over time."""
    figure, axes = new_figure((8, 4.4))
    for boundary, results in found.items():
        line = LINES[boundary]
        times = results.checkpoints[2:]
        plays = np.diff(results.plays[:, 2:, 1], axis=1, prepend=0)
        shares = 100 * plays / np.diff(times, prepend=0)
        axes.plot(times, shares.mean(axis=0), **line.plot_options)
        low, high = np.quantile(shares, [0.1, 0.9], axis=0)
        axes.fill_between(times, low, high, color=line.colour, alpha=0.12, lw=0)
    axes.set(
        xlim=(0, HORIZON),
        ylim=(-2, 102),
        xlabel="decisions (shaded: all but the lowest and the highest tenth of the runs)",
        ylabel="% of 500 decisions to the better arm",
        title="A challenger at 4% against a default at 3%, max_loss 10%",
    )
    tidy(axes)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    legend(axes, loc=(0.4, 0.42))
    folder.mkdir(parents=True, exist_ok=True)
    save(figure, folder, "clicks", ("png", "svg"))


def main() -> None:
    """Simulate, print and draw."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=1000)
    options.add_argument("--out", type=Path, default=Path("docs/figures"))
    given = options.parse_args()
    found = {boundary: clicks(boundary, given.runs) for boundary in LINES}
    print(
        f"{given.runs:,} runs\n\n| boundary | explores from | of all decisions | of the last "
        "tenth | below the floor |\n|---|---:|---:|---:|---:|"
    )
    for boundary, results in found.items():
        print(row(boundary, results))
    draw(found, given.out)


if __name__ == "__main__":
    main()
