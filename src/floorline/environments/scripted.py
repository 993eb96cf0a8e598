"""The simplest adversary: a table of rewards, a row for every round."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats
from floorline.environments.adversary import Adversary, set_rewards


class ScriptedRules(NamedTuple):
    """All rows of the table, concatenated."""

    rewards: Floats


@kernel
def scripted_rewards(
    rules: ScriptedRules, arms: Arms, chances: Floats, round: int, rng: Any, rewards: Floats
) -> None:
    """Set the rewards in the row of this round."""
    start = (round - 1) * rewards.size
    for i in range(rewards.size):
        rewards[i] = rules.rewards[start + i]


@dataclass(frozen=True, eq=False)
class Scripted(Adversary):
    """Rewards from a table.

    Args:
        table: a row for every round, with a reward from 0 to 1 for each arm; the first column is
            the default arm's, and constant.

    >>> Scripted([[0.5, 0.0], [0.5, 1.0]]).means  # over its two rounds
    (0.5, 0.5)
    """

    table: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        try:
            table = np.array(self.table, dtype=float)
        except (TypeError, ValueError):
            table = np.empty(0)
        if not (table.ndim == 2 and table.shape[0] >= 1 and table.shape[1] >= 2):
            raise ValueError("table: must have rows of the same length, a number for each arm")
        for number, row in enumerate(table, start=1):
            for reward in row:
                if not 0 <= reward <= 1:
                    raise ValueError(f"table: row {number} has {reward}; rewards must be in [0, 1]")
            if row[0] != table[0, 0]:
                raise ValueError(
                    f"table: row {number} starts with {row[0]}; the first column, the default "
                    f"arm's, must be {table[0, 0]} in every row"
                )
        object.__setattr__(self, "table", table)

    @classmethod
    def read(cls, path: str | Path) -> Scripted:
        """Return the adversary of the table in a CSV file without a header."""
        try:
            with open(path, newline="") as file:
                rows = [[float(cell) for cell in row] for row in csv.reader(file) if row]
        except OSError as error:
            raise ValueError(f"table {path}: cannot be read: {error.strerror}") from None
        except ValueError:
            raise ValueError(f"table {path}: must hold numbers only, without a header") from None
        return cls(rows)

    @property
    def levels(self) -> tuple[float, ...]:  # type: ignore[override]
        """Each arm's average over the table."""
        return tuple(float(mean) for mean in np.mean(self.table, axis=0))

    @property
    def means(self) -> tuple[float, ...]:
        """Each arm's average over the table; the default's is what it always pays."""
        return (float(np.asarray(self.table)[0, 0]), *self.levels[1:])

    @property
    def rounds(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return len(self.table)

    def rules(self) -> ScriptedRules:
        """Return the record for the kernels."""
        return ScriptedRules(np.ravel(self.table).astype(float))

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {set_rewards: scripted_rewards}
