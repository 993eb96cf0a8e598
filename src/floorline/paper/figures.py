"""The figures over losses, horizons and boundaries, drawn from the rows of results.csv."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from floorline.boundaries import Boundary
from floorline.paper.run import ResultRow
from floorline.paper.style import BOUNDARY_LINES, LINES, Line, legend, save
from floorline.paper.sweeps import BOUNDARIES, FIVE, HORIZON, MEANS
from floorline.simulation.plots import new_figure, tidy
from floorline.simulation.summary import share_error

BAND = 1.96
"""Half the width of a 95% band, in standard errors."""


def draw_alpha(rows: Sequence[ResultRow], folder: Path) -> None:
    """Draw the paper's figure of average regret over alpha (our max_loss)."""
    figure, axes = new_figure((7, 4.6))
    for policy in FIVE:
        curve = _curve(rows, "alpha", policy=policy)
        _average_regret(axes, LINES[policy], [row.max_loss for row in curve], curve)
    axes.set(xlabel="α  (max_loss)", ylabel="expected regret / n", xlim=(0, 1))
    axes.set_ylim(bottom=0)
    legend(figure, loc="outside upper left", ncols=2)
    tidy(axes)
    save(figure, folder, "regret-over-alpha")


def draw_horizon(rows: Sequence[ResultRow], folder: Path) -> None:
    """Draw the paper's figure of average regret over the horizon."""
    figure, axes = new_figure((7, 4.6))
    for policy in FIVE:
        curve = _curve(rows, "horizon", policy=policy)
        _average_regret(axes, LINES[policy], [row.horizon for row in curve], curve)
    axes.set(xlabel="n  (horizon)", ylabel="expected regret / n", xlim=(100, 100_000))
    axes.set_xticks([2_000, 50_000, 100_000], ["2,000", "50,000", "100,000"])
    axes.set_ylim(bottom=0)
    legend(figure, loc="outside upper left", ncols=2)
    tidy(axes)
    save(figure, folder, "regret-over-horizon")


def draw_breaches(rows: Sequence[ResultRow], folder: Path) -> None:
    """Draw the share of runs below the floor at any time, over alpha."""
    figure, axes = new_figure((7, 4))
    never = []
    for policy in FIVE:
        curve = _curve(rows, "alpha", policy=policy)
        if not any(row.breach_rate for row in curve):
            never.append(LINES[policy])
        losses = [row.max_loss for row in curve]
        share = np.array([row.breach_rate for row in curve])
        half = BAND * share_error(share, np.array([row.runs for row in curve]))
        _line(axes, LINES[policy], losses, 100 * share, 100 * half)
    axes.set(
        xlabel="α  (max_loss)",
        ylabel="% of runs below the floor at any time",
        xlim=(0, 0.5),
        ylim=(-3, 103),
    )
    if never:
        names = "\n".join(line.label for line in never)
        axes.text(0.215, 8, f"never, at any alpha:\n{names}", va="bottom", linespacing=1.4)
    legend(axes, loc="upper right")
    tidy(axes)
    save(figure, folder, "runs-below-the-floor")


def draw_boundaries(rows: Sequence[ResultRow], folder: Path) -> None:
    """Draw the price of each boundary: the width of its intervals, and the regret they cost."""
    figure, (left, right) = new_figure((10, 4), columns=2)
    seen = np.unique(np.geomspace(1, HORIZON, 80).astype(int))
    for name in BOUNDARIES:
        line = BOUNDARY_LINES[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the legend says which is not proved
            boundary = Boundary(name, delta=1 / HORIZON)
        zeta = boundary.inverse_error(len(MEANS), default_known=True)
        widths = [boundary.radius(int(s), zeta) * s**0.5 for s in seen]
        left.plot(seen, widths, **line.plot_options, marker=line.marker, markevery=16, ms=5)
        curve = _curve(rows, "boundary", boundary=name)
        _average_regret(right, line, [row.max_loss for row in curve], curve)
    left.set(
        xlabel="rewards seen of an arm, s",
        ylabel="radius × √s",
        xscale="log",
        title="Width of the intervals",
        xlim=(1, HORIZON),
    )
    left.set_ylim(bottom=0)
    right.set(
        xlabel="α  (max_loss)",
        ylabel="expected regret / n",
        xlim=(0, 1),
        title="Regret of Conservative UCB",
    )
    right.set_ylim(bottom=0)
    legend(right)
    tidy(left)
    tidy(right)
    save(figure, folder, "price-of-boundaries")


def _curve(rows: Sequence[ResultRow], sweep: str, **wanted: str) -> list[ResultRow]:
    return [
        row
        for row in rows
        if row.sweep == sweep and all(getattr(row, key) == value for key, value in wanted.items())
    ]


def _average_regret(axes: Any, line: Line, x: Sequence[float], curve: Sequence[ResultRow]) -> None:
    mean = np.array([row.mean / row.horizon for row in curve])
    half = BAND * np.array([row.standard_error / row.horizon for row in curve])
    _line(axes, line, x, mean, half)


def _line(axes: Any, line: Line, x: Sequence[float], middle: Any, half: Any) -> None:
    """Draw a curve with its 95% band, and a few markers to tell it apart without colour."""
    every = max(1, len(x) // 8)
    axes.fill_between(x, middle - half, middle + half, color=line.colour, alpha=0.25, lw=0)
    axes.plot(x, middle, **line.plot_options, marker=line.marker, markevery=every, ms=5)
