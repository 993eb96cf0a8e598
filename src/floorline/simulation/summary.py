"""The summary of any number of runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from floorline.core.display import Displayed, Table
from floorline.core.records import Counts, Floats
from floorline.simulation.bins import middle_of
from floorline.simulation.frames import frame, summary_columns
from floorline.simulation.plots import draw_regret, pyplot

if TYPE_CHECKING:
    import pandas

SHOWN_CHECKPOINTS = 8
"""The most checkpoints in a summary's table."""


def share_error(share: Floats, runs: int | Counts) -> Floats:
    """Return the standard error of the share of runs in which something happened."""
    error: Floats = np.sqrt(share * (1 - share) / runs)
    return error


@dataclass(frozen=True)
class Spread:
    """How a number is spread over the runs, at each checkpoint."""

    mean: Floats
    standard_error: Floats
    min: Floats
    max: Floats
    _keys: tuple[NDArray[np.int32], ...] = field(repr=False)
    _counts: tuple[Counts, ...] = field(repr=False)

    def quantile(self, share: float) -> Floats:
        """Return the value below which this share of the runs is, to one part in a thousand."""
        if not 0 <= share <= 1:
            raise ValueError(f"share: must be a number at least 0 and at most 1, not {share!r}")
        if not self._keys:
            raise ValueError("quantiles: must be asked for when the runs are simulated")
        middles: list[float] = []
        for keys, counts in zip(self._keys, self._counts, strict=True):
            index = np.searchsorted(np.cumsum(counts), share * counts.sum())
            middles.append(middle_of(keys[min(int(index), len(keys) - 1)]))
        values: Floats = np.clip(np.array(middles), self.min, self.max)
        return values


@dataclass(frozen=True, repr=False)
class Summary(Displayed):
    """Statistics of many runs, each an array with an entry for every checkpoint."""

    runs: int
    checkpoints: Counts
    pseudo_regret: Spread
    regret: Spread | None
    """Against the best fixed arm in hindsight; against adversaries only."""
    lowest_budget: Spread
    breach_rate: Floats
    """Share of runs whose budget was below zero by then."""
    miss_rate: Floats | None
    """Share of runs in which an interval missed its arm's mean by then, if that was watched."""
    plays: Floats
    """Mean plays: checkpoints x arms."""
    rewards: Spread | None
    seconds: float

    @property
    def rounds_per_second(self) -> float:
        """Simulated rounds per second; `summarize` does not count compilation."""
        return self.runs * float(self.checkpoints[-1]) / max(self.seconds, 1e-9)

    @property
    def main_regret(self) -> Spread:
        """Regret in hindsight against an adversary, else pseudo-regret."""
        return self.pseudo_regret if self.regret is None else self.regret

    @property
    def breach_error(self) -> Floats:
        """Standard error of the breach rate, at each checkpoint."""
        return share_error(self.breach_rate, self.runs)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each checkpoint."""
        return frame(summary_columns(self))

    def plot(self, axes: Any = None) -> Any:
        """Draw mean regret over the rounds, with two standard errors to each side.

        Args:
            axes: matplotlib axes to draw on; by default new ones. They are returned.
        """
        axes = pyplot().subplots(layout="constrained")[1] if axes is None else axes
        draw_regret({f"mean of {self.runs:,} runs": self}, axes)
        return axes

    def _table(self) -> Table:
        total = len(self.checkpoints)
        shown = np.unique(np.linspace(0, total - 1, min(total, SHOWN_CHECKPOINTS)).astype(int))
        title = f"Summary of {self.runs:,} runs of {self.checkpoints[-1]:,} rounds"
        if len(shown) < total:
            title += f" ({len(shown)} of {total:,} checkpoints)"
        heads = ("round", "regret", "below the floor", "lowest budget", "plays, default first")
        return Table(title, heads, [self.row(int(i)) for i in shown])

    def row(self, checkpoint: int) -> tuple[str, str, str, str, str]:
        """Return the row of a checkpoint, given by its index, in the summary's table."""
        regret, budget = self.main_regret, self.lowest_budget
        shares = self.plays[checkpoint] / self.checkpoints[checkpoint]
        return (
            f"{self.checkpoints[checkpoint]:,}",
            f"{regret.mean[checkpoint]:,.1f} ± {regret.standard_error[checkpoint]:.2g}",
            f"{self.breach_rate[checkpoint]:.2%} ± {self.breach_error[checkpoint]:.2%}",
            f"{budget.mean[checkpoint]:,.4g} (min {budget.min[checkpoint]:,.4g})",
            " ".join(f"{share:.1%}" for share in shares),
        )
