"""The end of the live demo: what was earned, and how it stood against the floor on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from rich.table import Table

from floorline.core.records import Counts, Floats


class Account(NamedTuple):
    """Which page each visitor saw, in order, and the luck of each."""

    arms: Counts
    luck: Floats

    def clicks(self, rates: Floats) -> int:
        """How many clicked."""
        return int(np.sum(self.luck < rates[self.arms]))

    def share(self, rates: Floats) -> Floats:
        """Expected revenue so far over that of the default page, after each visitor."""
        shares: Floats = np.cumsum(rates[self.arms]) / (rates[0] * np.arange(1, len(self.arms) + 1))
        return shares

    def budget(self, rates: Floats, max_loss: float) -> Floats:
        """Expected clicks above the floor, after each visitor."""
        rounds = np.arange(1, len(self.arms) + 1)
        budget: Floats = np.cumsum(rates[self.arms]) - (1 - max_loss) * rates[0] * rounds
        return np.round(budget, 9) + 0.0  # sums of rounded numbers


def table_of(live: Account, ucb: Account, rates: Mapping[str, float], max_loss: float) -> Table:
    """Floorline next to plain UCB, the default page alone and the best page alone."""
    means = np.array(list(rates.values()))
    same = np.zeros(len(ucb.luck), dtype=np.int64)
    columns = {
        "Floorline": live,
        "plain UCB": ucb,
        "default only": Account(same, ucb.luck),
        "always best": Account(same + int(means.argmax()), ucb.luck),
    }
    table = Table("", *columns, box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    best = float(means.max() / means[0])

    def row(label: str, *cells: str) -> None:
        table.add_row(label, *cells)

    accounts = list(columns.values())
    ends = [round(float(account.share(means)[-1]), 9) for account in accounts]
    budgets = [account.budget(means, max_loss) for account in accounts]
    row("visitors", *(f"{len(account.arms):,}" for account in accounts))
    row("clicks", *(f"{account.clicks(means):,}" for account in accounts))
    row("revenue over the default", *(f"{end - 1:+.1%}" for end in ends))
    row("revenue over always best", *(f"{round(end / best, 9) - 1:+.1%}" for end in ends))
    row("at its lowest, of the default", *(f"{one.share(means).min():.1%}" for one in accounts))
    row("lowest above floor, clicks", *(f"{one.min():+.2f}" for one in budgets))
    row("  after visitor", *(f"{one.argmin() + 1:,}" for one in budgets))
    row("visitors below the floor", *(f"{np.sum(one < 0):,}" for one in budgets))
    for arm, (name, rate) in enumerate(rates.items()):
        row(f"saw {name} ({rate:.0%})", *(f"{np.sum(one.arms == arm):,}" for one in accounts))
    return table
