import math

import numpy as np
import pytest

from floorline import Gaussian, Policy, simulate, unbalanced_moss
from floorline.proposers import on_frontier, paper_targets


def test_the_papers_targets_are_on_the_frontier_for_all_sizes():
    for n_arms in (2, 3, 5, 31):
        for horizon in (1, 10, 10_000, 10**6):
            for loss in (0.0, 0.01, 0.1, 1.0):
                for programmed in (False, True):
                    targets = paper_targets(n_arms, horizon, loss, 0.5, as_programmed=programmed)
                    assert on_frontier(targets, horizon)


def test_the_programs_targets_count_arms_as_the_program_does():
    first, *others = paper_targets(5, 10_000, 0.1, 0.5, as_programmed=True)
    assert others == [math.sqrt(5 * 10_000) + 5 / 0.05] * 4
    assert first == pytest.approx(4 * 10_000 / others[0])
    first, *others = paper_targets(5, 10_000, 0.1, 0.5)
    assert others == [math.sqrt(4 * 10_000) + 4 / 0.05] * 4


def test_targets_below_the_frontier_are_refused():
    with pytest.raises(ValueError, match="regret_targets: must be on or above the Pareto"):
        unbalanced_moss([10.0, 10.0], horizon=10_000)
    with pytest.raises(ValueError, match="regret_targets"):
        unbalanced_moss([-1.0, 10.0], horizon=10_000)


def test_equal_targets_give_moss():
    """B = sqrt(nK) for all arms: each arm's bonus is sqrt((4 / T) log+(n / (K T)))."""
    horizon, n_arms = 900, 4
    rules = unbalanced_moss([math.sqrt(horizon * n_arms)] * n_arms, horizon).rules
    assert rules.patience == pytest.approx([horizon / n_arms] * n_arms)


def test_without_any_loss_it_plays_only_the_default():
    targets = paper_targets(3, 500, 0.0, 0.5)
    policy = Policy(unbalanced_moss(targets, 500))
    found = simulate(policy, Gaussian([0.5, 0.9, 0.9]), horizon=500, runs=5, max_loss=0.1)
    assert (found.plays[:, -1] == [500, 0, 0]).all()


def test_a_small_target_for_the_default_means_little_regret_when_it_is_best():
    horizon = 5000
    policy = Policy(unbalanced_moss([horizon ** (1 / 3), horizon ** (2 / 3)], horizon))
    best_default = simulate(policy, Gaussian([0.6, 0.3]), horizon=horizon, runs=100, max_loss=0.1)
    best_other = simulate(policy, Gaussian([0.3, 0.6]), horizon=horizon, runs=100, max_loss=0.1)
    assert np.mean(best_default.pseudo_regret) < np.mean(best_other.pseudo_regret) / 5
