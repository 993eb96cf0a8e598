"""The ends of the beta-binomial intervals, against the defining inequality in 50 digits."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln, gammaln

from floorline import Boundary
from floorline.boundaries import beta_binomial
from floorline.boundaries.beta_binomial import (
    beta_binomial_interval,
    beta_binomial_lower,
    beta_binomial_rules,
    beta_binomial_upper,
)
from floorline.core.compiler import compiled
from floorline.core.slots import interval, lower_end, upper_end

JEFFREYS = (0.5, 0.5)
COUNTS = st.one_of(st.integers(1, 50), st.integers(1, 10**9))
SHARES = st.one_of(
    st.floats(0, 1),
    st.floats(-9, 0).map(lambda power: 10**power),
    st.floats(-9, 0).map(lambda power: 1 - 10**power),
)
LEVELS = st.floats(0, 9).map(lambda power: 10**power)
PRIORS = st.sampled_from([JEFFREYS, (1.0, 1.0), (3.0, 97.0), (0.01, 5.0), (1.0, 999.0)])
GRID = [
    (seen, seen * share)
    for seen in (1, 2, 10, 137, 1000, 100_000, 10**7, 10**9)
    for share in (0.0, 1e-9, 1e-4, 0.03, 0.4, 0.5, 0.9, 1 - 1e-6, 1 - 1e-9, 1.0)
] + [(seen, total) for seen in (1, 10, 10**6) for total in (1e-300, 1e-30, 1e-17, 0.01, 1.0)]

NONE = np.zeros(0)


def bernoulli_numbers(last):
    found = [Fraction(1)]
    for m in range(1, last + 1):
        found.append(-sum(math.comb(m + 1, k) * found[k] for k in range(m)) / (m + 1))
    return found


BERNOULLI = bernoulli_numbers(32)
ULPS, CLOSE = Decimal("4e-16"), Decimal("1e-9")
ROUNDING, EACH = Decimal("1e-9"), Decimal("1e-15")
TINY = Decimal("1e-300")  # below, floats have fewer digits
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097")


def log_gamma(x):
    """log of the gamma function in 50 digits: Stirling's series beyond 100."""
    shift = Decimal(1)
    while x < 100:
        shift *= x
        x += 1
    series = sum(
        Decimal(b.numerator) / (b.denominator * k * (k - 1) * x ** (k - 1))
        for k, b in enumerate(BERNOULLI)
        if k >= 2 and b
    )
    return (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2 + series - shift.ln()


class Evidence:
    """The log of mixture over likelihood of a mean, less log(inverse_error), in 50 digits."""

    def __init__(self, seen, total, level, prior):
        self.up, self.down = Decimal(total), seen - Decimal(total)
        a, b = Decimal(prior[0]), Decimal(prior[1])
        self.mixture = log_gamma(a + self.up) + log_gamma(b + self.down) - log_gamma(a + b + seen)
        self.mixture += log_gamma(a + b) - log_gamma(a) - log_gamma(b) - Decimal(level).ln()

    def against(self, mean):
        """At least 0 where `mean` is ruled out."""
        found = self.mixture
        for count, share in ((self.up, mean), (self.down, 1 - mean)):
            if count and share <= 0:
                return Decimal("inf")
            found -= count * share.ln() if count else 0
        return found


def check_ends(seen, total, level, prior, ends):
    """Each end is outside the exact root up to rounding, and by hardly more than that.

    Rounding counts as if delta were larger by one part in 10^9, and one in 10^15 for each
    reward. How much further out an end may be is told up to two units in its last digit.
    """
    lower, upper = map(Decimal, ends)
    rounding = ROUNDING + seen * EACH
    with localcontext() as context:
        context.prec = 50
        evidence = Evidence(seen, total, level, prior)
        average = Decimal(total) / seen
        assert 0 <= lower <= average * (1 + ULPS)
        assert average * (1 - ULPS) <= upper <= 1
        assert lower < TINY or evidence.against(lower) >= -rounding
        assert upper == 1 or evidence.against(upper) >= -rounding
        if total > 0:
            inside = lower + CLOSE * (average - lower) + ULPS * average
            assert evidence.against(inside) < rounding
        if total < seen:
            inside = upper - CLOSE * (upper - average) - ULPS * upper
            assert evidence.against(max(inside, average)) < rounding


def test_the_independent_log_gamma_is_right():
    for x in (0.01, 0.5, 3.0, 99.5, 1234.5, 1e9):
        assert float(log_gamma(Decimal(x))) == pytest.approx(gammaln(x), rel=1e-14)


@pytest.mark.parametrize("level", [1.0, 40.0, 1e9])
@pytest.mark.parametrize("prior", [JEFFREYS, (3.0, 97.0)])
def test_ends_on_a_grid(prior, level):
    rules = beta_binomial_rules(level, prior, 0.0, 1.0)
    for seen, total in GRID:
        check_ends(seen, total, level, prior, beta_binomial_interval(rules, NONE, 0, seen, total))


@pytest.mark.parametrize(
    ("prior", "level", "seen", "total"),
    [
        ((3.0, 97.0), 40.0, 10**9, 10**9 - 100.0),  # once as if delta were half as large again
        ((1.0, 1.0), 1e6, 10**5, 10**5 - 1.0),
        (JEFFREYS, 1e6, 10, 9.5),
        (JEFFREYS, 40.0, 10**5, 10**5 - 0.5),
    ],
)
def test_upper_ends_near_1_are_rounded_outwards(prior, level, seen, total):
    """Where hardly anything is left of 1, half a unit in the last digit is a large part of it."""
    rules = beta_binomial_rules(level, prior, 0.0, 1.0)
    lower, upper = beta_binomial_interval(rules, NONE, 0, seen, total)
    assert 1 - 1e-13 < upper <= 1
    check_ends(seen, total, level, prior, (lower, upper))
    with pytest.raises(AssertionError):
        check_ends(seen, total, level, prior, (lower, math.nextafter(upper, 0)))


@given(seen=COUNTS, share=SHARES, level=LEVELS, prior=PRIORS, whole=st.booleans())
def test_ends_anywhere(seen, share, level, prior, whole):
    total = float(round(seen * share)) if whole else min(seen * share, float(seen))
    rules = beta_binomial_rules(level, prior, 0.0, 1.0)
    check_ends(seen, total, level, prior, beta_binomial_interval(rules, NONE, 0, seen, total))


def test_the_check_catches_ends_that_are_a_little_off():
    """Negative control."""
    rules = beta_binomial_rules(40.0, JEFFREYS, 0.0, 1.0)
    lower, upper = beta_binomial_interval(rules, NONE, 0, 1000, 30.0)
    check_ends(1000, 30.0, 40.0, JEFFREYS, (lower, upper))
    for ends in (
        (lower * (1 + 1e-9), upper),
        (lower * (1 - 1e-8), upper),
        (lower, upper * (1 - 1e-9)),
        (lower, upper * (1 + 1e-8)),
    ):
        with pytest.raises(AssertionError):
            check_ends(1000, 30.0, 40.0, JEFFREYS, ends)


def test_closed_forms_without_a_reward_and_with_all_of_them():
    for seen in (1, 10, 1000):
        rules = beta_binomial_rules(40.0, JEFFREYS, 0.0, 1.0)
        allowed = math.log(40) + betaln(0.5, 0.5) - betaln(0.5, 0.5 + seen)
        far = -math.expm1(-allowed / seen)
        assert beta_binomial_interval(rules, NONE, 0, seen, 0.0) == pytest.approx(
            (0, far), rel=1e-12
        )
        assert beta_binomial_interval(rules, NONE, 0, seen, seen) == pytest.approx(
            (1 - far, 1), rel=1e-12
        )


def test_newton_starts_outside_stays_there_and_needs_few_steps(monkeypatch):
    """Every iterate is a valid interval: with fewer steps the interval is wider, never narrower."""
    for level in (1.0, 40.0, 1e9):
        rules = beta_binomial_rules(level, JEFFREYS, 0.0, 1.0)
        for seen, total in GRID:
            ends = []
            for steps in (0, 1, 2, 4, 12):
                monkeypatch.setattr(beta_binomial, "STEPS", steps)
                ends.append(beta_binomial_interval(rules, NONE, 0, seen, total))
            for (lower, upper), (next_lower, next_upper) in pairwise(ends):
                assert lower <= next_lower * (1 + 1e-12)
                assert upper >= next_upper * (1 - 1e-12)
            assert ends[-1] == ends[-2]


@given(seen=COUNTS, share=SHARES, more=SHARES, level=LEVELS, prior=PRIORS)
def test_ends_rise_with_the_total(seen, share, more, level, prior):
    rules = beta_binomial_rules(level, prior, 0.0, 1.0)
    total = seen * share
    lower, upper = beta_binomial_interval(rules, NONE, 0, seen, total)
    higher = beta_binomial_interval(rules, NONE, 0, seen, total + (seen - total) * more)
    # Two ends, each too far out by no more than 1e-9 of the interval.
    slack = 2e-9 * (upper - lower)
    assert higher[0] >= lower - slack
    assert higher[1] >= upper - slack


@given(seen=COUNTS, share=SHARES, level=LEVELS, prior=PRIORS)
def test_intervals_nest_in_delta(seen, share, level, prior):
    narrow, wide = (
        beta_binomial_interval(
            beta_binomial_rules(one, prior, 0.0, 1.0), NONE, 0, seen, seen * share
        )
        for one in (level, 2 * level)
    )
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


@given(seen=COUNTS, share=SHARES, level=LEVELS)
def test_interval_is_both_ends(seen, share, level):
    rules = beta_binomial_rules(level, JEFFREYS, -5.0, 20.0)
    total = seen * (25 * share - 5)
    both = (
        beta_binomial_lower(rules, NONE, 0, seen, total),
        beta_binomial_upper(rules, NONE, 0, seen, total),
    )
    assert both == beta_binomial_interval(rules, NONE, 0, seen, total)


def test_a_total_outside_the_range_by_rounding_counts_as_its_end():
    rules = beta_binomial_rules(40.0, JEFFREYS, -5.0, 20.0)
    for seen in (3, 10**9):
        least, most = -5.0 * seen, 20.0 * seen
        off = 1e-15 * most
        at_least = beta_binomial_interval(rules, NONE, 0, seen, least)
        assert beta_binomial_interval(rules, NONE, 0, seen, least - off) == at_least
        at_most = beta_binomial_interval(rules, NONE, 0, seen, most)
        assert beta_binomial_interval(rules, NONE, 0, seen, most + off) == at_most
        assert (at_least[0], at_most[1]) == (-5.0, 20.0)


@given(seen=st.integers(1, 10**6), share=st.floats(0, 1), low=st.floats(-50, 50))
def test_another_range_is_the_unit_interval_rescaled(seen, share, low):
    unit = beta_binomial_rules(40.0, JEFFREYS, 0.0, 1.0)
    scaled = beta_binomial_rules(40.0, JEFFREYS, low, low + 25)
    expected = [low + 25 * end for end in beta_binomial_interval(unit, NONE, 0, seen, seen * share)]
    found = beta_binomial_interval(scaled, NONE, 0, seen, seen * (low + 25 * share))
    assert found == pytest.approx(expected, abs=1e-9)


def test_compiled_equals_interpreted():
    quick = compiled(beta_binomial_interval, {})
    for low, high in ((0.0, 1.0), (-5.0, 20.0)):
        rules = beta_binomial_rules(40.0, JEFFREYS, low, high)
        for seen, unit in GRID:
            total = seen * low + unit * (high - low)
            expected = beta_binomial_interval(rules, NONE, 0, seen, total)
            assert quick(rules, NONE, 0, seen, total) == pytest.approx(
                expected, rel=1e-12, abs=1e-14
            )


def test_a_boundary_fills_in_level_prior_and_range():
    boundary = Boundary("beta-binomial", 0.1, low=-1, high=3, prior=(2.0, 5.0))
    filled = boundary.kernels()
    for known, level in ((True, 40.0), (False, 50.0)):
        expected = beta_binomial_rules(level, (2.0, 5.0), -1, 3)
        assert boundary.rules(5, known, horizon=100) == expected
    assert filled[interval] is beta_binomial_interval
    assert filled[lower_end] is beta_binomial_lower
    assert filled[upper_end] is beta_binomial_upper


def test_it_has_no_radius():
    with pytest.raises(ValueError, match=r"^boundary: beta-binomial has no radius"):
        Boundary("beta-binomial").radius(10, 80.0)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"high": 0.0}, "high"),
        ({"low": 2.0}, "high"),
        ({"high": math.inf}, "high"),
        ({"prior": (0.0, 1.0)}, "prior"),
        ({"prior": (1.0, math.nan)}, "prior"),
        ({"prior": (1.0, 1001.0)}, "prior"),
        ({"prior": (1.0,)}, "prior"),
        ({"prior": 0.5}, "prior"),
    ],
)
def test_bad_input_is_named(options, named):
    with pytest.raises(ValueError, match=f"^{named}: must be"):
        Boundary("beta-binomial", **options)


def test_clicks_are_known_better_than_by_a_radius():
    """Why it is there: at 3% the interval is about a third as wide as the subgaussian one."""
    rules = beta_binomial_rules(40.0, JEFFREYS, 0.0, 1.0)
    lower, upper = beta_binomial_interval(rules, NONE, 0, 10_000, 300.0)
    radius = Boundary("stitched", noise_scale=0.5).radius(10_000, 40.0)
    assert np.isclose((upper - lower) / (2 * radius), 1 / 3, atol=0.05)
