"""The regret of the authors' own program, and a comparison with ours."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from floorline.paper.run import ResultRow

ERRORS = 5.5
"""Means may differ by this many combined standard errors; by chance, 4 in 100 million do."""
ROUNDING = 1e-5
"""They may also differ by this share of the mean, since the authors' numbers are rounded."""


class Reference(NamedTuple):
    """A mean regret of the authors' program."""

    policy: str
    horizon: int
    max_loss: float
    runs: int
    mean: float
    standard_error: float


class AuthorsComparison(NamedTuple):
    """The same point in the authors' program and here."""

    theirs: Reference
    ours: ResultRow

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return math.hypot(self.theirs.standard_error, self.ours.standard_error)

    @property
    def agrees(self) -> bool:
        """Whether the means differ by no more than chance and rounding allow."""
        tolerance = ERRORS * self.error + ROUNDING * abs(self.theirs.mean)
        return abs(self.ours.mean - self.theirs.mean) <= tolerance


@cache
def references() -> tuple[Reference, ...]:
    """Return all results of the authors' program.

    >>> len(references()), references()[0].policy
    (32, 'ucb')
    """
    with files("floorline.paper").joinpath("authors_regret.csv").open() as file:
        return tuple(
            Reference(
                row["policy"],
                int(row["horizon"]),
                float(row["max_loss"]),
                int(row["runs"]),
                float(row["mean_pseudo_regret"]),
                float(row["standard_error"]),
            )
            for row in csv.DictReader(file)
        )


def compare(rows: Sequence[ResultRow]) -> list[AuthorsComparison]:
    """Return the comparison for every result of the authors' program that is among the rows."""
    ours = {
        (row.policy, row.horizon, row.max_loss): row
        for row in rows
        if row.sweep in ("alpha", "horizon")
    }
    keys = [(theirs, (theirs.policy, theirs.horizon, theirs.max_loss)) for theirs in references()]
    return [AuthorsComparison(theirs, ours[key]) for theirs, key in keys if key in ours]
