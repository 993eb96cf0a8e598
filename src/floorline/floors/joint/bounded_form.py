"""The joint floor for rewards in a range, rescaled to [0, 1]."""

from __future__ import annotations

from floorline.core.kernel import Function, kernel
from floorline.floors.joint.budget import sure_budget_bounded
from floorline.floors.joint.evidence import evidence_on_line, gamma_excess, sure_sum_bounded
from floorline.floors.joint.forms import (
    JointRules,
    evidence,
    fill_in,
    fill_with_bounds,
    leaves_cost,
    mixture,
    no_spread,
    spread_of,
    sure_budget,
    sure_sum,
)


@kernel
def is_nothing(gain: float) -> bool:
    """Return whether a reward is 0: the evidence of bounded rewards depends on their sum alone."""
    return gain == 0.0


@kernel
def gamma_mixture(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return `mixture_cost`, half of it computed in advance."""
    return gamma_excess(rules.weight + total) - rules.start


@kernel
def bounded_evidence(
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
    return evidence_on_line(
        deficit,
        shift,
        default_plays,
        default_total,
        default_cost,
        challenger_total,
        challenger_cost,
        rules.weight,
    )


@kernel
def bounded_sum(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return the least sum of the challengers' means that is not refuted."""
    return sure_sum_bounded(total, rules.log_inverse_delta, rules.weight)


@kernel
def bounded_budget(
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
    return sure_budget_bounded(
        deficit,
        shift,
        default_plays,
        default_total,
        challenger_total,
        rules.log_inverse_delta - default_cost - challenger_cost,
        rules.weight,
    )


BOUNDED: dict[Function, Function] = {
    leaves_cost: is_nothing,
    spread_of: no_spread,
    mixture: gamma_mixture,
    evidence: bounded_evidence,
    sure_sum: bounded_sum,
    sure_budget: bounded_budget,
    fill_in: fill_with_bounds,
}
"""How this form fills the slots of the joint floor."""
