"""Evidence against a negative budget for rewards that spread little; docs/joint-floor.md.

As in `joint_evidence`, but besides the sums of the rewards there are the sums of their squared
distances to a guess made before each of them, the spreads. The evidence is a mixture over the
rates RATES: a sum of rewards is ahead of its means by `ahead` with the spread `spread`.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel

RATES = tuple(0.9 * 0.6**i for i in range(14))
"""From rewards that hardly spread (large) to 10^7 coins (small); all below 1."""

COSTS = tuple(-math.log1p(-rate) - rate for rate in RATES)

HALVINGS = 40
"""More halvings than are ever needed."""

PRECISION = 1e-4
"""Evidence may be understated by this much: as if delta were smaller by one part in 10^4."""


@kernel
def guess(seen: float, total: float) -> float:
    """A guess at an arm's next reward on [0, 1], from the rewards seen when it is played."""
    return (total + 0.5) / (seen + 1)


@kernel
def one_sided(ahead: float, spread: float) -> tuple[float, float]:
    """Log of the mean of exp(rate * ahead - cost * spread) over the rates, and its slope.

    Both rise with `ahead`; the first falls with `spread`.
    """
    largest = -math.inf
    for i in range(len(RATES)):
        largest = max(largest, RATES[i] * ahead - COSTS[i] * spread)
    weight = 0.0
    slope = 0.0
    for i in range(len(RATES)):
        term = math.exp(RATES[i] * ahead - COSTS[i] * spread - largest)
        weight += term
        slope += RATES[i] * term
    return largest + math.log(weight / len(RATES)), slope / weight


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
    """Least log evidence against any negative budget; see `evidence_on_line`.

    The default's sum of means L with the least evidence is where the slopes of both parts
    balance. One falls with L and the other rises, so it is found by halving.
    """
    if deficit <= shift or deficit <= 0.0:  # whatever the default's mean is, at most 1
        return math.inf
    if default_plays == 0:
        return -math.inf
    kappa = deficit / default_plays
    low = max(shift / kappa, 0.0)
    high = default_plays
    evidence = -math.inf
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        ahead = challenger_total - kappa * middle + shift
        challengers, down = one_sided(ahead, challenger_spread)
        default, up = one_sided(middle - default_total, default_spread)
        slope = up - kappa * down
        slack = 0.5 * (high - low) * abs(slope)
        evidence = challengers + default - slack  # convex: nowhere below the tangent
        if slack <= PRECISION:
            break
        if slope > 0.0:
            high = middle
        else:
            low = middle
    return evidence


@kernel
def sure_sum_variance(total: float, spread: float, log_inverse_delta: float) -> float:
    """The least sum of the challengers' means that is not refuted, for a known default mean.

    Each rate gives a bound of its own, the mixture one that is better than all but the best.
    """
    low = 0.0
    high = total
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        evidence, _ = one_sided(total - middle, spread)
        if evidence >= log_inverse_delta:
            low = middle
        else:
            high = middle
    return low


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
    """The least budget that the rewards do not refute, in units of the range, by halving."""
    sure = shift - max(deficit, 0.0)  # challengers earn at least 0, the default at most 1
    unsure = challenger_total + shift
    if default_plays == 0 or deficit <= 0.0:
        return sure
    for _ in range(HALVINGS):
        middle = 0.5 * (sure + unsure)
        evidence = joint_evidence_variance(
            deficit,
            shift - middle,
            default_plays,
            default_total,
            default_spread,
            challenger_total,
            challenger_spread,
        )
        if evidence >= log_inverse_delta:
            sure = middle
        else:
            unsure = middle
    return sure
