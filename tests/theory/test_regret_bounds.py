"""Theorems 1 and 2: the formulas, and runs within them."""

import math
from typing import Any

import numpy as np
import pytest

from floorline import (
    BOUNDARIES,
    Boundary,
    Gaussian,
    Policy,
    PolicySetup,
    kernel,
    make_policy,
    simulate,
)
from floorline.proposers import Proposer
from floorline.theory import (
    budget_first_regret,
    expected_regret,
    final_boundary,
    floor_penalty,
    optimistic_regret,
    penalty_exponent,
    plays_bounds,
    problem_regret,
    worst_regret,
)

# Ten cases of 40 runs, each run outside its bound with a chance of at most DELTA: the odds of
# a false alarm in this file are below 4 in 10^7.
DELTA = 1e-9
RUNS = 40

RADII = [name for name, kind in BOUNDARIES.items() if kind.has_radius]


@pytest.mark.parametrize("name", RADII)
@pytest.mark.parametrize("delta", [0.3, 1e-4, 1e-12])
def test_no_radius_before_the_horizon_is_wider_than_the_final_boundary_allows(name, delta):
    boundary = Boundary(name, delta, noise_scale=0.5)
    zeta = boundary.inverse_error(5, default_known=True)
    counts = [1, 2, 3, 5, 10, 30, 100, 1000, 10**5, 10**8]
    sizes = [count * boundary.radius(count, zeta) ** 2 for count in counts]
    assert sizes == sorted(sizes)
    assert final_boundary(boundary, 5, 10**8) == sizes[-1]


def test_the_formulas_written_out():
    """K = 2, n = 1000, max_loss 0.2, default mean 0.5, gaps 0.1, 0 and 0.3."""
    setting = PolicySetup(n_arms=3, horizon=1000, default_mean=0.5, max_loss=0.2, delta=0.01)
    means = [0.5, 0.6, 0.3]
    size = final_boundary(Boundary(delta=0.01), 3, 1000)
    challengers = 4 * size / 0.3 + 0.3
    default = 2 * 3 * 0.1 / 0.1 + 8 * size / 0.1 * (0.1 / 0.1 + 0.1 / 0.3)
    assert math.isclose(problem_regret(setting, means), challengers + default)
    assert math.isclose(floor_penalty(setting, means), 8 * size / 0.1 * (1 + 1 / 3))
    printed = challengers + 6 + 6 * size / 0.1 * (1 + 1 / 3)
    assert math.isclose(problem_regret(setting, means, as_printed=True), printed)
    worst = 2 + 2 * math.sqrt(1000 * 2 * size) + (6 + 32 * size) / 0.1
    assert math.isclose(worst_regret(setting), worst)

    learned = PolicySetup(
        n_arms=3, horizon=1000, default_mean=0.5, max_loss=0.2, delta=0.01, learned=True
    )
    size = final_boundary(Boundary(delta=0.01), 3, 1000, default_known=False)
    rest = 4 * size / 0.3 + 0.3 + 6
    default = 16 * size / 0.1 + 0.1 + 8 * size / 0.1 * (1 + 1 / 3)
    assert math.isclose(problem_regret(learned, means), rest + default)
    printed = rest + 4 * size / 0.1 + 0.1 + 7 * size / 0.1 * (1 + 1 / 3)
    assert math.isclose(problem_regret(learned, means, as_printed=True), printed)
    worst = 2 + 2 * math.sqrt(2000 * size) + (6 + 32 * size) / 0.1 + 4 * math.sqrt(1000 * size) + 1
    assert math.isclose(worst_regret(learned), worst)


def test_in_expectation_delta_is_one_over_the_horizon_and_max_loss_a_little_less():
    means = [0.5, 0.6, 0.3]
    setting = PolicySetup(
        n_arms=3, horizon=1000, default_mean=0.5, max_loss=0.2, guarantee="expectation"
    )
    settled = PolicySetup(
        n_arms=3, horizon=1000, default_mean=0.5, max_loss=(0.2 - 1e-3) / (1 - 1e-3), delta=1e-3
    )
    assert math.isclose(expected_regret(setting, means), problem_regret(settled, means) + 0.3)


def test_a_best_default_arm_costs_nothing_itself():
    setting = PolicySetup(n_arms=3, horizon=1000, default_mean=0.5, max_loss=0.01, learned=True)
    assert floor_penalty(setting, [0.5, 0.4, 0.4]) == 0
    assert plays_bounds(setting, [0.5, 0.4, 0.5])[::2] == [math.inf, math.inf]


# --- runs within the bounds


