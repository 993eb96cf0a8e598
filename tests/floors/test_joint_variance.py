"""Evidence with empirical variance: the inequality it rests on, and the point of least evidence."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from floorline.floors.joint.variance import (
    COSTS,
    PRECISION,
    RATES,
    guess,
    joint_evidence_variance,
    one_sided,
    sure_budget_variance,
    sure_sum_variance,
)

UNIT = st.floats(0, 1)


@given(reward=UNIT, guessed=UNIT, i=st.integers(0, len(RATES) - 1), sign=st.sampled_from([-1, 1]))
def test_the_inequality_of_a_single_reward(reward, guessed, i, sign):
    """exp(rate x - cost x^2) <= 1 + rate x for x >= -1, on both sides."""
    x = sign * (reward - guessed)
    assert math.exp(RATES[i] * x - COSTS[i] * x * x) <= 1 + RATES[i] * x + 1e-12


@given(first=UNIT, second=UNIT, chance=UNIT, guessed=UNIT, sign=st.sampled_from([-1, 1]))
def test_each_step_is_a_supermartingale(first, second, chance, guessed, sign):
    """Rewards of two values whatever they are; the mean of the factor is at most 1."""
    mean = chance * first + (1 - chance) * second
    for rate, cost in zip(RATES, COSTS, strict=True):
        expected = sum(
            weight * math.exp(sign * rate * (x - mean) - cost * (x - guessed) ** 2)
            for weight, x in ((chance, first), (1 - chance, second))
        )
        assert expected <= 1 + 1e-12


def test_a_quarter_of_the_cost_is_caught():
    """Negative control of the test above: coins of chance 0.9, guessed well."""
    rate, cost = RATES[0], COSTS[0] / 4
    factors = [(0.9, 1.0), (0.1, 0.0)]
    expected = sum(w * math.exp(rate * (x - 0.9) - cost * (x - 0.9) ** 2) for w, x in factors)
    assert expected > 1.01


@given(
    deficit=st.floats(0.1, 500),
    default_plays=st.integers(1, 500),
    shares=st.tuples(UNIT, UNIT, UNIT, UNIT),
    challenger_plays=st.integers(0, 500),
    shift=st.sampled_from([0.0, 0.0, 5.0]),
)
def test_no_point_of_the_line_has_less_evidence(
    deficit, default_plays, shares, challenger_plays, shift
):
    default_total, default_spread = shares[0] * default_plays, shares[1] * default_plays
    challenger_total, challenger_spread = (
        shares[2] * challenger_plays,
        shares[3] * challenger_plays,
    )
    parts = deficit, shift, default_plays, default_total, default_spread
    found = joint_evidence_variance(*parts, challenger_total, challenger_spread)
    if deficit <= shift:
        assert found == math.inf
        return
    kappa = deficit / default_plays

    def line(mean_sum):
        ahead = challenger_total - kappa * mean_sum + shift
        default = one_sided(mean_sum - default_total, default_spread)[0]
        return one_sided(ahead, challenger_spread)[0] + default

    start = shift / kappa
    search = optimize.minimize_scalar(
        line, bounds=(start, default_plays), method="bounded", options={"xatol": 1e-9}
    )
    least = min(search.fun, *map(line, np.linspace(start, default_plays, 50)))
    assert found <= least + 1e-9
    assert found >= least - PRECISION - 1e-9


def test_the_counting_rule_and_the_first_play():
    """Where the default's plays suffice by themselves, voided challengers change nothing."""
    assert joint_evidence_variance(0.0, 0.0, 9, 9.0, 1.0, 0.0, 0.0) == math.inf
    assert joint_evidence_variance(-1.0, -3.0, 9, 9.0, 1.0, 0.0, 0.0) == math.inf
    assert joint_evidence_variance(0.0, -3.0, 0, 0.0, 0.0, 0.0, 0.0) == math.inf
    assert joint_evidence_variance(0.9, 0.0, 0, 0.0, 0.0, 0.0, 0.0) == -math.inf


@given(total=st.floats(0, 1000), spread=st.floats(0, 100), level=st.floats(0.1, 12))
def test_the_sure_sum(total, spread, level):
    found = sure_sum_variance(total, spread, level)
    assert 0 <= found <= total
    if found > 0:
        assert one_sided(total - found, spread)[0] >= level
    assert one_sided(total - found - 1e-6 * (1 + total), spread)[0] <= level or found < total


@settings(deadline=None)
@given(
    deficit=st.floats(0.1, 500),
    default_plays=st.integers(1, 500),
    shares=st.tuples(UNIT, UNIT, UNIT, UNIT),
    challenger_plays=st.integers(0, 500),
    level=st.floats(0.5, 12),
)
def test_the_sure_budget_has_just_enough_evidence(
    deficit, default_plays, shares, challenger_plays, level
):
    default = default_plays, shares[0] * default_plays, shares[1] * default_plays
    challengers = shares[2] * challenger_plays, shares[3] * challenger_plays
    found = sure_budget_variance(deficit, 0.0, *default, *challengers, level)
    assert found >= -deficit
    if found > -deficit:
        enough = joint_evidence_variance(deficit, -found, *default, *challengers)
        assert level <= enough
        more = found + 1e-6 * (1 + abs(found))
        less = joint_evidence_variance(deficit, -more, *default, *challengers)
        # No budget above the challengers' sum is looked at.
        assert less <= level + 3 * PRECISION or more >= challengers[0]


def test_less_spread_is_more_evidence():
    assert one_sided(5.0, 1.0)[0] > one_sided(5.0, 2.0)[0]
    assert one_sided(6.0, 1.0)[0] > one_sided(5.0, 1.0)[0]


def test_guesses_are_in_the_range():
    assert guess(0, 0.0) == 0.5
    assert 0 < guess(10, 0.0) < guess(10, 10.0) < 1
