"""Intervals for rewards in a known range by a mixture over Bernoulli arms; docs/guarantee.md.

In the unit range, t rewards of sum S (and F = t - S) rule out the mean m once

    B(a + S, b + F) / B(a, b) / (m^S (1 - m)^F)  >=  inverse_error,

where Beta(a, b) is the prior: once t KL(S/t, m) reaches an allowance that does not depend
on m. So each end is the root of a convex function, and Newton's steps from a point outside
the interval stay outside: whatever step is the last, the interval is not too narrow.
The effect of rounding is in docs/guarantee.md.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from floorline.boundaries.base import BoundaryKind
from floorline.core.kernel import Function, kernel
from floorline.core.records import Floats
from floorline.core.slots import interval, lower_end, upper_end

if TYPE_CHECKING:
    from floorline.boundaries.boundary import Boundary

HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)

STIRLING_FROM = 256.0
"""From here on two terms of Stirling's series are exact to rounding."""

NEGLIGIBLE_TOTAL = 1e-18
"""A sum of rewards so small that rounding swallows what it could change."""

STEPS = 12
"""An upper limit on Newton's steps, more than are ever needed."""

PRECISION = 1e-5
"""A relative step so small that its square, about the error left, does not matter."""


NEARLY_ONE = 1.0 - 1e-4
"""Above this share, 1 minus it has lost digits that the upper end needs."""

BELOW_ONE = 2.0**-53
"""The distance from a float in [1/2, 1) to the next."""


class BetaBinomialRules(NamedTuple):
    """The prior, the range of rewards, and the constant part of the allowance."""

    prior_up: float
    prior_down: float
    start: float
    """log(inverse_error) + log B(prior_up, prior_down)."""
    low: float
    width: float


def beta_binomial_rules(
    inverse_error: float, prior: tuple[float, float], low: float, high: float
) -> BetaBinomialRules:
    """Return the record for the kernels below."""
    up, down = map(float, prior)
    log_beta = math.lgamma(up) + math.lgamma(down) - math.lgamma(up + down)
    start = math.log(inverse_error) + log_beta
    return BetaBinomialRules(up, down, start, float(low), float(high - low))


@kernel
def log_gamma_excess(x: float, shift: float) -> float:
    """Return lgamma(x + shift) - (x log x - x), with no large intermediate for large x."""
    if x < STIRLING_FROM:
        whole = math.lgamma(x + shift)
        return whole - x * (math.log(x) - 1.0) if x > 0.0 else whole
    y = x + shift
    series = (1.0 - 1.0 / (30.0 * y * y)) / (12.0 * y)
    rest = (shift - 0.5) * math.log(y) + x * math.log1p(shift / x) - shift
    return rest + HALF_LOG_TWO_PI + series


@kernel
def allowance(rules: BetaBinomialRules, up: float, down: float) -> float:
    """Return the largest t KL(S/t, m) in the interval, at least log(inverse_error)."""
    mixture = log_gamma_excess(up, rules.prior_up) + log_gamma_excess(down, rules.prior_down)
    mixture -= log_gamma_excess(up + down, rules.prior_up + rules.prior_down)
    return rules.start - mixture


@kernel
def log_shrinkage(shrinking: float, growing: float, allowed: float) -> float:
    """Return the z >= 0 at which p = shrinking / t, moved to p exp(-z), uses up the allowance.

    With a = shrinking, b = growing, t = a + b and w = 1 - exp(-z), the root of
        k(z) = t KL(p, p exp(-z)) - allowed = a z - b log(1 + w a / b) - allowed,
        k'(z) = t a w / (b + a w),  which rises with z.
    It starts at the root of a z^2 / (2 b / t + m z) = allowed, m = max(1, 2/3 (1 + p)). That is
    outside: with E = exp(z) - 1 >= z + z^2 / 2 and q = b / t, k'(z) / a = E / (E + q) is
    at least the slope (4 q z + m z^2) / (2 q + m z)^2, since E times
    4 q^2 + 4 q (m - 1) z + m (m - 1) z^2 is at least 4 q^2 z + m q z^2 once 3 m >= 4 - 2 q.
    """
    if shrinking <= NEGLIGIBLE_TOTAL:
        return math.inf
    ratio = allowed / shrinking
    if growing <= NEGLIGIBLE_TOTAL:
        return ratio  # k is linear
    seen = shrinking + growing
    half = 0.5 * max(1.0, (2.0 + 2.0 * shrinking / seen) / 3.0) * ratio
    z = half + math.sqrt(half * half + 2.0 * ratio * growing / seen)
    for _ in range(STEPS):
        moved = -shrinking * math.expm1(-z)
        excess = shrinking * z - growing * math.log1p(moved / growing) - allowed
        step = excess * (growing + moved) / (seen * moved)
        z -= step
        if step <= PRECISION * z:
            break
    return z


@kernel
def unit_total(rules: BetaBinomialRules, seen: int, total: float) -> float:
    """Return the sum of the rewards scaled to [0, 1], clipped against rounding."""
    return min(max((total - seen * rules.low) / rules.width, 0.0), float(seen))


@kernel
def lower_from(rules: BetaBinomialRules, up: float, down: float, allowed: float) -> float:
    """Return the lower end, in the user's units."""
    share = up * math.exp(-log_shrinkage(up, down, allowed)) / (up + down)
    return rules.low + rules.width * share


@kernel
def upper_from(rules: BetaBinomialRules, up: float, down: float, allowed: float) -> float:
    """Return the upper end, in the user's units."""
    z = log_shrinkage(down, up, allowed)
    share = (up - down * math.expm1(-z)) / (up + down)
    if share > NEARLY_ONE:
        rest = down * math.exp(-z) / (up + down)
        share = 1.0 - rest
        if 1.0 - share > rest:  # rounded inwards
            share += BELOW_ONE
    return rules.low + rules.width * share


@kernel
def beta_binomial_lower(
    rules: BetaBinomialRules, memory: Floats, arm: int, seen: int, total: float
) -> float:
    """Return the lower end of the interval alone."""
    up = unit_total(rules, seen, total)
    return lower_from(rules, up, seen - up, allowance(rules, up, seen - up))


@kernel
def beta_binomial_upper(
    rules: BetaBinomialRules, memory: Floats, arm: int, seen: int, total: float
) -> float:
    """Return the upper end of the interval alone."""
    up = unit_total(rules, seen, total)
    return upper_from(rules, up, seen - up, allowance(rules, up, seen - up))


@kernel
def beta_binomial_interval(
    rules: BetaBinomialRules, memory: Floats, arm: int, seen: int, total: float
) -> tuple[float, float]:
    """Return both ends of the means that the rewards do not rule out."""
    up = unit_total(rules, seen, total)
    down = seen - up
    allowed = allowance(rules, up, down)
    return lower_from(rules, up, down, allowed), upper_from(rules, up, down, allowed)


class BetaBinomial(BoundaryKind):
    """Intervals for rewards in a known range, by a Beta mixture over Bernoulli arms."""

    name = "beta-binomial"
    summary = "a Beta mixture, narrow for rare clicks"
    proved_for = "rewards in [low, high]"
    live = True
    needs_range = True

    def rules(self, boundary: Boundary, inverse_error: float, horizon: int) -> BetaBinomialRules:
        """Return the record for the kernels."""
        return beta_binomial_rules(inverse_error, boundary.prior, boundary.low, boundary.high)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            interval: beta_binomial_interval,
            lower_end: beta_binomial_lower,
            upper_end: beta_binomial_upper,
        }


BETA_BINOMIAL = BetaBinomial()
