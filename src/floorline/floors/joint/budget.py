"""The least budget that rewards in a range do not refute: point 11 of docs/joint-floor.md.

Among all pairs of sums whose evidence is below log(1/delta), the one with the least budget is found
by a Lagrange multiplier, nu.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel
from floorline.floors.joint.evidence import divergence

HALVINGS = 60
"""An upper limit on the steps, more than are ever needed."""

LARGEST_POWER = 50.0
"""Limits the exponent of a starting point that is far too large."""

CLOSE = 0.006
"""Relative step in nu at which the steps end: the budget's error is about its fourth power."""


@kernel
def sure_budget_bounded(
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_total: float,
    allowed: float,
    rho: float,
) -> float:
    """Return the least budget that the rewards do not refute, in units of the range.

    `allowed` is log(1/delta) less the `mixture_cost` of both totals.

    The least Lambda_c - kappa Lambda_0 + shift among pairs with evidence below log(1/delta). There
    rho + Lambda_c = (rho + S_c) / (1 + nu) and rho + Lambda_0 = (rho + S_0) / (1 - kappa nu), where
    nu makes the evidence log(1/delta); but no sum is below 0, nor Lambda_0 above its plays.
    """
    if default_plays == 0:
        return shift - max(deficit, 0.0)
    kappa = deficit / default_plays
    x = rho + challenger_total
    y = rho + default_total
    limit = rho + default_plays if kappa > 0.0 else rho
    outside = challenger_total / rho  # from here on a sum is at its limit
    if kappa != 0.0:
        outside = min(outside, (1.0 - y / limit) / kappa)
    nu = least_nu(kappa, x, y, outside, allowed)
    if nu < outside:
        return least_tilted(kappa, x, y, nu, allowed) - rho + kappa * rho + shift
    return least_at_limits(kappa, x, y, limit, allowed, rho) + shift


@kernel
def least_at_limits(
    kappa: float, x: float, y: float, limit: float, allowed: float, rho: float
) -> float:
    """Return the least u - rho - kappa (v - rho) on the edges u = rho and v = `limit`."""
    if kappa == 0.0:
        return 0.0
    against_challengers = divergence(x, rho)
    against_default = divergence(y, limit)
    if against_challengers + against_default <= allowed:
        return kappa * (rho - limit)
    challengers_end = x / rho - 1.0
    default_end = (1.0 - y / limit) / kappa
    if challengers_end < default_end:
        left = allowed - against_challengers
        nu = least_nu(kappa, 0.0, y, default_end, left)
        return kappa * rho + least_tilted(kappa, 0.0, y, nu, left)
    left = allowed - against_default
    nu = least_nu(0.0, x, 0.0, challengers_end, left)
    return least_tilted(0.0, x, 0.0, nu, left) - rho + kappa * (rho - limit)


@kernel
def least_tilted(kappa: float, x: float, y: float, nu: float, allowed: float) -> float:
    """Return a lower bound on u - kappa v if divergence(x, u) + divergence(y, v) <= `allowed`.

    It is a bound for every nu > 0, and exact for that of `least_nu`: an error of nu lowers it by
    about the square of that error, relative to x nu (docs/joint-floor.md, point 11).
    """
    return (x * math.log1p(nu) + y * math.log1p(-kappa * nu) - allowed) / nu


@kernel
def least_nu(kappa: float, x: float, y: float, outside: float, allowed: float) -> float:
    """Return an approximate root nu of divergence(x, u) + divergence(y, v) = `allowed`.

    There u = x / (1 + nu) and v = y / (1 - kappa nu). `outside` if that nu is not below it. The sum
    rises with nu, about as its square: Newton's steps are made for its square root, and a bisection
    wherever one would leave the bracket. They start with three terms of a series in z, where
    nu = (exp(a z) - 1) / a, and a is the `tilt` with which the fourth is small.
    """
    square = kappa * kappa
    bend = x + square * y
    tilt = (x - square * kappa * y) / bend
    z = math.sqrt(2.0 * allowed / bend)
    rest = 7.0 / 9.0 * tilt * tilt - 0.75 * (x + square * square * y) / bend
    z *= 1.0 + z * (tilt / 6.0 + z * rest)
    nu = math.expm1(min(tilt * z, LARGEST_POWER)) / tilt if tilt != 0.0 else z
    inside = 0.0
    beyond = math.inf
    if not 0.0 < nu < outside:
        nu = outside
    for _ in range(HALVINGS):
        more = 1.0 + nu
        less = 1.0 - kappa * nu
        found = x * (math.log(more) - nu / more) + y * (math.log(less) + kappa * nu / less)
        if found < allowed and nu >= outside:
            return outside
        slope = nu * (x / (more * more) + square * y / (less * less))
        step = 2.0 * (found - math.sqrt(found * allowed)) / slope
        after = nu - step
        if abs(step) <= CLOSE * nu and abs(kappa * step) <= CLOSE * less and after < outside:
            return after
        if found < allowed:
            inside = nu
        else:
            beyond = nu
        nu = min(after, outside)
        if not inside < nu < beyond:
            nu = 0.5 * (inside + beyond)
    return nu
