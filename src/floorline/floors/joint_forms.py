"""The joint floor's formulas as slots: for rewards in a range, and for subgaussian noise.

Rewards are moved first: the range to [0, 1], or the least mean to 0 and the noise to scale 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from floorline.core.kernel import Function, kernel, slot
from floorline.floors.joint_evidence import (
    evidence_on_line,
    gamma_excess,
    normal_cost,
    subgaussian_on_line,
    sure_budget_bounded,
    sure_budget_subgaussian,
    sure_sum_bounded,
    sure_sum_subgaussian,
)


class JointRules(NamedTuple):
    """The settings of the joint floor's test, in the scale of moved rewards."""

    max_loss: float
    default_mean: float
    """NaN if it is learned."""
    low: float
    width: float
    """The range of rewards, or the noise scale."""
    shift: float
    """What a round adds to the budget because no mean is below `low`."""
    log_inverse_delta: float
    weight: float
    """rho or r: the weight of the mixture, in rewards or in plays."""
    start: float
    """`gamma_excess(weight)`."""
    saving: float
    """Plays of a default arm whose mean is known that add 1 to the budget; infinite if none do."""
    slack: float
    """The tolerance of one round, in plays of the default arm."""


class Tally(NamedTuple):
    """Plays of the default and of all challengers, and the sums of the rewards seen, moved."""

    default_plays: float
    default_seen: float
    default_total: float
    default_spread: float
    """With missing rewards at the worst; 0 if the form does not use the spread."""
    challenger_plays: float
    challenger_seen: float
    challenger_total: float
    challenger_spread: float


@slot
def leaves_cost(gain: float) -> bool:
    """Return whether a moved reward of this size leaves `mixture` and `sure_sum` unchanged."""
    raise NotImplementedError


@slot
def spread_of(gain: float, plays: float, total: float) -> float:
    """Return what a moved reward adds to the spread, after plays with this count and sum."""
    raise NotImplementedError


@slot
def mixture(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return what mixing adds to the evidence of the plays: a cost, so at most 0.

    A form whose evidence depends on the spread as a whole returns the spread instead.
    """
    raise NotImplementedError


@kernel
def hidden_evidence(
    rules: JointRules, plays: float, missing: float, total: float, spread: float
) -> float:
    """Return how much the missing rewards, whatever they are, may add to the cost of mixing."""
    if missing <= 0.0:
        return 0.0
    most = mixture(rules, plays, total + missing, spread)
    return mixture(rules, plays, total, spread) - most


@slot
def evidence(
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
    raise NotImplementedError


@slot
def sure_sum(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return the least sum of the challengers' means that is not refuted, at least 0."""
    raise NotImplementedError


@slot
def sure_budget(
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
    """Return the least budget that is not refuted; at least 0 where a challenger is allowed."""
    raise NotImplementedError


@slot
def fill_in(
    default_total: float,
    default_missing: float,
    challenger_total: float,
    challenger_missing: float,
) -> tuple[float, float]:
    """Return the sums of the default and of challengers, with missing rewards at the worst."""
    raise NotImplementedError


@kernel
def is_nothing(gain: float) -> bool:
    """The evidence of bounded rewards depends on their sum alone."""
    return gain == 0.0


@kernel
def no_spread(gain: float, plays: float, total: float) -> float:
    """Return 0: for forms that do not use the spread."""
    return 0.0


@kernel
def gamma_mixture(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """`mixture_cost`, half of it computed in advance."""
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
    """For rewards in [0, 1]."""
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
    """For rewards in [0, 1]."""
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
    """For rewards in [0, 1]."""
    sure = sure_budget_bounded(
        deficit,
        shift,
        default_plays,
        default_total,
        challenger_total,
        rules.log_inverse_delta - default_cost - challenger_cost,
        rules.weight,
    )
    return max(sure, 0.0) if deficit <= 0.0 else sure  # the counting rule


@kernel
def fill_with_bounds(
    default_total: float,
    default_missing: float,
    challenger_total: float,
    challenger_missing: float,
) -> tuple[float, float]:
    """A missing reward is 1 for the default and 0 for a challenger."""
    return default_total + default_missing, challenger_total


@kernel
def never(gain: float) -> bool:
    """For evidence that changes with every play."""
    return False


@kernel
def normal_mixture(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """For subgaussian noise of scale 1."""
    return normal_cost(plays, rules.weight)


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
    """For subgaussian noise of scale 1."""
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
def subgaussian_sum(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """For subgaussian noise of scale 1."""
    return max(sure_sum_subgaussian(plays, total, rules.log_inverse_delta, rules.weight), 0.0)


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
    """For subgaussian noise of scale 1."""
    sure = sure_budget_subgaussian(
        deficit,
        shift,
        default_plays,
        default_total,
        challenger_plays,
        challenger_total,
        rules.log_inverse_delta - default_cost - challenger_cost,
        rules.weight,
    )
    return max(sure, 0.0) if deficit <= 0.0 else sure  # the counting rule


@kernel
def fill_with_nothing(
    default_total: float,
    default_missing: float,
    challenger_total: float,
    challenger_missing: float,
) -> tuple[float, float]:
    """Without bounds nothing can be filled in: a tally with missing rewards proves nothing."""
    if default_missing > 0.0 or challenger_missing > 0.0:
        return math.inf, -math.inf
    return default_total, challenger_total


BOUNDED: dict[Function, Function] = {
    leaves_cost: is_nothing,
    spread_of: no_spread,
    mixture: gamma_mixture,
    evidence: bounded_evidence,
    sure_sum: bounded_sum,
    sure_budget: bounded_budget,
    fill_in: fill_with_bounds,
}
SUBGAUSSIAN: dict[Function, Function] = {
    leaves_cost: never,
    spread_of: no_spread,
    mixture: normal_mixture,
    evidence: subgaussian_evidence,
    sure_sum: subgaussian_sum,
    sure_budget: subgaussian_budget,
    fill_in: fill_with_nothing,
}
"""How these forms of the joint floor fill its slots."""
