"""Clicks whose chances are linear in the visitor's features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floorline.core.checks import require
from floorline.core.kernel import Function, kernel
from floorline.core.records import Floats
from floorline.core.slots import feature
from floorline.environments.moments import Clicks, mean_now, visitor_kind
from floorline.environments.segments import Segments, draw_kind, segment_mean


class LinearRules(NamedTuple):
    """The record of `Segments`, and the features, kind by kind."""

    means: Floats
    cumulative: Floats
    n_arms: int
    features: Floats
    n_features: int


@kernel
def feature_of_kind(rules: LinearRules, kind: int, index: int) -> float:
    """Return one feature of a kind of visitor."""
    return rules.features[kind * rules.n_features + index]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Linear(Clicks):
    """Clicks whose chances are, for each arm, a linear function of the visitor's features.

    A proposer that looks at visitors, such as `lin_ucb`, is shown the features. Others see none,
    and are one learner for all visitors.

    >>> fans = Linear(features=[[1, 0], [1, 1]], weights=[[0.1, 0.8], [0.3, 0.0]])
    >>> fans.means  # the default pays 0.1, and 0.9 from a fan
    (0.5, 0.3)

    Args:
        features: the features of each kind of visitor.
        weights: each arm's weights of the features.
        shares: the share of each kind among the visitors; equal by default.
    """

    features: Sequence[Sequence[float]]
    weights: Sequence[Sequence[float]]
    shares: Sequence[float] | None = None

    def __post_init__(self) -> None:
        for name in ("features", "weights"):
            rows = tuple(tuple(float(value) for value in row) for row in getattr(self, name))
            fits = len(rows) > 0 and all(len(row) == len(rows[0]) > 0 for row in rows)
            require(fits, name, "one or more rows of the same length", getattr(self, name))
            object.__setattr__(self, name, rows)
        require(
            len(self.weights[0]) == self.n_features,
            "weights",
            f"rows of {self.n_features} numbers, one per feature",
            self.weights,
        )
        object.__setattr__(self, "shares", self._segments.shares)

    @property
    def _segments(self) -> Segments:
        """The same clicks, by their chances for each kind."""
        chances = np.array(self.features) @ np.array(self.weights).T
        require(
            bool(np.all((chances >= 0) & (chances <= 1))),
            "weights",
            "such that all chances are from 0 to 1",
            self.weights,
        )
        return Segments(chances.tolist(), self.shares)

    @property
    def means(self) -> tuple[float, ...]:
        """Each arm's mean over all visitors."""
        return self._segments.means

    @property
    def kinds(self) -> int:
        """The number of kinds of visitors."""
        return len(self.features)

    @property
    def learners(self) -> int:
        """One learner, which may look at the features."""
        return 1

    @property
    def n_features(self) -> int:
        """The number of features of a visitor."""
        return len(self.features[0])

    def rules(self) -> LinearRules:
        """Return the record for the kernels."""
        return LinearRules(*self._segments.rules(), np.ravel(self.features), self.n_features)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {mean_now: segment_mean, visitor_kind: draw_kind, feature: feature_of_kind}
