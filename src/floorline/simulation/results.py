"""Every run of a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from floorline.core.display import Displayed, Table
from floorline.core.records import Counts, Floats
from floorline.simulation.digest import CHUNK, Digest, sums_of
from floorline.simulation.frames import frame, run_columns
from floorline.simulation.loops.run import RunRecords, rows
from floorline.simulation.plots import draw_runs, pyplot
from floorline.simulation.summary import Summary

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, repr=False)
class Results(Displayed):
    """Every run, as arrays of runs x checkpoints."""

    checkpoints: Counts
    pseudo_regret: Floats
    """What was lost, in expectation, against always playing the best arm."""
    regret: Floats | None
    """What was lost against the best fixed arm in hindsight; against adversaries only."""
    lowest_budget: Floats
    """The lowest budget so far: expected, or received against adversaries."""
    plays: Counts
    """Plays of each arm: runs x checkpoints x arms."""
    first_breach: Counts
    """The first round with a budget below zero, by run; 0 if there was none."""
    rewards: Floats | None
    """Rewards received, if they were wanted."""
    seconds: float

    def summary(self) -> Summary:
        """Return the summary of these runs."""
        nothing = np.empty((0, 0))
        records = RunRecords(
            pseudo_regret=self.pseudo_regret,
            regret=nothing if self.regret is None else self.regret,
            lowest_budget=self.lowest_budget,
            plays=self.plays,
            rewards=nothing if self.rewards is None else self.rewards,
            first_breach=self.first_breach,
            first_miss=np.empty(0, np.int64),
        )
        digest = Digest(self.checkpoints)
        for start in range(0, len(self.first_breach), CHUNK):
            digest.add(sums_of(rows(records, start, start + CHUNK), self.checkpoints))
        return digest.summary(self.seconds)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each run and checkpoint; runs count from 0."""
        return frame(run_columns(self))

    def plot(self, axes: Any = None) -> Any:
        """Draw regret over the rounds or, if there is one checkpoint, its spread over the runs.

        Args:
            axes: matplotlib axes to draw on; by default new ones. They are returned.
        """
        if len(self.checkpoints) > 1:
            return self.summary().plot(axes)
        axes = pyplot().subplots(layout="constrained")[1] if axes is None else axes
        regret = self.pseudo_regret if self.regret is None else self.regret
        draw_runs(regret[:, 0], f"regret after {self.checkpoints[0]:,} rounds", axes)
        return axes

    def _table(self) -> Table:
        table = self.summary()._table()
        return table._replace(title=table.title.replace("Summary of", "Results of", 1))
