"""The formulas of the joint floor against brute force."""

import math
import random

import numpy as np
import pytest
from evidence import joint_evidence_bounded, joint_evidence_subgaussian, log_evidence
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate, optimize, special, stats

from floorline.floors.joint.budget import sure_budget_bounded
from floorline.floors.joint.evidence import (
    default_deficit,
    divergence,
    gamma_excess,
    least_refuted,
    mixture_cost,
    sure_sum_bounded,
)
from floorline.floors.joint.subgaussian_form import (
    normal_cost,
    sure_budget_subgaussian,
    sure_sum_subgaussian,
)

KAPPAS = st.floats(-6, 5).map(lambda power: 10**power)
TOTALS = st.one_of(st.just(0.0), st.floats(-2, 5).map(lambda power: 10**power))
RHOS = st.floats(0.5, 50)


def as_printed(mean_sum, total, rho):
    """The formula of the derivation, term by term."""
    found = mean_sum + rho * math.log(rho) - special.gammaln(rho) + special.gammaln(rho + total)
    return found - (rho + total) * math.log(rho + mean_sum)


@pytest.mark.parametrize("x", [0.1, 0.5, 1, 2, 6, 9.99, 10, 10.01, 30, 1e3, 1e6])
def test_the_excess_of_log_gamma(x):
    exact = special.gammaln(x) - x * math.log(x) + x
    assert gamma_excess(x) == pytest.approx(exact, abs=1e-11 + 1e-15 * x * math.log(x + 1))


@given(mean_sum=TOTALS, total=TOTALS, rho=RHOS)
def test_the_evidence_is_the_formula(mean_sum, total, rho):
    expected = as_printed(mean_sum, total, rho)
    size = (rho + total + mean_sum) * math.log(rho + total + mean_sum + 2)
    assert log_evidence(mean_sum, total, rho) == pytest.approx(expected, abs=1e-14 * size + 1e-10)


@pytest.mark.parametrize(("mean_sum", "total", "rho"), [(3, 7, 6), (10, 2.5, 4), (0, 3, 1)])
def test_the_evidence_is_a_mixture(mean_sum, total, rho):
    def weighted(theta):
        prior = stats.gamma.pdf(theta, rho, scale=1 / rho)
        return theta**total * math.exp(-(theta - 1) * mean_sum) * prior

    whole, _ = integrate.quad(weighted, 0, math.inf)
    assert log_evidence(mean_sum, total, rho) == pytest.approx(math.log(whole), abs=1e-8)


def on_line(mean_sum, kappa, shift, default_total, challenger_total, rho):
    challengers = log_evidence(max(kappa * mean_sum - shift, 0.0), challenger_total, rho)
    return challengers + log_evidence(mean_sum, default_total, rho)


@given(
    kappa=KAPPAS,
    default_total=TOTALS,
    spare=st.one_of(st.just(0.0), TOTALS, st.just(1e7)),
    challenger_total=TOTALS,
    rho=RHOS,
    shift=st.one_of(st.just(0.0), st.floats(0, 1000), st.floats(-1000, 0)),
)
@example(kappa=1e-6, default_total=0.0, spare=1e7, challenger_total=1.0, rho=6.0, shift=0.0)
@example(kappa=1e5, default_total=0.0, spare=1e7, challenger_total=1e5, rho=6.0, shift=0.0)
@example(kappa=0.5, default_total=40.0, spare=1e7, challenger_total=0.0, rho=6.0, shift=300.0)
def test_no_point_of_the_line_has_less_evidence(
    kappa, default_total, spare, challenger_total, rho, shift
):
    default_plays = math.ceil(default_total + spare)
    deficit = kappa * default_plays
    evidence = joint_evidence_bounded(
        deficit, shift, default_plays, default_total, challenger_total, rho
    )
    if deficit <= max(shift, 0.0):
        assert evidence == math.inf
        return
    if not challenger_total > deficit / default_plays * default_total - shift:
        assert evidence == -math.inf
        return
    kappa = deficit / default_plays
    parts = (kappa, shift, default_total, challenger_total, rho)
    start, top = max(shift / kappa, 0.0), float(default_plays)
    best = least_refuted(kappa, shift, default_plays, default_total, challenger_total, rho)
    assert start <= best <= top
    likely = 2 * max(default_total, (challenger_total + shift) / kappa, 1.0)
    search = optimize.minimize_scalar(
        lambda mean_sum: on_line(mean_sum, *parts),
        bounds=(start, min(top, likely)) if likely > start else (start, top),
        method="bounded",
        options={"xatol": 1e-12 * likely},
    )
    nearby = np.minimum(start + (best - start) * np.geomspace(0.5, 2, 41), top)
    least = min(search.fun, *(on_line(value, *parts) for value in (start, top, *nearby)))
    size = rho + default_total + challenger_total + kappa * best + best + abs(shift)
    assert evidence <= least + 1e-13 * size
    assert evidence == pytest.approx(on_line(best, *parts), abs=1e-13 * size)


