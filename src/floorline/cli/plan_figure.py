"""The figure of `floorline plan`: traffic and reward, day by day."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from floorline.paper.style import pyplot, tidy

if TYPE_CHECKING:
    from floorline.planning import Outlook, Question

STYLES = (("#0072b2", "-"), ("#d55e00", "--"), ("#009e73", "-."), ("#cc79a7", ":"))


def draw(question: Question, outlooks: Sequence[Outlook], path: Path) -> Path:
    """Draw the outlooks side by side, and give back where."""
    size = f"{100 * question.improvement:.4g}%"
    figure, (left, middle, right) = pyplot().subplots(
        1, 3, figsize=(13, 4.4), layout="constrained", sharex=True
    )
    for i, one in enumerate(outlooks):
        colour, dashes = STYLES[i % len(STYLES)]
        style = {"color": colour, "linestyle": dashes, "linewidth": 2}
        label = f"{100 * one.max_loss:.4g}% may be lost"
        left.plot(one.better.days, 100 * one.better.share, label=label, **style)
        for axes, case in ((middle, one.better), (right, one.none)):
            axes.plot(case.days, 100 * case.gain, **style)
            axes.fill_between(case.days, 100 * case.low, 100 * case.gain, color=colour, alpha=0.12)
            axes.axhline(-100 * one.max_loss, color=colour, linestyle=dashes, linewidth=0.8)
    left.set(title=f"Traffic to a challenger that is {size} better", ylabel="% of the decisions",
             ylim=(-2, 102))  # fmt: skip
    middle.set(title="Reward so far, in that case", ylabel="% above or below the default's")
    right.set(title=f"Reward so far, if all are {size} worse")
    left.legend(frameon=False)
    for axes in (middle, right):
        axes.axhline(0, color="#555555", linewidth=0.8)
    figure.supxlabel("day (thick: mean of the runs; shaded: down to the worst run; thin: the "
                     "floors, which hold at every moment)", fontsize="medium")  # fmt: skip
    for axes in (left, middle, right):
        tidy(axes)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise ValueError(f"out: cannot write {path}: {error.strerror}") from None
    return path
