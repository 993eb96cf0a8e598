"""Theorems 1 and 2: bounds on the regret of Conservative UCB.

Each bound holds in every run in which all confidence intervals hold: with
probability 1 - delta under a boundary that is proved for the noise. The proofs,
with the constants that the paper has wrong, are in docs/errata.md (E7).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from floorline.boundaries import Boundary
from floorline.core.checks import number, require
from floorline.policy_setup import PolicySetup


def final_boundary(
    boundary: Boundary, n_arms: int, horizon: int, *, default_known: bool = True
) -> float:
    """Return the squared radius times the count, at the horizon (the paper's L = psi(n)).

    It includes the noise scale. For every boundary here the product increases with the count,
    so that no radius before the horizon exceeds sqrt(L / count).

    >>> round(final_boundary(Boundary(delta=1e-4), n_arms=5, horizon=10_000), 2)
    33.27

    Args:
        boundary: one whose intervals have a radius.
        n_arms: the number of arms, including the default.
        horizon: the number of rounds.
        default_known: whether the default arm's mean is known.
    """
    zeta = boundary.inverse_error(n_arms, default_known)
    return horizon * boundary.radius(horizon, zeta) ** 2


def plays_bounds(
    setting: PolicySetup, means: Sequence[float], *, as_printed: bool = False
) -> list[float]:
    """Return a bound on each arm's plays up to the horizon; infinite for an arm that is best.

    Theorems 1 and 2. A challenger: 4 L / gap^2 + 1. The default arm, when its mean is known:
    (2 (K + 1) + 8 L sum_i 1 / max{gap_i, gap_0 - gap_i}) / (max_loss default_mean);
    when it is learned, 16 L / gap_0^2 + 1 more.

    Differs: the paper prints 6 and 7 for the 8, and 4 for the 16, which do not follow from
    its proof; `as_printed` uses those. The arguments are those of `problem_regret`.

    >>> setting = PolicySetup(n_arms=3, horizon=100_000, default_mean=0.5)
    >>> [round(bound, 1) for bound in plays_bounds(setting, [0.5, 0.6, 0.4])]
    [47256.6, inf, 1965.0]
    """
    terms = _terms(setting)
    gaps = _gaps(setting, means)
    plays = [4 * terms.size / gap**2 + 1 if gap > 0 else math.inf for gap in gaps]
    if gaps[0] > 0:
        plays[0] = 2 * setting.n_arms / terms.slope + _saving(setting, gaps, as_printed)
        if setting.learned:
            plays[0] += (4 if as_printed else 16) * terms.size / gaps[0] ** 2 + 1
    return plays


def problem_regret(
    setting: PolicySetup, means: Sequence[float], *, as_printed: bool = False
) -> float:
    """Return a bound on Conservative UCB's regret on arms with these means (Theorems 1 and 2).

    >>> setting = PolicySetup(n_arms=5, horizon=10_000, default_mean=0.5, delta=1e-4)
    >>> round(problem_regret(setting, [0.5, 0.6, 0.4, 0.4, 0.4]))
    15326

    Args:
        setting: as for the policy; the default mean known or `learned`.
        means: each arm's mean in [0, 1], the default arm's first.
        as_printed: use the paper's constants instead of those that its proof yields (E7).
    """
    plays = plays_bounds(setting, means, as_printed=as_printed)
    gaps = _gaps(setting, means)
    return sum(gap * count for gap, count in zip(gaps, plays, strict=True) if gap > 0)


def floor_penalty(
    setting: PolicySetup, means: Sequence[float], *, as_printed: bool = False
) -> float:
    """Return the part of `problem_regret` that the floor adds (the remark on small max_loss).

    8 L / (max_loss default_mean) * sum_i gap_0 / max{gap_i, gap_0 - gap_i}. The arguments are
    those of `problem_regret`.

    >>> setting = PolicySetup(n_arms=5, horizon=10_000, default_mean=0.5, delta=1e-4)
    >>> round(floor_penalty(setting, [0.5, 0.6, 0.4, 0.4, 0.4]))
    13309
    """
    gaps = _gaps(setting, means)
    return gaps[0] * _saving(setting, gaps, as_printed) if gaps[0] > 0 else 0.0


def penalty_exponent(
    loss: float, default_gap: float, challenger_gap: float, *, as_printed: bool = False
) -> float:
    """Return the power of the horizon n with which the floor's penalty grows, up to logarithms.

    For max_loss = n^-loss, a default arm that is n^-default_gap worse than the best arm, and
    challengers that are best or at least n^-challenger_gap worse (remark on small max_loss).

    Differs: the paper leaves out the best arm's own term of the sum; see docs/errata.md, E16.

    >>> penalty_exponent(0.5, 0.25, 0.0), penalty_exponent(0.5, 0.25, 0.0, as_printed=True)
    (0.5, 0.25)
    """
    number("loss", loss, 0, 1)
    number("default_gap", default_gap, 0, math.inf)
    number("challenger_gap", challenger_gap, 0, math.inf)
    others = min(0.0, challenger_gap - default_gap)
    best = -math.inf if as_printed else min(0.0, loss - default_gap)
    return loss + max(others, best)


def worst_regret(setting: PolicySetup) -> float:
    """Return a bound on Conservative UCB's regret for any means in [0, 1].

    K + 2 sqrt(n K L) + (2 (K + 1) + 16 K L) / (max_loss default_mean), and 4 sqrt(n L) + 1
    more when the default mean is learned. The paper states the order only (Theorem 1).

    >>> round(worst_regret(PolicySetup(n_arms=5, horizon=10_000, default_mean=0.5, delta=1e-4)))
    45099
    """
    terms = _terms(setting)
    challengers, spread = setting.n_arms - 1, math.sqrt(setting.horizon * terms.size)
    bound = challengers + 2 * math.sqrt(challengers) * spread
    bound += (2 * setting.n_arms + 16 * challengers * terms.size) / terms.slope
    return bound + 4 * spread + 1 if setting.learned else bound


def expected_regret(setting: PolicySetup, means: Sequence[float]) -> float:
    """Return a bound on Conservative UCB's expected regret, including runs with failing intervals.

    `problem_regret`, plus delta times the horizon times the largest gap. With
    `guarantee="expectation"` delta is 1 / horizon, and the floor itself holds in expectation
    too (paper, section on expected regret and budget). The arguments are those of `problem_regret`.

    >>> setting = PolicySetup(n_arms=3, horizon=100_000, default_mean=0.5, guarantee="expectation")
    >>> round(expected_regret(setting, [0.5, 0.6, 0.4]))
    9683
    """
    failing = _terms(setting).delta * setting.horizon * max(_gaps(setting, means))
    return problem_regret(setting, means) + failing


class _Terms(NamedTuple):
    """The policy's parameters under its guarantee."""

    slope: float
    """max_loss times default_mean: what a default play adds to the budget."""
    size: float
    """The paper's L."""
    delta: float


def _terms(setting: PolicySetup) -> _Terms:
    """Return the terms that all bounds share; raise unless the theorems' conditions hold."""
    number("max_loss", setting.max_loss, 0, 1, open_low=True)
    number("default_mean", setting.default_mean, 0, 1, open_low=True)
    number("low", setting.low, 0, 1)
    require(
        setting.fallback == "default", "fallback", "default, as in Algorithm 1", setting.fallback
    )
    floor, settled = setting.confidence_floor().settle(setting.intervals(), setting.horizon)
    boundary = settled or setting.intervals()
    size = final_boundary(
        boundary, setting.n_arms, setting.horizon, default_known=not setting.learned
    )
    return _Terms((floor.max_loss or 0.0) * setting.default_mean, size, boundary.delta)


def _gaps(setting: PolicySetup, means: Sequence[float]) -> list[float]:
    """Return how much worse than the best each arm is; raise unless the means fit the setting."""
    lowest = setting.low
    require(
        len(means) == setting.n_arms and all(lowest <= mean <= 1 for mean in means),
        "means",
        f"{setting.n_arms} numbers from {lowest:g} to 1",
        means,
    )
    require(
        abs(means[0] - setting.default_mean) < 1e-12,
        "means",
        f"the default mean ({setting.default_mean:g}) first",
        means,
    )
    return [max(means) - mean for mean in means]


def _saving(setting: PolicySetup, gaps: Sequence[float], as_printed: bool) -> float:
    """Return how many default plays pay for exploring: 8 L sum_i 1 / max{...} over the slope."""
    terms = _terms(setting)
    constant = (7 if setting.learned else 6) if as_printed else 8
    return (
        constant * terms.size * sum(1 / max(gap, gaps[0] - gap) for gap in gaps[1:]) / terms.slope
    )
