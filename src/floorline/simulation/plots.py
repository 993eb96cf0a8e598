"""Figures of results: regret and breaches over the rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from floorline.core.records import Floats

if TYPE_CHECKING:
    from floorline.simulation.summary import Summary

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""The palette of Okabe and Ito, which colour-blind people can tell apart."""
DASHES = ("-", "--", "-.", ":")


def require_matplotlib() -> None:
    """Raise ValueError where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ValueError("figures need matplotlib: pip install 'floorline[figures]'") from None


def pyplot() -> ModuleType:
    """Return matplotlib's pyplot, for figures on the screen or in a notebook."""
    require_matplotlib()
    from matplotlib import pyplot

    return pyplot


def new_figure(
    size: tuple[float, float], rows: int = 1, columns: int = 1, **options: Any
) -> tuple[Any, Any]:
    """Return a figure for a file, and its axes; it needs no display.

    Args:
        size: width and height in inches.
        rows: rows of axes.
        columns: columns of axes.
        options: other arguments of matplotlib's `Figure.subplots`.
    """
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def tidy(axes: Any) -> None:
    """Remove the parts of the frame that do not help the reader."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)


def draw_regret(summaries: Mapping[str, Summary], axes: Any) -> None:
    """Draw mean regret over the rounds, with two standard errors to each side."""
    for number, (name, summary) in enumerate(summaries.items()):
        regret = summary.main_regret
        _line(axes, number, name, summary.checkpoints, regret.mean, 2 * regret.standard_error)
    _label(axes, "regret")


def draw_breaches(summaries: Mapping[str, Summary], axes: Any) -> None:
    """Draw the share of runs that were below the floor so far, with two standard errors."""
    for number, (name, summary) in enumerate(summaries.items()):
        error = 2 * summary.breach_error
        _line(axes, number, name, summary.checkpoints, summary.breach_rate, error)
    _label(axes, "share of runs below the floor so far")


def draw_runs(values: Floats, label: str, axes: Any) -> None:
    """Draw how a number is spread over the runs."""
    axes.hist(values, bins=40, color=COLOURS[0])
    axes.set(xlabel=label, ylabel="runs")
    tidy(axes)


def _line(
    axes: Any, number: int, name: str, rounds: Sequence[int] | Any, mean: Floats, error: Floats
) -> None:
    colour = COLOURS[number % len(COLOURS)]
    dashes = DASHES[number % len(DASHES)]
    if len(rounds) == 1:  # a point has no line
        axes.errorbar(rounds, mean, error, color=colour, marker="o", capsize=4, label=name)
        return
    axes.plot(rounds, mean, color=colour, linestyle=dashes, linewidth=2, label=name)
    axes.fill_between(rounds, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)


def _label(axes: Any, label: str) -> None:
    axes.set(xlabel="round", ylabel=label)
    axes.legend(frameon=False)
    tidy(axes)
