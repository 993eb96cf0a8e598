"""`floorline demo --simulated`: the paper's five policies on the paper's instance."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from floorline.cli.output_files import out_errors
from floorline.paper.style import LINES
from floorline.paper.sweeps import FIVE, HORIZON, MAX_LOSS, MEANS, POLICIES
from floorline.simulation.plots import new_figure, require_matplotlib, tidy

if TYPE_CHECKING:
    from floorline import Summary


def simulated_demo(out: Path, runs: int, seed: int) -> None:
    """Simulate the paper's five policies, print a table of them and draw a figure."""
    from rich.console import Console
    from rich.table import Table

    require_matplotlib()  # fails now if it is missing, not after the simulations
    summaries = {policy: _simulate(policy, runs, seed) for policy in FIVE}
    table = Table(
        "policy",
        "regret",
        "runs below the floor",
        "default plays",
        title=f"{runs:,} runs of {HORIZON:,} rounds, means {MEANS}, floor 90% of the default\n"
        f"(boundary of the authors' program, delta {1 / HORIZON:g})",
        title_justify="left",
    )
    for policy, summary in summaries.items():
        regret = summary.pseudo_regret
        table.add_row(
            LINES[policy].label,
            f"{regret.mean[-1]:,.1f} ± {regret.standard_error[-1]:.1f}",
            f"{summary.breach_rate[-1]:.1%}",
            f"{summary.plays[-1, 0] / HORIZON:.1%}",
        )
    console = Console()
    console.print(table)
    console.print(f"figure: {_draw(summaries, out)}")


def _simulate(policy: str, runs: int, seed: int) -> Summary:
    import numpy as np

    from floorline import Gaussian, PolicySetup, make_policy, summarize

    chosen = POLICIES[policy]
    setup = PolicySetup(
        n_arms=len(MEANS),
        horizon=HORIZON,
        default_mean=MEANS[0],
        learned=chosen.learned,
        max_loss=MAX_LOSS,
        delta=1 / HORIZON,
        boundary="authors",
    )
    points = np.unique(np.geomspace(1, HORIZON, 60).astype(int))
    return summarize(
        make_policy(chosen.name, setup),
        Gaussian(MEANS),
        horizon=HORIZON,
        runs=runs,
        seed=seed,
        max_loss=MAX_LOSS,
        checkpoints=[int(point) for point in points],
    )


def _draw(summaries: dict[str, Summary], out: Path) -> Path:
    figure, (left, right) = new_figure((11, 4.2), columns=2)
    for policy, summary in summaries.items():
        options = LINES[policy].plot_options
        left.plot(summary.checkpoints, summary.pseudo_regret.mean, **options)
        right.plot(summary.checkpoints, 100 * summary.breach_rate, **options)
    left.set(title="Regret", xlabel="round", ylabel="expected reward lost against the best arm")
    right.set(
        title="Runs that have been below the floor",
        xlabel="round",
        ylabel="% of runs",
        xscale="log",
        ylim=(-2, 102),
    )
    left.legend(frameon=False)
    never = [LINES[policy].label for policy in summaries if summaries[policy].breach_rate[-1] == 0]
    right.text(1, 98, "\n  ".join(["never:", *never]), fontsize="small", va="top")
    for axes in (left, right):
        tidy(axes)
    path = out / "demo.png"
    with out_errors(path):
        figure.savefig(path, dpi=150)
    return path
