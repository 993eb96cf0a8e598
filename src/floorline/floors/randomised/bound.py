"""A bound on what the default would have earned in the rounds that a coin gave to a candidate.

Rewards are scaled to y in [0, 1]. u is the unseen sum of the default's y over the coin rounds
that the candidate won. For every lambda, exp(lambda u - S) is a nonnegative martingale, where S
adds up the `penalty` of the coin rounds that the default won. A mixture of them stays below
1/delta at all times with probability 1 - delta, so u stays below `largest_missed`. The proof is
in docs/randomised-floor.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from floorline.core.kernel import kernel
from floorline.core.records import Counts, Floats

SAFE_SIDE = 1e-9
"""Share by which the bound is raised: more than the rounding error of the sums compared to it."""

CLOSE = 1e-3
"""Newton's steps end below this share of the bound. They come from above, so stopping is safe."""


class RandomisedRules(NamedTuple):
    """What stays fixed under the randomised floor. Lambdas rise, probabilities fall."""

    max_loss: float
    low: float
    """No reward is below this; at least 0."""
    span: float
    """The largest reward less `low`."""
    patience: float
    """Wins of the default, each earning the most, that the bound must survive at a probability."""
    in_flight_rate: float
    in_flight_burst: float
    """k pending coin rounds won by the default earn at most rate k + burst together, scaled."""
    lambdas: Floats
    limits: Floats
    """log(1 / delta) - log(weight), for each lambda."""
    ladder: Floats
    """The probabilities of the default, from the largest to the holdback."""
    usable: Counts
    """For each rung of the ladder: how many lambdas, from the first, it leaves alive."""
    table: Floats
    """`penalty(lambda, p, 1)`, a row for each lambda and a column for each rung."""


@kernel
def penalty(exponent: float, p: float, y: float) -> float:
    """Return what S gains when the default wins a coin of probability p and earns y.

    The factor of a coin round is exp(lambda y) with probability 1 - p and exp(-penalty) with
    probability p; their mean is exactly 1.
    """
    return -math.log((1.0 - (1.0 - p) * math.exp(exponent * y)) / p)


@kernel
def largest_missed(
    rules: RandomisedRules, memory: Floats, sums: int, terms: int, alive: int
) -> float:
    """Return an upper bound on u from the first `alive` lambdas; infinite without any.

    S of lambda j is `memory[sums + j]`. The bound is where the mixture reaches 1/delta; the
    approximate share of each lambda there is left in `memory[terms + j]`. Each lambda alone gives a
    larger bound, so the least of these is a start above the root. The logarithm of the mixture
    is convex and rises, so Newton's steps fall towards the root and never pass it.
    """
    bound = math.inf
    for j in range(alive):
        bound = min(bound, (memory[sums + j] + rules.limits[j]) / rules.lambdas[j])
    if alive == 0:
        return bound
    step = bound
    while step > CLOSE * bound:
        total = 0.0
        slope = 0.0
        for j in range(alive):
            term = math.exp(rules.lambdas[j] * bound - memory[sums + j] - rules.limits[j])
            memory[terms + j] = term
            total += term
            slope += rules.lambdas[j] * term
        step = math.log(total) * total / slope
        bound -= step
    return bound * (1.0 + SAFE_SIDE)


@kernel
def rise_per_win(
    rules: RandomisedRules, memory: Floats, terms: int, alive: int, rung: int
) -> float:
    """Return the bound's rise, to first order, if the default wins a coin at `rung` and earns 1.

    `memory[terms + j]` is the share of lambda j in the mixture at the bound.
    """
    rise = 0.0
    slope = 0.0
    for j in range(alive):
        rise += rules.table[j * len(rules.ladder) + rung] * memory[terms + j]
        slope += rules.lambdas[j] * memory[terms + j]
    return rise / slope
