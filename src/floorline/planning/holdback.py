"""The proposer of live campaigns: Conservative UCB's, with a share of decisions held back."""

from __future__ import annotations

from typing import Any, NamedTuple

from floorline.core.kernel import kernel
from floorline.core.random import uniform
from floorline.core.records import Arms, Floats
from floorline.proposers import Proposer, unknown_chance
from floorline.proposers.base import largest


class HoldbackRules(NamedTuple):
    """The share of decisions that go to the default whatever is known."""

    holdback: float


@kernel
def held_back_arm(rules: HoldbackRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """The default arm by the toss of a coin, else the arm whose mean could be largest."""
    if uniform(rng) < rules.holdback:
        return 0
    return largest(arms.upper)


def held_back(holdback: float) -> Proposer:
    """Proposes as a live campaign does; to propose the default is to hold the decision back."""
    return Proposer(
        held_back_arm,
        rules=HoldbackRules(float(holdback)),
        uses_intervals=True,
        chance=unknown_chance,
    )