@given(data=st.data(), kappa=st.floats(0.01, 100), shift=st.sampled_from([0.0, -9.0, 3.0, 40.0]))
def test_every_negative_budget_has_the_evidence_of_the_line(data, kappa, shift):
    """The minimum over the region is on its edge."""
    default_total = data.draw(st.floats(0, 100))
    challenger_total = data.draw(st.floats(0, 300))
    found = joint_evidence_bounded(kappa * 1000, shift, 1000, default_total, challenger_total, 6.0)
    if math.isinf(found):
        return
    default_sum = data.draw(st.floats(0, 1000))
    line = kappa * default_sum - shift
    if line <= 0:
        return
    challenger_sum = data.draw(st.floats(0, 1)) * line
    evidence = log_evidence(challenger_sum, challenger_total, 6.0)
    assert evidence + log_evidence(default_sum, default_total, 6.0) >= found - 1e-9


def brute_force_budget(kappa, default_total, challenger_total, log_inverse_delta, rho):
    """The least challenger_sum - kappa default_sum of the pairs that are not refuted."""

    def allowed(default_sum):
        return log_inverse_delta - log_evidence(default_sum, default_total, rho)

    def least_challenger_sum(default_sum):
        def excess(value):
            return log_evidence(value, challenger_total, rho) - allowed(default_sum)

        if excess(challenger_total) > 0:
            return math.inf
        if excess(0.0) <= 0:
            return 0.0
        return optimize.brentq(excess, 0.0, challenger_total, xtol=1e-13)

    def budget(default_sum):
        value = least_challenger_sum(default_sum)
        return value - kappa * default_sum if value < math.inf else 1e9 + default_sum

    grid = np.linspace(0, 8 * (default_total + 20), 4001)
    best = grid[int(np.argmin([budget(value) for value in grid]))]
    step = grid[1]
    found = optimize.minimize_scalar(
        budget,
        bounds=(max(best - step, 0), best + step),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return min(found.fun, budget(best))


def sure_budget(deficit, shift, default_plays, default_total, challenger_total, level, rho):
    allowed = level - mixture_cost(default_total, rho) - mixture_cost(challenger_total, rho)
    parts = deficit, shift, default_plays, default_total, challenger_total
    return sure_budget_bounded(*parts, allowed, rho)


def test_the_budget_of_the_derivation():
    """Clipped afterwards instead of inside the equation it would be -2.58."""
    found = sure_budget(0.3 * 1000, 0.0, 1000, 3.0, 2.0, 3.0, 6.0)
    assert found == pytest.approx(brute_force_budget(0.3, 3.0, 2.0, 3.0, 6.0), abs=1e-4)
    assert found == pytest.approx(-3.7722, abs=1e-4)


@pytest.mark.parametrize("kappa", [-3.0, -0.2, 1e-3, 0.3, 1.0, 7.0])
@pytest.mark.parametrize(("default_total", "challenger_total"), [(0, 1), (3, 2), (40, 90), (9, 0)])
def test_the_budget_against_brute_force(kappa, default_total, challenger_total):
    plays = 10_000
    found = sure_budget(
        kappa * plays, 0.0, plays, float(default_total), float(challenger_total), 3.0, 6.0
    )
    exact = brute_force_budget(kappa, default_total, challenger_total, 3.0, 6.0)
    assert found == pytest.approx(exact, abs=1e-3 * (1 + abs(kappa)))
    assert found <= exact + 1e-6


def halved_budget(kappa, default_plays, default_total, challenger_total, allowed, rho):
    """The budget of docs/joint-floor.md, point 11, by halvings alone, and who is at a limit."""
    x, y, most = rho + challenger_total, rho + default_total, rho + default_plays

    def sums(nu):
        tilt = 1 - kappa * nu
        return max(x / (1 + nu), rho), max(y / tilt, rho) if tilt * most > y else most

    low, high = 0.0, 1e9
    while high - low > 1e-15 * high:
        nu = (low + high) / 2
        low, high = (nu, high) if sum(map(divergence, (x, y), sums(nu))) < allowed else (low, nu)
    a, b = sums(high)
    return a - rho - kappa * (b - rho), (a == rho, b in (rho, most))


def test_the_budget_wherever_sums_reach_their_limits():
    rng, met = random.Random(1), set()
    for _ in range(2000):
        plays = 10 ** rng.randrange(1, 5)
        totals = plays * rng.random() ** 3, rng.choice([0.0, 10 ** rng.uniform(-1, 4)])
        kappa = rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 1)
        rest = rng.uniform(0.5, 30), rng.choice([0.1, 6.0, 50.0])
        exact, limits = halved_budget(kappa, plays, *totals, *rest)
        met.add((limits, kappa > 0))
        found = sure_budget_bounded(kappa * plays, 0.0, plays, *totals, *rest)
        size = 1 + totals[1] + abs(kappa) * totals[0]
        assert exact - 1e-8 * size <= found <= exact + 1e-9 * size
    assert len(met) == 8, "the cases do not show everything"


