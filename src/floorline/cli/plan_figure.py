"""The figure of `floorline plan`: traffic and reward, day by day."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from floorline.cli.output_files import out_errors
from floorline.simulation.plots import COLOURS, DASHES, new_figure, tidy

if TYPE_CHECKING:
    from floorline.planning import Outlook, Question


def full_reward(question: Question) -> str:
    """Return what 100% of the reward is."""
    if question.unit is None:
        return "the default's"
    from floorline.live.amounts import amount

    daily = question.default_mean * question.decisions_per_day
    return f"{amount(daily, question.unit)} a day".replace("$", r"\$")  # not a formula


def draw(question: Question, outlooks: Sequence[Outlook], path: Path) -> Path:
    """Draw the outlooks side by side, and return the path."""
    size = f"{100 * question.improvement:.4g}%"
    losses = list(dict.fromkeys(outlook.max_loss for outlook in outlooks))
    floors = list(dict.fromkeys(outlook.floor for outlook in outlooks))
    figure, (left, middle, right) = new_figure((13, 4.4), columns=3, sharex=True)
    for outlook in outlooks:
        loss, floor = losses.index(outlook.max_loss), floors.index(outlook.floor)
        colour = COLOURS[(loss if len(losses) > 1 else floor) % len(COLOURS)]
        dashes = DASHES[(floor if len(floors) > 1 else loss) % len(DASHES)]
        label = f"{100 * outlook.max_loss:.4g}% may be lost"
        label += f", {outlook.floor}" * (len(floors) > 1)
        better, none = outlook.better, outlook.none
        days = better.days
        bands = ((left, better.share), (middle, better.gain), (right, none.gain))
        for axes, band in bands:
            style = {"color": colour, "linestyle": dashes, "linewidth": 2}
            axes.plot(days, 100 * band.median, label=label, **style)
            axes.fill_between(
                days, 100 * band.low, 100 * band.high, color=colour, alpha=0.15, linewidth=0
            )
    for i, value in enumerate(losses):
        colour = COLOURS[i % len(COLOURS)] if len(losses) > 1 else "#555555"
        for axes in (middle, right):
            axes.axhline(-100 * value, color=colour, linewidth=0.8)
    left.set(
        title=f"Traffic to a challenger that is {size} better",
        ylabel="% of the decisions of the day",
        ylim=(-2, 102),
    )
    middle.set(
        title="Reward so far, in that case", ylabel=f"% above or below {full_reward(question)}"
    )
    right.set(title=f"Reward so far, if all are {size} worse")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    for axes in (middle, right):
        axes.axhline(0, color="#555555", linewidth=0.8)
    figure.supxlabel(
        f"day (thick: median of {outlooks[0].runs} simulated campaigns; shaded: 9 in 10 of them, "
        "day by day; thin: the floors)",
        fontsize="medium",
    )
    for axes in (left, middle, right):
        tidy(axes)
    with out_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    return path
