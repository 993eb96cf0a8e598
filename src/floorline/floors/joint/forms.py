"""What the forms of the joint floor differ in, as slots.

`bounded_form.py` is for rewards in a range, `subgaussian_form.py` for subgaussian noise, and
`spread_form.py` for rewards well inside their range. Rewards are rescaled first: the range to
[0, 1], or the least mean to 0 and the noise to scale 1.
"""

from __future__ import annotations

from typing import NamedTuple

from floorline.core.kernel import kernel, slot


class JointRules(NamedTuple):
    """The settings of the joint floor's test, in the scale of rescaled rewards."""

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
    """Plays of the default and of all challengers, and the sums of the rewards seen, rescaled."""

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
    """Return whether a rescaled reward of this size leaves `mixture` and `sure_sum` unchanged."""
    raise NotImplementedError


@slot
def spread_of(gain: float, plays: float, total: float) -> float:
    """Return what a rescaled reward adds to the spread, after plays with this count and sum."""
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
    """Return the least budget that is not refuted, without the counting rule."""
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
def no_spread(gain: float, plays: float, total: float) -> float:
    """Return 0: for forms that do not use the spread."""
    return 0.0


@kernel
def never(gain: float) -> bool:
    """Return False: for evidence that changes with every play."""
    return False


@kernel
def fill_with_bounds(
    default_total: float,
    default_missing: float,
    challenger_total: float,
    challenger_missing: float,
) -> tuple[float, float]:
    """Return the totals with a missing reward as 1 for the default and 0 for a challenger."""
    return default_total + default_missing, challenger_total