@given(
    deficit=st.floats(0.01, 1000),
    default_plays=st.integers(1, 2000),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    shift=st.sampled_from([0.0, 0.0, 2.0, -1.0, -40.0]),  # below 0: challengers were voided
    log_inverse_delta=st.floats(0.7, 12),
    rho=RHOS,
)
def test_a_candidate_is_affordable_when_the_budget_is_sure(
    deficit, default_plays, shares, shift, log_inverse_delta, rho
):
    default_total, challenger_total = shares[0] * default_plays, shares[1] * 3000
    parts = deficit, shift, default_plays, default_total, challenger_total
    evidence = joint_evidence_bounded(*parts, rho)
    budget = sure_budget(*parts, log_inverse_delta, rho)
    if abs(evidence - log_inverse_delta) > 1e-6 and abs(budget) > 1e-6:
        assert (evidence >= log_inverse_delta) == (budget >= 0)


@given(
    deficit=st.floats(0.01, 1000),
    plays=st.tuples(st.integers(1, 2000), st.integers(0, 2000)),
    totals=st.tuples(st.floats(-100, 1000), st.floats(-100, 1000)),
    log_inverse_delta=st.floats(0.7, 12),
    r=st.floats(1, 1000),
)
def test_the_same_for_subgaussian_noise(deficit, plays, totals, log_inverse_delta, r):
    parts = deficit, 0.0, plays[0], totals[0], plays[1], totals[1]
    evidence = joint_evidence_subgaussian(*parts, r)
    allowed = log_inverse_delta - normal_cost(plays[0], r) - normal_cost(plays[1], r)
    budget = sure_budget_subgaussian(*parts, allowed, r)
    if abs(budget) > 1e-6 * (1 + abs(totals[0]) + abs(totals[1])):
        assert (evidence >= log_inverse_delta) == (budget >= 0)


def test_subgaussian_evidence_is_the_least_on_the_line():
    deficit, default_plays, default_total, challenger_plays, challenger_total, r = (
        40.0,
        100,
        30.0,
        80,
        70.0,
        100.0,
    )

    def normal_evidence(mean_sum, total, plays):
        return 0.5 * ((total - mean_sum) ** 2 / (plays + r) - math.log((plays + r) / r))

    def line(default_sum):
        challengers = normal_evidence(0.4 * default_sum, challenger_total, challenger_plays)
        return challengers + normal_evidence(default_sum, default_total, default_plays)

    found = joint_evidence_subgaussian(
        deficit, 0.0, default_plays, default_total, challenger_plays, challenger_total, r
    )
    assert found == pytest.approx(optimize.minimize_scalar(line).fun, abs=1e-9)


@given(total=TOTALS, rho=RHOS, log_inverse_delta=st.floats(0.01, 30))
def test_the_sure_sum_is_outside_and_close(total, rho, log_inverse_delta):
    found = sure_sum_bounded(total, log_inverse_delta, rho)
    assert 0 <= found <= total
    slack = 1e-12 * (rho + total)
    if found > 0:
        evidence = log_evidence(found, total, rho)
        assert evidence >= log_inverse_delta - 1e-9 - slack
        assert evidence <= log_inverse_delta + 1e-6 * (1 + log_inverse_delta) + slack
    else:
        assert log_evidence(0.0, total, rho) <= log_inverse_delta + 1e-6


def test_the_sure_sum_of_subgaussian_rewards():
    found = sure_sum_subgaussian(50, 40.0, 3.0, 100.0)
    assert found == pytest.approx(40 - math.sqrt(150 * (6 + math.log(1.5))))


def test_the_counting_rule_and_the_first_play():
    assert default_deficit(0.1, 10, 9) == 0.0
    assert default_deficit(0.1, 9, 8) > 0.0
    assert joint_evidence_bounded(0.0, 0.0, 9, 9.0, 0.0, 6.0) == math.inf
    assert joint_evidence_subgaussian(0.0, 0.0, 9, 9.0, 0, 0.0, 100.0) == math.inf
    assert joint_evidence_bounded(0.9, 0.0, 0, 0.0, 0.0, 6.0) == -math.inf
    assert joint_evidence_subgaussian(0.9, 0.0, 0, 0.0, 0, 0.0, 100.0) == -math.inf
    assert sure_budget(0.9, 0.0, 0, 0.0, 0.0, 3.0, 6.0) == -0.9


@given(low=st.floats(0, 5), width=st.floats(0.1, 10), max_loss=st.floats(0.01, 0.9), data=st.data())
def test_a_range_above_zero_shifts_the_line(low, width, max_loss, data):
    """The budget in the user's units is the width times the sum on the unit range."""
    default_plays = data.draw(st.integers(1, 50))
    challenger_plays = data.draw(st.integers(0, 50))
    mean = data.draw(st.floats(0, 1))
    challenger_sum = data.draw(st.floats(0, 1)) * challenger_plays
    rounds = default_plays + challenger_plays + 1
    earned = default_plays * (low + width * mean) + challenger_plays * low
    earned += width * challenger_sum + low
    budget = earned - (1 - max_loss) * rounds * (low + width * mean)
    deficit = default_deficit(max_loss, rounds, default_plays)
    shift = max_loss * rounds * low / width
    assert budget == pytest.approx(width * (challenger_sum - deficit * mean + shift), abs=1e-8)
