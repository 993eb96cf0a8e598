"""Every run of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floorline.core.records import Counts, Floats
from floorline.simulation.digest import CHUNK, Digest, sums_of
from floorline.simulation.loops.run import RunRecords, rows
from floorline.simulation.summary import Summary


@dataclass(frozen=True)
class Results:
    """Every run, as arrays of runs x checkpoints."""

    checkpoints: Counts
    pseudo_regret: Floats
    """What was lost, in expectation, against always playing the best arm."""
    regret: Floats | None
    """What was lost against the best fixed arm in hindsight; against adversaries only."""
    lowest_budget: Floats
    """The lowest that the budget has been: expected, or received against adversaries."""
    plays: Counts
    """Plays of each arm: runs x checkpoints x arms."""
    first_breach: Counts
    """The first round with a budget below zero, by run; 0 if there was none."""
    rewards: Floats | None
    """Reward received, if it was asked for."""
    seconds: float

    def summary(self) -> Summary:
        """The same runs in a few numbers."""
        nothing = np.empty((0, 0))
        whole = RunRecords(
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
            digest.add(sums_of(rows(whole, start, start + CHUNK), self.checkpoints))
        return digest.summary(self.seconds)
