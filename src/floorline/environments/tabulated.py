"""Any bounded rewards, given as a table of values and their probabilities."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import require
from floorline.core.kernel import Function, kernel
from floorline.core.random import uniform
from floorline.core.records import Counts, Floats
from floorline.environments.base import Drawn, checked_means, draw, draw_each, draw_sum


class TabulatedRules(NamedTuple):
    """All arms' values and cumulative probabilities, concatenated; arm i begins at start[i]."""

    values: Floats
    cumulative: Floats
    start: Counts


@kernel
def tabulated_reward(rules: TabulatedRules, arm: int, rng: Any) -> float:
    """Return one of the arm's values, drawn by their probabilities."""
    level = uniform(rng)
    index = rules.start[arm]
    last = rules.start[arm + 1] - 1
    while index < last and level >= rules.cumulative[index]:
        index += 1
    return rules.values[index]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Tabulated(Drawn):
    """Rewards drawn from a table: for each arm its possible values and their probabilities.

    >>> Tabulated(values=[[0, 1], [0, 0.5, 1]], probabilities=[[0.5, 0.5], [0, 1, 0]]).means
    (0.5, 0.5)

    Args:
        values: the possible rewards of each arm, the default arm's first.
        probabilities: their probabilities, in the same order.
    """

    values: Sequence[Sequence[float]]
    probabilities: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        require(
            len(self.values) == len(self.probabilities) >= 2,
            "probabilities",
            "given for each of two or more arms, like values",
            self.probabilities,
        )
        for arm, (values, chances) in enumerate(zip(self.values, self.probabilities, strict=True)):
            fits = len(values) == len(chances) > 0 and all(math.isfinite(v) for v in values)
            require(fits, f"values of arm {arm}", "finite, each with a probability", values)
            total = math.fsum(chances)
            fits = all(chance >= 0 for chance in chances) and abs(total - 1) < 1e-9
            require(fits, f"probabilities of arm {arm}", "at least 0, with sum 1", chances)
        checked_means(self.means)

    @classmethod
    def read(cls, path: str | Path) -> Tabulated:
        """Return the rewards in a CSV file with columns arm (0: default), value, probability."""
        table: dict[int, list[tuple[float, float]]] = {}
        try:
            with open(path, newline="") as file:
                for row in csv.DictReader(file):
                    entry = float(row["value"]), float(row["probability"])
                    table.setdefault(int(row["arm"]), []).append(entry)
        except OSError as error:
            raise ValueError(f"table {path}: cannot be read: {error.strerror}") from None
        except (KeyError, TypeError, ValueError):
            raise ValueError(
                f"table {path}: must have the columns arm, value, probability, all numbers"
            ) from None
        require(
            sorted(table) == list(range(len(table))),
            f"table {path}",
            "given for the arms 0, 1, 2, ...",
            sorted(table),
        )
        rows = [table[arm] for arm in range(len(table))]
        return cls([[v for v, _ in row] for row in rows], [[p for _, p in row] for row in rows])

    @property
    def means(self) -> tuple[float, ...]:
        """Each arm's mean reward."""
        return tuple(
            math.fsum(v * p for v, p in zip(values, chances, strict=True))
            for values, chances in zip(self.values, self.probabilities, strict=True)
        )

    @property
    def low(self) -> float:
        """The smallest value of the table."""
        return min(min(values) for values in self.values)

    @property
    def high(self) -> float:
        """The largest value of the table."""
        return max(max(values) for values in self.values)

    @property
    def noise_scale(self) -> float:
        """Half the widest range of an arm's rewards."""
        return max(max(values) - min(values) for values in self.values) / 2

    def rules(self) -> TabulatedRules:
        """Return the record for the kernels."""
        return TabulatedRules(
            values=np.concatenate([np.asarray(row, float) for row in self.values]),
            cumulative=np.concatenate([np.cumsum(row) for row in self.probabilities]),
            start=np.cumsum([0, *(len(row) for row in self.values)]),
        )

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {draw: tabulated_reward, draw_sum: draw_each}
