import math
import warnings
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import zeta as riemann

from floorline import Boundary, ConfidenceFloor, Policy, optimistic
from floorline.boundaries import BOUNDARIES
from floorline.boundaries.radius_table import fill_at_once, radius_table
from floorline.boundaries.stitched import STITCH_LEVEL
from floorline.boundaries.subgaussian import TABLE_SIZE, radius
from floorline.core.kernel import kernel

LEVELS = st.floats(30.0, 1e12)  # below, the simple psi grows faster than its count at first
COUNTS = st.integers(1, 10**9)

RADII = {name: kind.unit_radius for name, kind in BOUNDARIES.items() if kind.has_radius}


@pytest.mark.parametrize("name", RADII)
@given(level=LEVELS, seen=COUNTS)
def test_radius_is_positive_and_falls_with_the_count(name, level, seen):
    wide, narrow = RADII[name](level, seen), RADII[name](level, 2 * seen)
    assert wide > narrow > 0


@pytest.mark.parametrize("name", ["stitched", "union", "union-proved"])
@given(level=LEVELS, seen=COUNTS)
def test_intervals_nest_in_delta(name, level, seen):
    """The paper's psi, printed or programmed, does not: its slope falls as zeta grows."""
    assert RADII[name](2 * level, seen) > RADII[name](level, seen)


@pytest.mark.parametrize("name", RADII)
def test_radius_times_root_count_never_falls(name):
    """The proof of the certified warm-up and the regret bounds need it."""
    counts = np.unique(np.geomspace(1, 1e9, 2000).astype(int))
    for level in (6.0, 80.0, 4e4, 1e9):
        growth = [RADII[name](level, int(s)) * math.sqrt(s) for s in counts]
        assert np.all(np.diff(growth) >= 0)


def test_stitched_has_the_published_constants():
    assert pytest.approx(2 * riemann(1.4) / math.log(2) ** 1.4) == STITCH_LEVEL
    level = 1.4 * math.log(math.log(2 * 50)) + math.log(2 * riemann(1.4) / math.log(2) ** 1.4 * 80)
    factor = ((2**0.25 + 2**-0.25) / math.sqrt(2)) ** 2
    assert RADII["stitched"](80.0, 50) == pytest.approx(math.sqrt(factor * level / 50))


@pytest.mark.parametrize(
    ("name", "expected"),  # z = radius * sqrt(count) at zeta = 80, from reference calculations
    [
        ("stitched", (3.58, 4.13, 4.32, 4.44, 4.52)),
        ("authors", (3.94, 4.57, 4.87, 5.05, 5.17)),
        ("as-printed", (2.85, 3.11, 3.23, 3.31, 3.36)),
        ("union", (2.96, 4.75, 6.03, 7.09, 8.00)),
    ],
)
def test_radii_agree_with_an_independent_calculation(name, expected):
    found = [RADII[name](80.0, 10**k) * math.sqrt(10**k) for k in range(5)]
    assert found == pytest.approx(expected, abs=0.006)


def test_union_proved_has_the_constant_that_the_union_bound_gives():
    assert 2 * riemann(3) <= 2.4042
    psi = RADII["union-proved"](80.0, 7) ** 2 * 7
    assert psi == pytest.approx(2 * math.log(2.4042 * 80 * 7**3))


def test_noise_scale_multiplies_every_radius_but_the_printed_one():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in RADII:
            ratio = Boundary(name, noise_scale=3.0).radius(9, 80.0) / RADII[name](80.0, 9)
            assert ratio == pytest.approx(1.0 if name == "as-printed" else 3.0)


def test_arms_counted():
    for name, known, learned in (("stitched", 4, 5), ("authors", 5, 5), ("union", 4, 5)):
        boundary = Boundary(name, delta=0.1)
        assert boundary.inverse_error(5, default_known=True) == pytest.approx(known / 0.1)
        assert boundary.inverse_error(5, default_known=False) == pytest.approx(learned / 0.1)


