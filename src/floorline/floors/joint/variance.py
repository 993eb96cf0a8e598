"""Evidence against a negative budget for rewards that spread little; docs/joint-floor.md.

As in `evidence.py`, but in addition to the sums of the rewards there are the spreads: the sums
of their squared distances to a guess made before each of them. The evidence is a mixture over the
rates RATES: a sum of rewards is ahead of its means by `ahead` with the spread `spread`.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel

RATES = tuple(0.9 * 0.6**i for i in range(14))
"""From rewards that hardly spread (large) to 10^7 coins (small); all below 1."""

COSTS = tuple(-math.log1p(-rate) - rate for rate in RATES)

STEPS = 160
"""More steps than are ever needed, even by halving alone."""

PRECISION = 1e-4
"""Evidence may be understated by this much: as if delta were smaller by one part in 10^4."""


@kernel
def guess(seen: float, total: float) -> float:
    """Return a guess at an arm's next reward on [0, 1], from the rewards seen when it is played."""
    return (total + 0.5) / (seen + 1)


@kernel
def one_sided(ahead: float, spread: float) -> tuple[float, float, float]:
    """Return the log of the rates' mean exp(rate * ahead - cost * spread), and two derivatives.

    The first two rise with `ahead`; the first falls with `spread`.
    """
    largest = -math.inf
    for i in range(len(RATES)):
        largest = max(largest, RATES[i] * ahead - COSTS[i] * spread)
    weight = 0.0
    slope = 0.0
    bend = 0.0
    for i in range(len(RATES)):
        rate = RATES[i]
        term = math.exp(rate * ahead - COSTS[i] * spread - largest)
        weight += term
        slope += rate * term
        bend += rate * rate * term
    slope /= weight
    return largest + math.log(weight / len(RATES)), slope, bend / weight - slope * slope


@kernel
def least_evidence(
    kappa: float,
    ahead: float,
    low: float,
    high: float,
    default_total: float,
    default_spread: float,
    challenger_spread: float,
) -> tuple[float, float]:
    """Return the least log evidence against any sum of the default's means from `low` to `high`.

    Challengers are ahead by `ahead` less kappa times that sum. Also return the derivative of the
    evidence with respect to `ahead`. The slopes of both parts balance at the sum with the least
    evidence. One falls with it and the other rises: Newton's steps, or bisection.
    """
    own, other = 1.0 + default_spread, 1.0 + challenger_spread
    mean_sum = default_total * other + kappa * ahead * own
    mean_sum /= other + kappa * kappa * own  # the solution for normal rewards
    evidence = -math.inf
    rise = 0.0
    for _ in range(STEPS):
        if not low < mean_sum < high:
            mean_sum = 0.5 * (low + high)
        challengers, rise, bend = one_sided(ahead - kappa * mean_sum, challenger_spread)
        default, slope, own_bend = one_sided(mean_sum - default_total, default_spread)
        slope -= kappa * rise
        slack = slope * (mean_sum - low) if slope > 0.0 else slope * (mean_sum - high)
        evidence = challengers + default - slack  # convex: nowhere below the tangent
        if slack <= PRECISION:
            break
        if slope > 0.0:
            high = mean_sum
        else:
            low = mean_sum
        own_bend += kappa * kappa * bend
        mean_sum -= slope / own_bend if own_bend > 0.0 else math.inf
    return evidence, rise


@kernel
def joint_evidence_variance(
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    default_spread: float,
    challenger_total: float,
    challenger_spread: float,
) -> float:
    """Return the least log evidence against any negative budget; see `evidence_on_line`."""
    if deficit <= shift or deficit <= 0.0:  # whatever the default's mean is, at most 1
        return math.inf
    if default_plays == 0:
        return -math.inf
    kappa = deficit / default_plays
    evidence, _ = least_evidence(
        kappa,
        challenger_total + shift,
        max(shift / kappa, 0.0),
        float(default_plays),
        default_total,
        default_spread,
        challenger_spread,
    )
    return evidence


@kernel
def sure_sum_variance(total: float, spread: float, log_inverse_delta: float) -> float:
    """Return the least sum of the challengers' means that is not refuted, for a known default mean.

    Each rate gives a bound, and the mixture gives one that is better than all but the best. The
    evidence is convex, so Newton's steps approach the root from the side with enough evidence.
    """
    ahead = math.sqrt(2.0 * spread * log_inverse_delta) + log_inverse_delta
    for _ in range(STEPS):
        evidence, slope, _ = one_sided(ahead, spread)
        missing = log_inverse_delta - evidence
        if -PRECISION <= missing <= 0.0:
            break
        ahead += (missing + 0.5 * PRECISION) / slope
    return max(total - ahead, 0.0)


@kernel
def sure_budget_variance(
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    default_spread: float,
    challenger_total: float,
    challenger_spread: float,
    log_inverse_delta: float,
) -> float:
    """Return the least budget that the rewards do not refute, in units of the range.

    The evidence against a budget below it is convex and falls as it rises: Newton's steps, or
    bisection.
    """
    sure = shift - max(deficit, 0.0)  # challengers earn at least 0, the default at most 1
    unsure = challenger_total + shift
    if default_plays == 0 or deficit <= 0.0:
        return sure
    kappa = deficit / default_plays
    variance = 1.0 + challenger_spread + kappa * kappa * (1.0 + default_spread)
    budget = unsure - kappa * default_total - math.sqrt(2.0 * variance * log_inverse_delta)
    for step in range(STEPS):
        # Where the default's sum reaches its limit the slope changes: bisect now and then.
        if step % 8 == 7 or not sure < budget < unsure:
            budget = 0.5 * (sure + unsure)
        evidence, fall = least_evidence(
            kappa,
            challenger_total + shift - budget,
            max((shift - budget) / kappa, 0.0),
            float(default_plays),
            default_total,
            default_spread,
            challenger_spread,
        )
        more = evidence - log_inverse_delta
        if more >= 0.0:
            sure = budget
        else:
            unsure = budget
        if 0.0 <= more <= 2.0 * PRECISION:
            break
        budget += (more - PRECISION) / fall
    return sure