CASES = [
    dict(means=[0.5, 0.6, 0.4, 0.4, 0.4], scale=0.05, max_loss=0.1, learned=False),
    dict(means=[0.5, 0.6, 0.4, 0.4, 0.4], scale=0.05, max_loss=0.1, learned=True),
    dict(means=[0.5, 0.52, 0.5, 0.0], scale=0.02, max_loss=0.3, learned=False),
    dict(means=[0.5, 0.52, 0.5, 0.0], scale=0.02, max_loss=0.3, learned=True),
    dict(means=[0.7, 0.6], scale=0.1, max_loss=0.02, learned=True),
]
HORIZON = 100_000


def setting_of(case, **changes):
    means = case["means"]
    return PolicySetup(
        **{
            "n_arms": len(means),
            "horizon": HORIZON,
            "default_mean": means[0],
            "learned": case["learned"],
            "max_loss": case["max_loss"],
            "delta": DELTA,
            "noise_scale": case["scale"],
            **changes,
        }
    )


@pytest.mark.parametrize("case", CASES)
def test_every_run_of_conservative_ucb_stays_within_theorems_1_and_2(case):
    setting = setting_of(case)
    found = simulate(
        make_policy("conservative-ucb", setting),
        Gaussian(case["means"], case["scale"]),
        horizon=HORIZON,
        runs=RUNS,
    )
    worst = found.pseudo_regret.max()
    assert 0 < worst <= problem_regret(setting, case["means"])
    assert worst <= worst_regret(setting)
    assert found.pseudo_regret.mean() <= expected_regret(setting, case["means"])
    assert np.all(found.plays[:, -1] <= plays_bounds(setting, case["means"]))


@pytest.mark.parametrize("case", CASES[::2])
@pytest.mark.parametrize("form", ["certified", "certain"])
def test_every_run_of_budget_first_stays_within_its_bound(case, form):
    means = case["means"]
    setting = setting_of(case, warm_up=form)
    found = simulate(
        make_policy("budget-first", setting),
        Gaussian(means, case["scale"]),
        horizon=HORIZON,
        runs=RUNS,
    )
    bound = budget_first_regret(setting, max(means) - means[0])
    assert found.pseudo_regret.max() <= bound <= budget_first_regret(setting)
    assert bound >= optimistic_regret(setting.n_arms, 1, setting.intervals())


@kernel
def never_explore(rules: Any, arms: Any, memory: Any, round: int, rng: Any) -> int:
    return 0


def test_a_policy_that_never_explores_is_not_within_them():
    """The control: the bounds are far from the regret of a good policy, but not void."""
    case = CASES[0]
    setting = setting_of(case, horizon=400_000)
    policy = Policy(Proposer(never_explore), setting.confidence_floor(), setting.intervals())
    environment = Gaussian(case["means"], case["scale"])
    found = simulate(policy, environment, horizon=400_000, runs=2)
    assert found.pseudo_regret.min() > problem_regret(setting, case["means"])
    assert found.pseudo_regret.min() > budget_first_regret(setting, 0.1)


# --- the remark on small max_loss


def test_the_penalty_grows_with_the_exponent_given_and_not_with_the_printed_one():
    """max_loss n^-1/2, the default n^-1/4 and one challenger 1/4 worse than the best arm."""

    def penalty(n):
        means = [0.75 - n**-0.25, 0.75, 0.5]
        setting = PolicySetup(
            n_arms=3, horizon=n, default_mean=means[0], max_loss=n**-0.5, delta=1e-300
        )
        return floor_penalty(setting, means)

    growth = math.log(penalty(10**16) / penalty(10**12)) / math.log(10**4)
    assert abs(growth - penalty_exponent(0.5, 0.25, 0.0)) < 0.02
    assert growth > penalty_exponent(0.5, 0.25, 0.0, as_printed=True) + 0.2


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        (dict(max_loss=0.0), "max_loss"),
        (dict(default_mean=0.0), "default_mean"),
        (dict(default_mean=1.5), "default_mean"),
        (dict(fallback="best-lower"), "fallback"),
        (dict(low=-1.0), "low"),
    ],
)
def test_conditions_of_the_theorems_are_checked(changes, name):
    setting = PolicySetup(**{"n_arms": 3, "horizon": 100, "default_mean": 0.5, **changes})
    with pytest.raises(ValueError, match=f"^{name}: must be "):
        worst_regret(setting)


@pytest.mark.parametrize("means", [[0.5, 0.6], [0.5, 0.6, 1.2], [0.5, 0.6, -0.1], [0.4, 0.6, 0.1]])
def test_means_that_do_not_fit_the_setting_are_refused(means):
    setting = PolicySetup(n_arms=3, horizon=100, default_mean=0.5)
    with pytest.raises(ValueError, match=r"^means: must be "):
        problem_regret(setting, means)
