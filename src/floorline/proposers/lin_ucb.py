"""LinUCB (Li, Chu, Langford and Schapire 2010): a linear model of each arm, and its uncertainty."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.checks import number, whole
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.core.slots import feature
from floorline.proposers.base import Proposer


class LinUcbRules(NamedTuple):
    """The number of features d, the width of the bounds, and the ridge."""

    n_features: int
    width: float
    ridge: float


# An arm's memory holds b, the sum of reward x, and then D = I / ridge - inverse(A) by rows, where
# A = ridge I + sum of x x'. (Arm by arm, unlike the memory of live proposers: arms do not come and
# go in simulations.) D is 0 at first, as memory is. The visitor's features x and d numbers of
# scratch space come after all arms.


@kernel
def look_at_features(rules: LinUcbRules, memory: Floats, visitors: Any, kind: int) -> None:
    """Write the visitor's features into the memory."""
    d = rules.n_features
    start = len(memory) - 2 * d
    for i in range(d):
        memory[start + i] = feature(visitors, kind, i)


@kernel
def solved(rules: LinUcbRules, memory: Floats, arm: int, row: int) -> float:
    """Return entry `row` of inverse(A) x for the current visitor."""
    d = rules.n_features
    context = len(memory) - 2 * d
    line = arm * (d * d + d) + d + row * d
    value = memory[context + row] / rules.ridge
    for j in range(d):
        value -= memory[line + j] * memory[context + j]
    return value  # type: ignore[no-any-return]


@kernel
def lin_ucb_arm(rules: LinUcbRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm with the largest upper bound for the current visitor."""
    d = rules.n_features
    context = len(memory) - 2 * d
    best = 0
    best_index = -math.inf
    for arm in range(len(arms.plays)):
        start = arm * (d * d + d)
        mean = 0.0
        variance = 0.0
        for i in range(d):
            entry = solved(rules, memory, arm, i)
            mean += memory[start + i] * entry
            variance += memory[context + i] * entry
        index = mean + rules.width * math.sqrt(max(variance, 0.0))
        if index > best_index:
            best = arm
            best_index = index
    return best


@kernel
def lin_ucb_learn(rules: LinUcbRules, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Add a reward of the current visitor to the arm's model (Sherman and Morrison)."""
    d = rules.n_features
    context = len(memory) - 2 * d
    work = context + d
    start = arm * (d * d + d)
    scale = 1.0
    for i in range(d):
        memory[work + i] = solved(rules, memory, arm, i)
        scale += memory[context + i] * memory[work + i]
    for i in range(d):
        memory[start + i] += reward * memory[context + i]
        for j in range(d):
            memory[start + d + i * d + j] += memory[work + i] * memory[work + j] / scale


def lin_ucb(n_features: int, width: float = 1.0, ridge: float = 1.0) -> Proposer:
    """Return LinUCB, for environments that show a visitor's features (`Linear`).

    It looks at the visitor, so only the randomised floor holds with it.

    Args:
        n_features: the number of features.
        width: standard deviations of an estimate that are added to it; the paper's alpha.
        ridge: the weight of the prior, under which all weights are 0.
    """
    d = whole("n_features", n_features, 1)
    return Proposer(
        lin_ucb_arm,
        lin_ucb_learn,
        LinUcbRules(
            d,
            number("width", width, 0, math.inf),
            number("ridge", ridge, 0, math.inf, open_low=True),
        ),
        memory=d * d + d,
        shared_memory=2 * d,
        look=look_at_features,
        n_features=d,
        learns_late=False,  # `look` would have seen a later visitor
    )
