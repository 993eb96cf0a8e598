"""lil'UCB (Jamieson, Malloy, Nowak, Bubeck 2014): identify the best arm, then commit to it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import choice, number, whole
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer

FORMS = ("theoretical", "heuristic")

TABLE_SIZE = 2**12
"""Counts whose bonus is looked up: computing its two logarithms took half the time of a round."""


class LilRules(NamedTuple):
    """The constants of the index and of the stopping rule, and the bonuses of small counts."""

    factor: float
    growth: float
    shift: float
    level: float
    share: float
    table: Floats


@kernel
def lil_bonus(rules: LilRules, plays: int) -> float:
    """Return what an arm's index adds to its average after this many plays."""
    inner = math.log(rules.growth * plays + rules.shift) / rules.level
    return rules.factor * math.sqrt(max(0.0, math.log(inner)) / plays)


@kernel
def remember_lil_index(
    rules: LilRules, arms: Arms, memory: Floats, arm: int, reward: float
) -> None:
    """Store the arm, and its index, which changes only when the arm is observed."""
    plays = arms.plays[arm]
    bonus = rules.table[plays] if plays < len(rules.table) else lil_bonus(rules, plays)
    memory[arm] = arms.average[arm] + bonus
    memory[len(arms.plays)] = arm


@kernel
def lil_arm(rules: LilRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm found best, if any, else that of the largest index; each arm once first.

    An arm is found best when it has been played more than `share` times as often as all others
    together. Playing it further keeps that true, so nothing need be stored.

    The rival of the arm observed last is found among the others alone, so that a processor need
    not wait for that arm's new index, which is nearly always below the rival's.
    """
    n_arms = len(arms.plays)
    last = int(memory[n_arms])
    total = 0
    most = 0
    for i in range(n_arms):
        if arms.plays[i] == 0:
            return i
        total += arms.plays[i]
        most = max(most, arms.plays[i])
    index = memory[last]
    memory[last] = -math.inf
    rival = 0
    rival_index = -math.inf
    for i in range(n_arms):
        ahead = memory[i] > rival_index
        rival = i if ahead else rival
        rival_index = memory[i] if ahead else rival_index
    memory[last] = index
    if most >= 1.0 + rules.share * (total - most):
        for i in range(n_arms):
            if arms.plays[i] == most:
                return i
    if index > rival_index or (index == rival_index and last < rival):
        return last
    return rival


def lil_ucb(
    n_arms: int, delta: float = 0.05, noise_scale: float = 1.0, form: str = "theoretical"
) -> Proposer:
    """Return best-arm identification by lil'UCB, then that arm for ever.

    Both sets of constants are those of its authors' experiments. In the `theoretical` form
    (epsilon 0.01, beta 1, lambda 9) the intervals hold with probability 1 - delta; its stopping
    rule is that of the experiments, not the larger lambda of the proof. The `heuristic` form
    (epsilon 0, beta 1/2, lambda 1 + 10/N) is faster and not proved. Neither limits what is lost
    on the way.

    Args:
        n_arms: how many arms there are, including the default.
        delta: the chance that the intervals fail.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].
        form: `theoretical` or `heuristic`.
    """
    n_arms = whole("n_arms", n_arms, 2)
    number("delta", delta, 0, 1, open_low=True)
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    if choice("lil_ucb", form, FORMS) == "theoretical":
        epsilon, beta, share, shift = 0.01, 1.0, 9.0, 0.0
        scale = (2 + epsilon) / epsilon * (1 / math.log(1 + epsilon)) ** (1 + epsilon)
        level = (math.sqrt(1 + delta) - 1) ** 2 / (4 * scale)
    else:
        # The iterated logarithm of 1 is undefined, so two more plays are counted.
        epsilon, beta, share, shift = 0.0, 0.5, 1 + 10 / n_arms, 2.0
        level = delta / 5
    factor = (1 + beta) * (1 + math.sqrt(epsilon)) * noise_scale * math.sqrt(2 * (1 + epsilon))
    rules = LilRules(factor, 1 + epsilon, shift, level, share, np.zeros(0))
    table = [math.inf] + [lil_bonus(rules, plays) for plays in range(1, TABLE_SIZE)]
    rules = rules._replace(table=np.array(table))
    return Proposer(
        lil_arm, learn=remember_lil_index, rules=rules, memory=1, shared_memory=1, n_arms=n_arms
    )
