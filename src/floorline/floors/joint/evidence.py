"""Evidence against a negative budget, from the sums of all rewards; proofs in docs/joint-floor.md.

Rewards are rescaled to [0, 1]. Let the challengers' rewards sum to `challenger_total` and their
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
"""From this argument on, four terms of Stirling's series are accurate to 1e-12."""

STEPS = 12
"""An upper limit on Newton's steps, more than are ever needed."""


@kernel
def default_deficit(max_loss: float, rounds: float, default_plays: float) -> float:
    """Return the plays of the default that challengers must make up for; none if 0 or less.

    `rounds` counts the candidate, which is credited with the lowest reward.
    """
    deficit = (1.0 - max_loss) * rounds - default_plays
    return 0.0 if abs(deficit) <= TOLERANCE * rounds else deficit


@kernel
def gamma_excess(x: float) -> float:
    """Return log Gamma(x) - x log(x) + x, which falls with x."""
    if x < STIRLING_FROM:
        return math.lgamma(x) - x * (math.log(x) - 1.0)
    inverse = 1.0 / x
    square = inverse * inverse
    series = 1.0 / 1260.0 - square / 1680.0
    series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * series))
    return HALF_LOG_TWO_PI - 0.5 * math.log(x) + series


@kernel
def mixture_cost(total: float, rho: float) -> float:
    """Return what mixing over Gamma(rho, rho) adds to the evidence, at most 0.

    It changes only when `total` does, so floors cache it.
    """
    return gamma_excess(rho + total) - gamma_excess(rho)


@kernel
def divergence(x: float, y: float) -> float:
    """Return x log(x / y) - x + y for positive x and y: with `mixture_cost`, a sum's evidence.

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
    """Return the default's mean sum L that has the least evidence on the line kappa L - shift.

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
    """Return the least log evidence against any negative budget.

    A challenger is affordable once it reaches log(1/delta).

    Minus infinity if the rewards favour a negative budget, infinity if there cannot be one.
    Totals are of rewards rescaled to [0, 1], and each cost is the `mixture_cost` of its total.
    `shift` is max_loss * rounds * low / (high - low), less the challengers' plays that reached
    nobody: their means count, and they earned nothing. With late rewards the totals and
    `default_plays` are of decisions before some cut; `deficit` is of all decisions.
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
def sure_sum_bounded(challenger_total: float, log_inverse_delta: float, rho: float) -> float:
    """Return the least sum of the challengers' means that their rewards do not refute.

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
