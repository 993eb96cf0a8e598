"""Clicks whose chances change at given rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floorline.core.checks import require, whole
from floorline.core.kernel import Function, kernel
from floorline.core.records import Counts, Floats
from floorline.environments.base import as_array, checked_means
from floorline.environments.moments import Clicks, mean_now, only_kind, visitor_kind


class ChangingRules(NamedTuple):
    """The first round of each phase, and the means in it, arm by arm."""

    starts: Counts
    means: Floats
    n_arms: int


@kernel
def changing_mean(rules: ChangingRules, arm: int, round: int, kind: int) -> float:
    """Return the arm's mean in the phase that contains the round."""
    phase = len(rules.starts) - 1
    while rules.starts[phase] > round:
        phase -= 1
    return rules.means[phase * rules.n_arms + arm]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Changing(Clicks):
    """Clicks whose chances change at given rounds.

    >>> Changing([0.03, 0.04], changes=[(25_000, [0.06, 0.04])]).means
    (0.03, 0.04)

    Args:
        means: each arm's chance of a click at first.
        changes: pairs of a round and the means from that round on, in order.
    """

    means: Sequence[float]
    changes: Sequence[tuple[int, Sequence[float]]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means, 0.0, 1.0))
        changes = []
        latest = 1
        for start, means in self.changes:
            latest = whole("changes: a round", start, latest + 1)
            name = f"changes: means from round {start}"
            given = checked_means(means, 0.0, 1.0, name)
            require(
                len(given) == len(self.means),
                name,
                f"{len(self.means)} numbers, one per arm",
                means,
            )
            changes.append((latest, given))
        object.__setattr__(self, "changes", tuple(changes))

    def rules(self) -> ChangingRules:
        """Return the record for the kernels."""
        rows = [self.means, *(means for _, means in self.changes)]
        return ChangingRules(
            starts=np.array([1, *(start for start, _ in self.changes)], np.int64),
            means=as_array([mean for row in rows for mean in row]),
            n_arms=len(self.means),
        )

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {mean_now: changing_mean, visitor_kind: only_kind}