def test_a_policy_counts_the_arms_whose_means_it_estimates():
    for default_mean, count in ((0.5, 4), (None, 5)):
        policy = Policy(optimistic(), ConfidenceFloor(0.1, default_mean), Boundary(delta=0.1))
        assert policy.prepare(5, 100).rules.boundary.inverse_error == pytest.approx(count / 0.1)


def test_as_printed_warns_where_it_is_wrong():
    with pytest.warns(UserWarning, match="as-printed"):
        Boundary("as-printed", noise_scale=1.0)
    Boundary("as-printed", noise_scale=0.7)


def test_authors_warns_below_six_and_is_refused_at_e():
    with pytest.warns(UserWarning, match="below 6"):
        Boundary("authors", delta=0.5).inverse_error(2, default_known=True)
    with pytest.raises(ValueError, match="above e"):
        Boundary("authors", delta=1.0).inverse_error(2, default_known=True)
    Boundary("authors", delta=2 / 6).inverse_error(2, default_known=True)


def test_table_and_formula_agree_beyond_the_table():
    boundary = Boundary("stitched", delta=0.05, noise_scale=0.5)
    rules = boundary.rules(5, default_known=True, horizon=100)
    assert rules.table.size == 101
    assert rules.table[0] == math.inf
    for seen in (1, 7, 100):
        assert radius(rules, seen) == boundary.radius(seen, 80.0)
    assert boundary.rules(5, True, 10**9).table.size == TABLE_SIZE


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"name": "gut feeling"}, "boundary"),
        ({"delta": 0.0}, "delta"),
        ({"delta": 1.5}, "delta"),
        ({"noise_scale": 0.0}, "noise_scale"),
        ({"noise_scale": math.inf}, "noise_scale"),
        ({"low": math.nan}, "low"),
    ],
)
def test_bad_input_is_named(options, named):
    with pytest.raises(ValueError, match=f"^{named}: must be"):
        Boundary(**options)


def test_a_boundary_goes_by_its_own_name(monkeypatch):
    monkeypatch.setitem(BOUNDARIES, "mine", BOUNDARIES["stitched"])
    with pytest.raises(ValueError, match=r"^boundary: 'stitched' must be .* not as 'mine'$"):
        Boundary("mine")


@kernel
def in_two_parts(inverse_error, seen):
    return 2.0 if seen < 5000 else math.log(inverse_error) / seen


@kernel
def with_a_power(inverse_error, seen):
    return inverse_error**-0.5 * seen**-0.51


@kernel
def of_whole_numbers(inverse_error, seen):
    return math.sqrt(1.0 + seen * seen * seen * seen * seen)


@kernel
def the_same_for_all(inverse_error, seen):
    return 1.0 / inverse_error


OWN = (in_two_parts, with_a_power, of_whole_numbers, the_same_for_all)


@pytest.mark.parametrize("formula", [*RADII.values(), *OWN])
def test_a_table_has_to_the_last_bit_what_the_formula_returns(formula):
    table = radius_table.__wrapped__(formula, 5e4, 0.3, 20_001)
    assert table.tolist() == [math.inf, *(0.3 * formula(5e4, seen) for seen in range(1, 20_001))]


@pytest.mark.parametrize("formula", [*RADII.values(), *OWN])
def test_a_table_is_filled_at_once_unless_bits_could_differ(formula):
    table = np.empty(100)
    expected = pytest.raises(TypeError) if formula in OWN[:3] else nullcontext()
    with expected:
        fill_at_once(table, formula, 80.0, 1.0)


def test_a_radius_that_is_no_number_is_an_error_in_a_table_too():
    with pytest.raises(ValueError, match="domain"):
        radius_table(RADII["union"], 0.5, 1.0, 10)


@pytest.mark.parametrize("numbers", [(0, 0), (-1, 0)])
def test_two_arms_never_have_the_same_share_of_delta(numbers):
    with pytest.raises(ValueError, match="numbers: must be"):
        Boundary(delta=0.1, numbers=numbers)
