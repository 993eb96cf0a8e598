"""Adversaries: they set the rewards of all arms before the learner's arm is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from floorline.core.kernel import slot
from floorline.core.records import Arms, Floats
from floorline.environments.base import Ranged, checked_means


@slot
def set_rewards(
    rules: Any, arms: Arms, chances: Floats, round: int, rng: Any, rewards: Floats
) -> None:
    """Write this round's reward of every arm into `rewards`, each in [0, 1].

    The adversary sees how often each arm was played and how likely each is to be proposed
    now (NaN where that is unknown), but not which one is.
    """
    raise NotImplementedError


class LevelRules(NamedTuple):
    """What each arm pays at its best, and the default always; and a number of rounds or plays."""

    levels: Floats
    span: int


class Adversary(Ranged):
    """Sets rewards at will. The default arm always pays the first level."""

    levels: Sequence[float]

    @property
    def means(self) -> Sequence[float]:
        """The levels: the default's fixed reward, and what each challenger pays at its best."""
        return self.levels

    low = 0.0
    high = 1.0
    noise_scale = 0.0  # rewards are paid exactly as set
    adversarial = True
    late = False
    rounds: int | None = None


def checked_levels(levels: Sequence[float]) -> tuple[float, ...]:
    """Return `levels` as a tuple; raise unless they are two or more numbers from 0 to 1."""
    return checked_means(levels, 0.0, 1.0)
