"""Adversaries with different strategies, each a kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floorline.core.checks import whole
from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats
from floorline.environments.adversary import Adversary, LevelRules, checked_levels, set_rewards
from floorline.environments.base import as_array


@kernel
def switching_rewards(
    rules: LevelRules, arms: Arms, chances: Floats, round: int, rng: Any, rewards: Floats
) -> None:
    """Set the levels, shifted by one challenger after every `span` rounds."""
    challengers = rewards.size - 1
    shift = ((round - 1) // rules.span) % challengers
    rewards[0] = rules.levels[0]
    for i in range(1, rewards.size):
        arm = i + shift
        if arm > challengers:
            arm -= challengers
        rewards[arm] = rules.levels[i]


@kernel
def late_rewards(
    rules: LevelRules, arms: Arms, chances: Floats, round: int, rng: Any, rewards: Floats
) -> None:
    """Set half the level, or half the default's if less, for `span` rounds; then the level."""
    rewards[0] = rules.levels[0]
    for i in range(1, rewards.size):
        rewards[i] = rules.levels[i]
        if round <= rules.span:
            rewards[i] = 0.5 * min(rules.levels[i], rules.levels[0])


@kernel
def lure_rewards(
    rules: LevelRules, arms: Arms, chances: Floats, round: int, rng: Any, rewards: Floats
) -> None:
    """Set each challenger's level until it has been played `span` times, then 0."""
    rewards[0] = rules.levels[0]
    for i in range(1, rewards.size):
        rewards[i] = rules.levels[i] if arms.plays[i] < rules.span else 0.0


@kernel
def adaptive_rewards(
    rules: LevelRules, arms: Arms, chances: Floats, round: int, rng: Any, rewards: Floats
) -> None:
    """Set the levels, but 0 for the likeliest challenger; in a tie, for the most played one."""
    target = 1
    for i in range(1, rewards.size):
        likelier = chances[i] > chances[target]
        as_likely = chances[i] == chances[target] or math.isnan(chances[i])
        if likelier or (as_likely and arms.plays[i] > arms.plays[target]):
            target = i
    for i in range(rewards.size):
        rewards[i] = rules.levels[i]
    rewards[target] = 0.0


@dataclass(frozen=True)
class _LevelAdversary(Adversary):
    levels: Sequence[float]
    span: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", checked_levels(self.levels))
        object.__setattr__(self, "span", whole("span", self.span, 1))

    def rules(self) -> LevelRules:
        """Return the record for the kernels."""
        return LevelRules(as_array(self.levels), self.span)


@dataclass(frozen=True)
class Switching(_LevelAdversary):
    """The best challenger changes: the levels shift by one challenger every `span` rounds.

    Args:
        levels: what the arms pay, from 0 to 1; the default arm's first, which never changes.
        span: rounds between two shifts.
    """

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {set_rewards: switching_rewards}


@dataclass(frozen=True)
class Late(_LevelAdversary):
    """The default arm is best for `span` rounds; after that, challengers pay their levels.

    Args:
        levels: what the arms pay in the end, from 0 to 1; the default arm's first, which never
            changes.
        span: rounds in which a challenger pays half of its level, or half of the default's if that
            is less.
    """

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {set_rewards: late_rewards}


@dataclass(frozen=True)
class Lure(_LevelAdversary):
    """A challenger pays its level until the learner has trusted it for `span` plays, then 0.

    Args:
        levels: what the arms pay at first, from 0 to 1; the default arm's first, which never
            changes.
        span: plays of a challenger after which it pays 0.
    """

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {set_rewards: lure_rewards}


@dataclass(frozen=True)
class Adaptive(Adversary):
    """Punishes the learner's next move: the likeliest challenger pays 0.

    Args:
        levels: what the arms pay otherwise, from 0 to 1; the default arm's first.
    """

    levels: Sequence[float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", checked_levels(self.levels))

    def rules(self) -> LevelRules:
        """Return the record for the kernels."""
        return LevelRules(as_array(self.levels), 0)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {set_rewards: adaptive_rewards}
