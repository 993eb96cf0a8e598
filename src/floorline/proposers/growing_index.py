"""Proposers by an index that grows with log t and otherwise changes only when its arm is observed.

Indices need not be computed in every round. A search for the largest index stores its arm, the
log t of that round, a later round, and the largest index that any other arm will have by then.
Until then the arm leads while its index, even at the stored log t, is above that one.
"""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats
from floorline.core.slots import index

# The last numbers of the memory. The leader is counted from 1 (0: search again).
LEADER = -4
LOG_ROUND = -3
RIVAL = -2
UNTIL = -1
REMEMBERED = 4

ROUNDS_SHARE = 64
"""A search in round t is valid for t / ROUNDS_SHARE rounds; rivals' indices grow slowly enough."""

NOBODY = -1


@kernel
def largest_index(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the first arm with the largest index, or the first that was never played."""
    leader = sure_leader(rules, arms, memory, round)
    if leader != NOBODY:
        return leader
    log_round = math.log(round)
    best = 0
    best_index = -math.inf
    for i in range(len(arms.plays)):
        if arms.plays[i] == 0:
            return i
        value = index(rules, arms, memory, log_round, i)
        if value > best_index:
            best = i
            best_index = value
    remember_search(rules, arms, memory, round, log_round, best)
    return best


@kernel
def sure_leader(rules: Any, arms: Arms, memory: Floats, round: int) -> int:
    """Return the stored leader if it certainly leads, else NOBODY."""
    size = len(memory)
    leader = int(memory[size + LEADER]) - 1
    if leader >= 0 and round <= memory[size + UNTIL]:
        least = index(rules, arms, memory, memory[size + LOG_ROUND], leader)
        if least > memory[size + RIVAL]:
            return leader
    return NOBODY


@kernel
def remember_search(
    rules: Any, arms: Arms, memory: Floats, round: int, log_round: float, best: int
) -> None:
    """Store the leader and the largest index that another arm can reach soon."""
    size = len(memory)
    until = round + round // ROUNDS_SHARE
    log_until = math.log(until)
    rival = -math.inf
    for i in range(len(arms.plays)):
        if i != best:
            rival = max(rival, index(rules, arms, memory, log_until, i))
    memory[size + LEADER] = best + 1
    memory[size + LOG_ROUND] = log_round
    memory[size + RIVAL] = rival
    memory[size + UNTIL] = until


@kernel
def watch_rivals(memory: Floats, arm: int) -> None:
    """Discard the stored search if an arm other than the leader was observed."""
    if memory[len(memory) + LEADER] != arm + 1:
        memory[len(memory) + LEADER] = 0.0


# Where 32 runs go in lockstep, one of them searches in nearly every round, so nothing is stored.


@kernel
def no_sure_leader(rules: Any, arms: Arms, memory: Floats, round: int) -> int:
    """Return NOBODY."""
    return NOBODY


@kernel
def remember_nothing(
    rules: Any, arms: Arms, memory: Floats, round: int, log_round: float, best: int
) -> None:
    """Do nothing."""


SEARCH_ALWAYS: dict[Function, Function] = {
    sure_leader: no_sure_leader,
    remember_search: remember_nothing,
}
"""Kernels that store no search, for engines that are faster without it."""
