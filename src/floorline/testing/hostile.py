"""Adversarial proposers, for testing floors."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers import Proposer


@kernel
def worst_challenger(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the challenger with the lowest average."""
    worst = 1
    lowest = math.inf
    for i in range(1, len(arms.plays)):
        if arms.average[i] < lowest:
            worst = i
            lowest = arms.average[i]
    return worst


@kernel
def arm_in_turn(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return each arm in turn, whatever it has paid."""
    return round % len(arms.plays)


def hostile() -> Proposer:
    """Return a proposer that always names the challenger with the lowest average."""
    return Proposer(worst_challenger, steady=True)


def in_turn() -> Proposer:
    """Return a proposer that names each arm in turn, including the default."""
    return Proposer(arm_in_turn)
