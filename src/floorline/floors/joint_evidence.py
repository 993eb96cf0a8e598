"""Evidence against a negative budget, from the sums of all rewards; proofs in docs/joint-floor.md.

Rewards are moved to [0, 1]. Let the challengers' rewards sum to `challenger_total` and their
means to Lambda_c, the default's to `default_total` and Lambda_0 = default_plays * default_mean.
Then exp(E(Lambda_c, challenger_total) + E(Lambda_0, default_total)), E being the evidence of
`divergence`, ever reaches 1/delta with probability at most delta. The budget is negative only if
Lambda_c < kappa Lambda_0 - shift, where kappa = deficit / default_plays. Once all such pairs have
evidence of log(1/delta) or more, none of them can be true, and a challenger is affordable.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel
from floorline.core.records import TOLERANCE

HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)

STIRLING_FROM = 10.0
"""From here on four terms of Stirling's series are exact to 1e-12."""

STEPS = 12
"""More of Newton's steps than are ever needed."""

HALVINGS = 60
"""More steps than the guaranteed budget ever needs."""

LARGEST_POWER = 50.0
"""Keeps a start that is far too large finite."""

CLOSE = 0.006
"""Relative step in nu at which the steps end: the budget's error is about its fourth power."""


@kernel
def default_deficit(max_loss: float, rounds: float, default_plays: float) -> float:
    """Plays of the default that challengers must make up for; none if 0 or less.

    `rounds` counts the candidate, which is credited with the lowest reward.
    """
    deficit = (1.0 - max_loss) * rounds - default_plays
    return 0.0 if abs(deficit) <= TOLERANCE * rounds else deficit


@kernel
def gamma_excess(x: float) -> float:
    """log Gamma(x) - x log(x) + x, which falls with x."""
    if x < STIRLING_FROM:
        return math.lgamma(x) - x * (math.log(x) - 1.0)
    inverse = 1.0 / x
    square = inverse * inverse
    series = 1.0 / 1260.0 - square / 1680.0
    series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * series))
    return HALF_LOG_TWO_PI - 0.5 * math.log(x) + series


@kernel
def mixture_cost(total: float, rho: float) -> float:
    """What mixing over Gamma(rho, rho) adds to the evidence, at most 0.

    It changes only when `total` does, so floors cache it.
    """
    return gamma_excess(rho + total) - gamma_excess(rho)


@kernel
def divergence(x: float, y: float) -> float:
    """x log(x / y) - x + y, for positive x and y; with `mixture_cost`, the evidence of a sum.

    The log evidence E(L, S) against L as the sum of the means of rewards that sum to S is
    L + rho log(rho) - lgamma(rho) + lgamma(rho + S) - (rho + S) log(rho + L). Without the large
    terms that cancel, it is mixture_cost(S, rho) + divergence(rho + S, rho + L): convex in L and
    least, at most 0, at L = S.
    """
    return x * math.log(x / y) - x + y


@kernel
def least_refuted(
    kappa: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_total: float,
    rho: float,
) -> float:
    """The default's mean sum L that has the least evidence on the line kappa L - shift.

    The evidence is convex there, and its slope has the sign of A L^2 + B L + C; the larger root
    is the minimum. For `shift` 0, C is negative. Neither sum of means is below 0, and the
    default's is at most `default_plays`.
    """
    a = kappa * (1.0 + kappa)
    b = rho * (1.0 + kappa * kappa) - shift
    b -= kappa * (shift + challenger_total + default_total)
    c = -kappa * rho * (shift + challenger_total) - default_total * (rho - shift)
    root = math.sqrt(max(b * b - 4.0 * a * c, 0.0))
    found = -2.0 * c / (b + root) if b > 0.0 else (root - b) / (2.0 * a)
    return min(max(found, shift / kappa, 0.0), float(default_plays))


