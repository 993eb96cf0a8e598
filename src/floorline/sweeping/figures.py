"""The figures of a sweep: for each instance, regret and breaches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from floorline.simulation.plots import COLOURS, DASHES, new_figure, tidy
from floorline.simulation.summary import share_error

PREFERRED = ("horizon", "max_loss", "delta")
"""Settings preferred for the x axis; it needs a number that has several values."""


def draw_instance(
    grid: dict[str, list[Any]], instance: str, rows: Sequence[dict[str, Any]], folder: Path
) -> Path:
    """Draw the rows of one instance, and return the file."""
    varied = [name for name, values in grid.items() if len(values) > 1]
    along = axis_of(grid)
    others = [name for name in varied if name != along] or ["policy"]
    lines: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault(", ".join(str(row[name]) for name in others), []).append(row)
    figure, (left, right) = new_figure((11, 4.6), columns=2)
    for number, (label, line) in enumerate(lines.items()):
        x = [row[along] for row in line] if along else [number]
        look = {
            "color": COLOURS[number % len(COLOURS)],
            "linestyle": DASHES[number % len(DASHES)],
            "marker": "o",
            "label": label,
        }
        errors = [2 * row["regret_standard_error"] for row in line]
        left.errorbar(x, [row["regret"] for row in line], errors, capsize=3, **look)
        rates = np.array([row["breach_rate"] for row in line])
        half = 2 * share_error(rates, np.array([row["runs"] for row in line]))
        right.errorbar(x, rates, half, capsize=3, **look)
    left.set(ylabel="regret, ± 2 standard errors")
    right.set(ylabel="share of runs below the floor")
    for axes in (left, right):
        axes.set(xlabel=along or "")
        tidy(axes)
        if along is None:
            axes.set_xticks([])
    handles, labels = left.get_legend_handles_labels()
    above = {"loc": "outside upper center", "title": instance}  # a title of its own would overlap
    figure.legend(handles, labels, ncols=3, frameon=False, **above)
    path = folder / figure_name(instance)
    figure.savefig(path, dpi=150)
    return path


def figure_name(instance: str) -> str:
    """Return the file name of an instance's figure, with characters that all file systems allow.

    >>> figure_name("three arms")
    'three-arms.png'
    """
    return re.sub(r"[^A-Za-z0-9-]+", "-", instance) + ".png"


def axis_of(grid: dict[str, list[Any]]) -> str | None:
    """Return the setting along the x axis; None if no number has several values."""
    for name in (*PREFERRED, *grid):
        values = grid.get(name, [])
        if len(values) > 1 and all(type(value) in (int, float) for value in values):
            return name  # True and False are settings, not numbers
    return None
