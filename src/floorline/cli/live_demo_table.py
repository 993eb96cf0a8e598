"""The table at the end of the live demo: what was earned, and the margin above the floor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from rich.table import Table

from floorline.core.records import Counts, Floats


class Visits(NamedTuple):
    """The page that each visitor saw, in order, and each visitor's random draw."""

    arms: Counts
    draws: Floats

    def clicks(self, rates: Floats) -> int:
        """Return how many clicked."""
        return int(np.sum(self.draws < rates[self.arms]))

    def share(self, rates: Floats) -> Floats:
        """Return expected revenue so far over that of the default page, after each visitor."""
        shares: Floats = np.cumsum(rates[self.arms]) / (rates[0] * np.arange(1, len(self.arms) + 1))
        return shares

    def budget(self, rates: Floats, max_loss: float) -> Floats:
        """Return the expected clicks above the floor, after each visitor."""
        rounds = np.arange(1, len(self.arms) + 1)
        budget: Floats = np.cumsum(rates[self.arms]) - (1 - max_loss) * rates[0] * rounds
        return np.round(budget, 9) + 0.0  # without the rounding errors of the sums


def table_of(live: Visits, ucb: Visits, rates: Mapping[str, float], max_loss: float) -> Table:
    """Return a table of Floorline, plain UCB, the default page alone and the best page alone."""
    means = np.array(list(rates.values()))
    default = np.zeros(len(ucb.draws), dtype=np.int64)
    columns = {
        "Floorline": live,
        "plain UCB": ucb,
        "default only": Visits(default, ucb.draws),
        "always best": Visits(default + int(means.argmax()), ucb.draws),
    }
    table = Table("", *columns, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    best = float(means.max() / means[0])
    shown = list(columns.values())
    ends = [round(float(visits.share(means)[-1]), 9) for visits in shown]
    budgets = [visits.budget(means, max_loss) for visits in shown]
    table.add_row("visitors", *(f"{len(visits.arms):,}" for visits in shown))
    table.add_row("clicks", *(f"{visits.clicks(means):,}" for visits in shown))
    table.add_row("revenue against the default", *(f"{end - 1:+.1%}" for end in ends))
    table.add_row(
        "revenue against always best", *(f"{round(end / best, 9) - 1:+.1%}" for end in ends)
    )
    table.add_row(
        "lowest share of the default",
        *(f"{visits.share(means).min():.1%}" for visits in shown),
    )
    table.add_row("most clicks below the floor", *(f"{max(0.0, -b.min()):.1f}" for b in budgets))
    table.add_row("visitors below the floor", *(f"{np.sum(b < 0):,}" for b in budgets))
    for arm, (name, rate) in enumerate(rates.items()):
        table.add_row(
            f"saw {name} ({rate:.0%})",
            *(f"{np.sum(visits.arms == arm):,}" for visits in shown),
        )
    return table
