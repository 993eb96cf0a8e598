"""The least budget that several groups of plays do not refute, against brute force."""

import math

import numpy as np
import pytest
from evidence import log_evidence
from scipy import special

from floorline.floors.joint.budget import sure_budget_bounded
from floorline.floors.joint.groups import least_sum

RHO = 6.0


def found(groups, level):
    """The floor's answer for groups of a weight, a total, missing rewards and plays."""
    memory = [0.0, *(float(number) for group in groups for number in group)]
    return least_sum(memory, 1, len(groups), level, RHO)


def worst_sums(group, evidence):
    """Return the worst sum of means with at most this `evidence` against it, by bisection."""
    weight, total, missing, plays = group
    best = np.full(evidence.shape, np.nan)
    for part in np.linspace(0, 1, 13 if missing else 1):
        earned = total + part * missing
        near = np.full(evidence.shape, earned)
        far = np.full(evidence.shape, 0.0 if weight > 0 else float(plays))
        for _ in range(50):
            middle = 0.5 * (near + far)
            against = middle - earned + special.gammaln(RHO + earned) - special.gammaln(RHO)
            against += RHO * math.log(RHO) + earned - (RHO + earned) * np.log(RHO + middle)
            refuted = against > evidence
            near, far = np.where(refuted, near, middle), np.where(refuted, middle, far)
        possible = log_evidence(earned, earned, RHO) <= evidence
        sums = np.where(possible, far, np.nan)  # `far` is refuted, or at its limit
        best = np.fmin(best, sums) if weight > 0 else np.fmax(best, sums)
    return best


def brute_force(groups, level, steps=80):
    """Try every way to split the evidence among three groups."""
    most = [group[1] + group[2] for group in groups]
    costs = [log_evidence(total, total, RHO) for total in most]
    free = level - sum(costs)
    shares = np.linspace(0, 1, steps + 1)
    one, other = np.meshgrid(shares, shares)
    parts = [one, (1 - one) * other, (1 - one) * (1 - other)]
    worth = sum(
        group[0] * worst_sums(group, cost + free * part**2 / sum(p**2 for p in parts))
        for group, cost, part in zip(groups, costs, parts, strict=True)
    )
    return np.nanmin(worth)


@pytest.mark.parametrize("seed", range(8))
def test_the_least_budget_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    for missing in (0, 12):
        groups = [(1.0, rng.uniform(0, 80), missing, 1000)]
        for _ in range(2):
            plays = int(rng.integers(20, 400))
            weight = rng.choice([-1, 1]) * 10 ** rng.uniform(-1.5, 1)
            groups.append((weight, rng.uniform(0, 0.7) * plays, missing, plays))
        level = rng.uniform(0.7, 8)
        exact, answer = brute_force(groups, level), found(groups, level)
        scale = sum(abs(weight) * (RHO + total) for weight, total, _, _ in groups)
        assert answer <= exact + 1e-9 * scale
        assert answer >= exact - (5e-4 if missing else 5e-5) * scale


def test_missing_rewards_may_take_evidence_away():
    """Filled in at the lowest, the first group would refute what its rewards may yet support."""
    late, none, other = (1.0, 0.0, 500, 1000), (0.0, 0.0, 0, 1), (-1000.0, 0.0, 0, 10)
    exact, answer = (ask([late, other, none], 3.0) for ask in (brute_force, found))
    assert answer <= exact
    assert answer >= 1.05 * exact
    assert found([(1.0, 0.0, 0, 1000), other, none], 3.0) > exact + 100, "the case shows nothing"


def test_two_groups_are_the_ordinary_budget():
    rng = np.random.default_rng(3)
    for _ in range(300):
        plays = int(10 ** rng.uniform(0, 4))
        default, challengers = rng.uniform() ** 2 * plays, 10 ** rng.uniform(-1, 4)
        deficit, level = plays * 10 ** rng.uniform(-2, 2) * rng.choice([-1, 1]), rng.uniform(0.5, 9)
        costs = sum(log_evidence(total, total, RHO) for total in (default, challengers))
        ordinary = sure_budget_bounded(
            deficit, 0.0, plays, default, challengers, level - costs, RHO
        )
        groups = [(1.0, challengers, 0, 10**5), (-deficit / plays, default, 0, plays)]
        assert found(groups, level) == pytest.approx(ordinary, rel=1e-8, abs=1e-8 * abs(deficit))


def test_nothing_is_undefined_at_the_edges():
    nothing = (1.0, 0.0, 0, 0)
    assert found([nothing], 3.0) == 0
    assert found([nothing, (-0.5, 0.0, 0, 10)], 1e3) == pytest.approx(-5)
    assert found([nothing, (-0.5, 10.0, 0, 10)], 1.0) == pytest.approx(-5)  # always the highest
    assert found([(1.0, 5.0, 0, 9), (0.0, 3.0, 2, 9)], 3.0) < 5
    assert found([(1.0, 5.0, 10**6, 10**7)], 3.0) == pytest.approx(found([(1.0, 5.0, 0, 9)], 3.0))


def wide_groups(rng):
    """Groups of all sizes, some with hardly any weight, some with missing rewards alone."""
    groups = []
    for number in range(rng.integers(2, 6)):
        plays = int(10 ** rng.uniform(0, 5))
        missing = int(plays * rng.choice([0, 0, 0.01, 1]))
        weight = rng.choice([-1, 1]) * 10 ** rng.uniform(-10, 4) if number else 1.0
        groups.append((weight, rng.uniform() ** 4 * (plays - missing), missing, plays))
    return groups


def test_what_the_rewards_say_is_never_refuted():
    """With hardly any weight on one group and the others at a limit, the search must not go astray.

    Means that are just what was earned have no evidence against them, missing rewards being 1.
    """
    rng = np.random.default_rng(4)
    nearly_even = (-1.0098969833647436e-08, 110.0, 0, 9902)  # 11,001 decisions, max_loss 0.0999
    owed, late = (-4336.5819, 0.0, 2, 2), (0.0999, 0.0, 10, 10)
    cases = [[(1.0, 297.0, 5, 5000), nearly_even, owed, late]]
    cases += [wide_groups(rng) for _ in range(1500)]
    for groups in cases:
        earned = sum(weight * (total + missing) for weight, total, missing, _ in groups)
        scale = sum(abs(weight) * (total + missing) for weight, total, missing, _ in groups)
        least = sum(min(weight, 0.0) * plays for weight, _, _, plays in groups)
        assert least - 1e-9 * scale <= found(groups, 3.0) <= earned + 1e-9 * scale
