"""Environments whose means depend on the round or on the kind of visitor.

Rewards are clicks, 0 or 1. Rounds are counted from 1, kinds from 0. The visitor's kind is drawn
before the proposer is asked; rewards are drawn for one arm at a time, so that a loop may draw
those of several arms in one round.
"""

from __future__ import annotations

from typing import Any

from floorline.core.kernel import kernel, slot
from floorline.core.random import uniform
from floorline.environments.base import Drawn, Environment


@slot
def visitor_kind(rules: Any, rng: Any) -> int:
    """Return the kind of this round's visitor."""
    raise NotImplementedError


@slot
def mean_now(rules: Any, arm: int, round: int, kind: int) -> float:
    """Return the mean reward of `arm` in this round for a visitor of this kind."""
    raise NotImplementedError


@kernel
def only_kind(rules: Any, rng: Any) -> int:
    """Return 0, for environments in which visitors do not differ."""
    return 0


@kernel
def click_now(rules: Any, arm: int, round: int, kind: int, rng: Any) -> float:
    """Return a click, 1 or 0, on `arm` in this round by a visitor of this kind."""
    if uniform(rng) < mean_now(rules, arm, round, kind):
        return 1.0
    return 0.0


def changes(environment: Environment) -> bool:
    """Return whether an environment's means depend on the round or on the kind of visitor."""
    return mean_now in environment.kernels()


def kinds_of(environment: Environment) -> int:
    """Return the number of kinds of visitors."""
    return environment.kinds if isinstance(environment, Clicks) else 1


def learners_of(environment: Environment) -> int:
    """Return the number of learners: one for each kind of visitor, or one for all."""
    return environment.learners if isinstance(environment, Clicks) else 1


def features_of(environment: Environment) -> int:
    """Return how many features of a visitor a proposer is shown."""
    return environment.n_features if isinstance(environment, Clicks) else 0


class Clicks(Drawn):
    """Base class of environments whose rewards are clicks."""

    low = 0.0
    high = 1.0
    noise_scale = 0.5  # half the range

    @property
    def kinds(self) -> int:
        """The number of kinds of visitors."""
        return 1

    @property
    def learners(self) -> int:
        """The number of learners: one for each kind of visitor, or one for all."""
        return self.kinds

    @property
    def n_features(self) -> int:
        """How many features of a visitor a proposer is shown."""
        return 0
