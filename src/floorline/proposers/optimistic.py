"""The proposer of Conservative UCB and BudgetFirst: the largest upper interval end."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer

# Only the observed arm's interval changes, so the largest upper end seldom does. The memory holds
# its arm, counted from 1 (0: search again), and a value that no other arm's end exceeds.
LEADER = 0
RIVAL = 1


@kernel
def most_promising(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm whose mean could be largest (Alg. 1, line 9); in a tie, the lowest index."""
    leader = int(memory[LEADER]) - 1
    if leader >= 0 and arms.upper[leader] > memory[RIVAL]:
        return leader
    leader = 0
    upper = arms.upper
    largest = upper[0]
    rival = -math.inf
    for i in range(1, len(upper)):
        value = upper[i]
        ahead = value > largest
        behind = largest if ahead else value
        rival = behind if behind > rival else rival
        largest = value if ahead else largest
        leader = i if ahead else leader
    memory[LEADER] = leader + 1
    memory[RIVAL] = rival
    return leader


@kernel
def watch_rivals(rules: Any, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Search again next time if an arm other than the leader has risen above all rivals."""
    if memory[LEADER] != arm + 1 and arms.upper[arm] > memory[RIVAL]:
        memory[LEADER] = 0


def optimistic() -> Proposer:
    """Return the proposer of the arm with the largest upper bound by the policy's boundary."""
    return Proposer(
        most_promising,
        learn=watch_rivals,
        shared_memory=2,
        uses_intervals=True,
        steady=True,
        optimistic=True,
        caches=True,
    )
