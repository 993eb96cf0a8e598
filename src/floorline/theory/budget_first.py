"""BudgetFirst's regret bound: the cost of its warm-up, plus UCB's worst case."""

from __future__ import annotations

import math

from floorline.boundaries import Boundary
from floorline.core.checks import number
from floorline.policy_setup import PolicySetup
from floorline.theory.regret import final_boundary


def optimistic_regret(n_arms: int, rounds: int, boundary: Boundary) -> float:
    """Return UCB's worst-case regret when it knows the default mean: K + 2 sqrt(K s L(s)).

    The explicit R_worst of the paper (section on BudgetFirst), for means in [0, 1], while the
    intervals hold. The argument is in docs/errata.md, E9.

    >>> round(optimistic_regret(5, 10_000, Boundary(delta=1e-4)))
    2311
    """
    if rounds == 0:
        return 0.0
    challengers = n_arms - 1
    size = final_boundary(boundary, n_arms, rounds)
    return challengers + 2 * math.sqrt(challengers * rounds * size)


def budget_first_regret(setting: PolicySetup, default_gap: float | None = None) -> float:
    """Return BudgetFirst's regret bound: warm-up times the default's gap, plus UCB's worst case.

    >>> setting = PolicySetup(n_arms=5, horizon=10_000, default_mean=0.5, max_loss=0.5, delta=1e-4)
    >>> round(budget_first_regret(setting, default_gap=0.1))
    2262

    Args:
        setting: as for the policy.
        default_gap: how much worse than the best the default arm is; by default the worst
            possible, 1 - default_mean.
    """
    mean = number("default_mean", setting.default_mean, 0, 1)
    gap = number("default_gap", 1 - mean if default_gap is None else default_gap, 0, 1)
    boundary = setting.intervals()
    warm_up = setting.warming().rounds(setting.n_arms, setting.horizon, boundary)
    rest = setting.horizon - warm_up
    return warm_up * gap + optimistic_regret(setting.n_arms, rest, boundary)
