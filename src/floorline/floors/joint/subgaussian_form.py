"""The joint floor for subgaussian noise, of scale 1 once rewards are divided by their noise scale.

The proof is point 10 of docs/joint-floor.md.
"""

from __future__ import annotations

import math

from floorline.core.kernel import Function, kernel
from floorline.floors.joint.forms import (
    JointRules,
    evidence,
    fill_in,
    leaves_cost,
    mixture,
    never,
    no_spread,
    spread_of,
    sure_budget,
    sure_sum,
)


@kernel
def normal_cost(plays: float, r: float) -> float:
    """Return what mixing over a normal of variance 1/r adds to the evidence, at most 0."""
    return -0.5 * math.log1p(plays / r)


@kernel
def normal_mixture(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return what mixing adds to the evidence of the plays."""
    return normal_cost(plays, rules.weight)


@kernel
def variance_on_line(
    kappa: float, default_plays: float, challenger_plays: float, r: float
) -> float:
    """Return the variance of the challengers' sum less kappa times the default's, with mixing."""
    return challenger_plays + r + kappa * kappa * (default_plays + r)


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
    """Return the least log evidence against any negative budget.

    A challenger is affordable once it reaches log(1/delta).

    Minus infinity if the rewards favour a negative budget, infinity if there cannot be one.
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
    variance = variance_on_line(kappa, default_plays, challenger_plays, r)
    return 0.5 * ahead * ahead / variance + costs


@kernel
def subgaussian_evidence(
    rules: JointRules,
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_plays: float,
    challenger_total: float,
    default_cost: float,
    challenger_cost: float,
) -> float:
    """Return the least log evidence against a negative budget."""
    return subgaussian_on_line(
        deficit,
        shift,
        default_plays,
        default_total,
        challenger_plays,
        challenger_total,
        default_cost + challenger_cost,
        rules.weight,
    )


@kernel
def sure_sum_subgaussian(
    challenger_plays: float, challenger_total: float, log_inverse_delta: float, r: float
) -> float:
    """Return the least sum of the challengers' means that their rewards do not refute."""
    allowed = log_inverse_delta - normal_cost(challenger_plays, r)
    return challenger_total - math.sqrt(2.0 * (challenger_plays + r) * allowed)


@kernel
def subgaussian_sum(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return the least sum of the challengers' means that is not refuted, at least 0."""
    return max(sure_sum_subgaussian(plays, total, rules.log_inverse_delta, rules.weight), 0.0)


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
    """Return the least budget that the rewards do not refute, over the noise scale.

    Minus infinity before the first default play, and where rewards are missing, so that totals are
    infinite. `allowed` is log(1/delta) less the `normal_cost` of both counts.
    """
    if default_plays == 0 or challenger_total == -math.inf:
        return -math.inf
    kappa = deficit / default_plays
    variance = variance_on_line(kappa, default_plays, challenger_plays, r)
    radius = math.sqrt(2.0 * variance * allowed)
    return challenger_total - kappa * default_total + shift - radius


@kernel
def subgaussian_budget(
    rules: JointRules,
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_plays: float,
    challenger_total: float,
    default_cost: float,
    challenger_cost: float,
) -> float:
    """Return the least budget that is not refuted."""
    return sure_budget_subgaussian(
        deficit,
        shift,
        default_plays,
        default_total,
        challenger_plays,
        challenger_total,
        rules.log_inverse_delta - default_cost - challenger_cost,
        rules.weight,
    )


@kernel
def fill_with_nothing(
    default_total: float,
    default_missing: float,
    challenger_total: float,
    challenger_missing: float,
) -> tuple[float, float]:
    """Return the totals if nothing is missing, and otherwise the worst: there are no bounds."""
    if default_missing > 0.0 or challenger_missing > 0.0:
        return math.inf, -math.inf
    return default_total, challenger_total


SUBGAUSSIAN: dict[Function, Function] = {
    leaves_cost: never,
    spread_of: no_spread,
    mixture: normal_mixture,
    evidence: subgaussian_evidence,
    sure_sum: subgaussian_sum,
    sure_budget: subgaussian_budget,
    fill_in: fill_with_nothing,
}
"""How this form fills the slots of the joint floor."""
