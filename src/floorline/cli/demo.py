"""`floorline demo`: the paper's five policies on the paper's instance, a table and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floorline.cli.figures import pyplot, save, tidy

if TYPE_CHECKING:
    from floorline import Summary

MEANS = (0.5, 0.6, 0.4, 0.4, 0.4)
HORIZON = 10_000
MAX_LOSS = 0.1

# label: policy, whether the default mean is learned, line style (readable without colour)
LINES = {
    "UCB": ("ucb", False, "#d55e00", ":"),
    "Conservative UCB": ("conservative-ucb", False, "#009e73", "-"),
    "Conservative UCB, default mean learned": ("conservative-ucb", True, "#0072b2", "--"),
    "BudgetFirst": ("budget-first", False, "#000000", "-"),
    "Unbalanced MOSS": ("unbalanced-moss", False, "#56b4e9", "-."),
}


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("out"),
    runs: Annotated[int, typer.Option(help="Runs of each policy.")] = 4000,
    seed: Annotated[int, typer.Option(help="Same seed, same results.")] = 1,
) -> None:
    """Simulate the paper's five policies: may they lose 10% of the default, and do they?"""
    from rich.console import Console
    from rich.table import Table

    found = {label: _simulate(label, runs, seed) for label in LINES}
    table = Table(
        "policy", "regret", "runs below the floor", "default plays",
        title=f"{runs:,} runs of {HORIZON:,} rounds, means {MEANS}, floor 90% of the default",
        title_justify="left",
    )  # fmt: skip
    for label, summary in found.items():
        regret = summary.pseudo_regret
        table.add_row(
            label,
            f"{regret.mean[-1]:,.1f} ± {regret.standard_error[-1]:.1f}",
            f"{summary.breach_rate[-1]:.1%}",
            f"{summary.plays[-1, 0] / HORIZON:.1%}",
        )
    console = Console()
    console.print(table)
    console.print(f"figure: {_draw(found, out)}")


def _simulate(label: str, runs: int, seed: int) -> Summary:
    import numpy as np

    from floorline import Gaussian, Setting, named, summarize

    name, learned, *_ = LINES[label]
    setting = Setting(
        n_arms=len(MEANS), horizon=HORIZON, default_mean=MEANS[0], learned=learned,
        max_loss=MAX_LOSS, delta=1 / HORIZON, boundary="authors",
    )  # fmt: skip
    points = np.unique(np.geomspace(1, HORIZON, 60).astype(int))
    return summarize(
        named(name, setting), Gaussian(MEANS), horizon=HORIZON, runs=runs, seed=seed,
        max_loss=MAX_LOSS, checkpoints=[int(point) for point in points],
    )  # fmt: skip


def _draw(found: dict[str, Summary], out: Path) -> Path:
    figure, (left, right) = pyplot().subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for label, summary in found.items():
        _, _, colour, dashes = LINES[label]
        style = {"label": label, "color": colour, "linestyle": dashes, "linewidth": 2}
        left.plot(summary.checkpoints, summary.pseudo_regret.mean, **style)
        right.plot(summary.checkpoints, 100 * summary.breach_rate, **style)
    left.set(title="Regret", xlabel="round", ylabel="expected reward lost against the best arm")
    right.set(title="Runs that have been below the floor", xlabel="round", ylabel="% of runs",
              xscale="log", ylim=(-2, 102))  # fmt: skip
    left.legend(frameon=False)
    never = [label for label, summary in found.items() if summary.breach_rate[-1] == 0]
    right.text(1, 4, "never: " + "; ".join(never), fontsize="small")
    tidy(left, right)
    return save(figure, out / "demo.png")