@kernel
def evidence_on_line(
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    default_cost: float,
    challenger_total: float,
    challenger_cost: float,
    rho: float,
) -> float:
    """Least log evidence against any negative budget; a challenger is affordable at log(1/delta).

    Minus infinity if the rewards favour a negative budget, infinity if there cannot be one.
    Totals are of rewards moved to [0, 1], and each cost is the `mixture_cost` of its total. `shift`
    is max_loss * rounds * low / (high - low), less the challengers' plays that reached nobody:
    their means count, and they earned nothing. With late rewards the totals and `default_plays`
    are of decisions before some cut; `deficit` is of all decisions.
    """
    if deficit <= shift or deficit <= 0.0:  # whatever the default's mean is, at most 1
        return math.inf
    if default_plays == 0:
        return -math.inf
    kappa = deficit / default_plays
    if not challenger_total > kappa * default_total - shift:
        return -math.inf
    mean_sum = least_refuted(kappa, shift, default_plays, default_total, challenger_total, rho)
    line = max(kappa * mean_sum - shift, 0.0)
    evidence = divergence(rho + challenger_total, rho + line)
    evidence += divergence(rho + default_total, rho + mean_sum)
    return evidence + challenger_cost + default_cost


@kernel
def subgaussian_on_line(
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_plays: float,
    challenger_total: float,
    costs: float,
    r: float,
) -> float:
    """The same for subgaussian noise of scale 1: totals and `shift` are over the noise scale.

    `costs` is the sum of both counts' `normal_cost`.
    """
    if deficit <= 0.0:
        return math.inf
    if default_plays == 0:
        return -math.inf
    kappa = deficit / default_plays
    ahead = challenger_total - kappa * default_total + shift
    if not ahead > 0.0:
        return -math.inf
    variance = challenger_plays + r + kappa * kappa * (default_plays + r)
    return 0.5 * ahead * ahead / variance + costs


@kernel
def normal_cost(plays: float, r: float) -> float:
    """What mixing over a normal of variance 1/r adds to the evidence, at most 0."""
    return -0.5 * math.log1p(plays / r)


@kernel
def sure_sum_bounded(challenger_total: float, log_inverse_delta: float, rho: float) -> float:
    """The least sum of the challengers' means that their rewards do not refute.

    With a known default mean a challenger is affordable if this is at least
    deficit * default_mean - shift. The root x exp(-w) - rho of x (w - 1 + exp(-w)) = allowed:
    Newton's steps start outside and stay there.
    """
    x = rho + challenger_total
    ratio = (log_inverse_delta - mixture_cost(challenger_total, rho)) / x
    w = ratio + math.sqrt(2.0 * ratio)
    for _ in range(STEPS):
        slope = -math.expm1(-w)
        step = (w - slope - ratio) / slope
        w -= step
        if step <= 1e-9 * w:
            break
    return max(x * math.exp(-w) - rho, 0.0)


@kernel
def sure_sum_subgaussian(
    challenger_plays: float, challenger_total: float, log_inverse_delta: float, r: float
) -> float:
    """The same for subgaussian noise of scale 1, totals over the noise scale."""
    level = 2.0 * log_inverse_delta + math.log1p(challenger_plays / r)
    return challenger_total - math.sqrt((challenger_plays + r) * level)


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
    """The least budget that the rewards do not refute, in units of the range.

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
    """The least u - rho - kappa (v - rho) where u is rho, or v is `limit`, or both."""
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


@kernel
def sure_budget_subgaussian(
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_plays: float,
    challenger_total: float,
    allowed: float,
    r: float,
) -> float:
    """The same for subgaussian noise of scale 1; minus infinity before the first default play.

    So it is where rewards are missing, and totals are infinite. `allowed` is log(1/delta) less the
    `normal_cost` of both counts.
    """
    if default_plays == 0 or challenger_total == -math.inf:
        return -math.inf
    kappa = deficit / default_plays
    variance = challenger_plays + r + kappa * kappa * (default_plays + r)
    radius = math.sqrt(2.0 * variance * allowed)
    return challenger_total - kappa * default_total + shift - radius
