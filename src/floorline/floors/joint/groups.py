"""The least budget that several groups of plays do not refute: each default's, and challengers'.

The budget is a sum over groups of a weight times the sum of the group's means. A weight may have
either sign: a default that was played less often than it is owed reduces the budget, one that was
played more often increases it. The evidence of all groups together ever reaches log(1/delta) with
probability delta at most; proofs in docs/joint-floor.md, point 19.

In a part's memory a group is GROUP numbers, and groups follow one another.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel
from floorline.core.records import Floats
from floorline.floors.joint.evidence import divergence, mixture_cost

WEIGHT, TOTAL, MISSING, PLAYS = range(4)
"""Of a group: its weight, the sum of the rescaled rewards seen, how many are missing, and plays."""

GROUP = 4

CLOSE_ABOVE = 1e-9
"""Share by which a multiplier may be too large."""

LEAP = 64.0
"""The largest factor by which a step changes while only one bound on the root is known."""

STEPS = 100
"""More than are ever needed: 20 would be enough for 18 orders of magnitude."""


@kernel
def put_group(
    memory: Floats, place: int, weight: float, total: float, missing: float, plays: float
) -> None:
    """Write a group to memory."""
    memory[place + WEIGHT] = weight
    memory[place + TOTAL] = total
    memory[place + MISSING] = missing
    memory[place + PLAYS] = plays


@kernel
def filled_in(memory: Floats, place: int, rho: float) -> float:
    """Return rho plus the group's rewards; missing ones at the highest if its weight is negative.

    Otherwise they count at the lowest; `kept_below` says what evidence they may hide then.
    """
    missing = memory[place + MISSING] if memory[place + WEIGHT] <= 0.0 else 0.0
    return rho + memory[place + TOTAL] + missing  # type: ignore[no-any-return]


@kernel
def kept_below(memory: Floats, place: int, x: float) -> float:
    """Return the sum of means up to which the rewards seen are evidence, whatever is missing.

    Beyond it missing rewards may take evidence away: rewards that sum to x - rho cost less to mix
    over than larger sums do.
    """
    hides = memory[place + MISSING] > 0.0 and memory[place + WEIGHT] > 0.0
    return x - 0.5 if hides else math.inf


@kernel
def worst_means(memory: Floats, place: int, x: float, nu: float, rho: float) -> float:
    """Return rho plus the group's sum of means that minimises the budget at a multiplier nu."""
    weight = memory[place + WEIGHT]
    if weight > 0.0:
        means = x / (1.0 + weight * nu)
        if means > kept_below(memory, place, x):
            means = min(0.5 / (weight * nu), x + memory[place + MISSING])
        return max(means, rho)  # type: ignore[no-any-return]
    tilt = 1.0 + weight * nu
    most = rho + memory[place + PLAYS]
    return x / tilt if tilt * most > x else most  # type: ignore[no-any-return]


@kernel
def farthest_means(memory: Floats, place: int, x: float, rho: float) -> float:
    """Return rho plus the worst possible sum of means, whatever was earned."""
    weight = memory[place + WEIGHT]
    if weight == 0.0:
        return x
    return rho if weight > 0.0 else rho + memory[place + PLAYS]


@kernel
def group_evidence(memory: Floats, place: int, x: float, means: float) -> float:
    """Return the evidence against a sum of means, before the cost of mixing is taken off."""
    edge = kept_below(memory, place, x)
    if means > edge:
        return divergence(x, edge) - 0.5 * math.log(means / edge)
    return divergence(x, means)


@kernel
def evidence_slope(
    memory: Floats, place: int, x: float, means: float, nu: float, rho: float
) -> float:
    """Return the derivative of a group's evidence with respect to nu, at its worst means."""
    weight = memory[place + WEIGHT]
    if weight > 0.0:
        if means <= rho:
            return 0.0
        if means > kept_below(memory, place, x):
            return 0.5 / nu if means < x + memory[place + MISSING] else 0.0
    elif means >= rho + memory[place + PLAYS]:
        return 0.0
    weighted = weight * means
    return nu * (weighted * weighted) / x  # type: ignore[no-any-return]


@kernel
def least_sum(memory: Floats, at: int, count: int, level: float, rho: float) -> float:
    """Return the least weighted sum of means with evidence below `level` against it.

    At the minimum, all `count` groups have the same multiplier nu, with which the evidence rises.
    """
    allowed = level
    bend = 0.0
    beyond = 0.0
    for i in range(count):
        place = at + GROUP * i
        x = filled_in(memory, place, rho)
        allowed -= mixture_cost(x - rho, rho)
        weight = memory[place + WEIGHT]
        bend += weight * weight * x
        beyond += group_evidence(memory, place, x, farthest_means(memory, place, x, rho))
    least = 0.0
    if beyond <= allowed or bend == 0.0:
        for i in range(count):
            place = at + GROUP * i
            means = farthest_means(memory, place, filled_in(memory, place, rho), rho)
            least += memory[place + WEIGHT] * (means - rho)
        return least
    nu = least_multiplier(memory, at, count, math.sqrt(2.0 * allowed / bend), allowed, rho)
    for i in range(count):
        place = at + GROUP * i
        means = worst_means(memory, place, filled_in(memory, place, rho), nu, rho)
        least += memory[place + WEIGHT] * (means - rho)
    return least


@kernel
def least_multiplier(
    memory: Floats, at: int, count: int, start: float, allowed: float, rho: float
) -> float:
    """Return a nu at which the groups' evidence is `allowed`, or a little more.

    The root is between `inside` and `outside`, and the latter is returned. Newton's steps, each
    aimed a little too far, and a halving wherever one would leave these. While only one of the two
    is known, no step goes far: the evidence hardly changes where most groups are at a limit.
    """
    nu = start
    inside = 0.0
    outside = math.inf
    for _ in range(STEPS):
        excess = -allowed
        slope = 0.0
        for i in range(count):
            place = at + GROUP * i
            x = filled_in(memory, place, rho)
            means = worst_means(memory, place, x, nu, rho)
            excess += group_evidence(memory, place, x, means)
            slope += evidence_slope(memory, place, x, means, nu, rho)
        if excess < 0.0:
            inside = nu
        else:
            outside = nu
            if excess <= CLOSE_ABOVE * slope * nu:
                break
        least = inside if inside > 0.0 else outside / LEAP
        most = outside if outside < math.inf else inside * LEAP
        aim = nu - excess / slope if slope > 0.0 else math.inf
        nu = aim * (1.0 + 0.5 * CLOSE_ABOVE)
        if not least < nu < most:
            nu = math.sqrt(least * most)
    return outside
