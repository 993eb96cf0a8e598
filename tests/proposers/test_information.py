"""Information-directed sampling, against the same numbers worked out with NumPy."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from floorline import Bernoulli, Policy, beta_thompson, information_directed, simulate
from floorline.core.records import new_arms
from floorline.proposers.information import best_share, informed_arm, informed_chance, ratio_of
from floorline.proposers.posterior import pair_after, posterior_draw, posterior_of, seed_of


def drawn(arms, round, draws):
    """Return all draws of a round: draws x arms."""
    number, rows = seed_of(arms, round), []
    for _ in range(draws):
        row = []
        for i in range(len(arms.plays)):
            number, x, y = pair_after(number)
            row.append(posterior_draw(*posterior_of(0.0, 0.0, 1.0, arms, i), x, y))
        rows.append(row)
    return np.array(rows)


@pytest.mark.parametrize("seed", range(10))
def test_it_draws_between_the_two_arms_of_the_smallest_ratio(seed):
    rng = np.random.default_rng(seed)
    arms = new_arms(4)
    arms.plays[:] = arms.seen[:] = rng.integers(1, 60, 4)
    arms.total[:] = rng.binomial(arms.seen, 0.4)
    proposer = information_directed(4)
    memory, round = np.zeros(proposer.memory_size(4)), int(arms.plays.sum()) + 1
    found = informed_arm(proposer.rules, arms, memory, round, rng)
    chances = [informed_chance(proposer.rules, arms, memory, found, i) for i in range(4)]

    draws = drawn(arms, round, proposer.rules.draws)
    best, means = draws.argmax(axis=1), draws.mean(axis=0)
    gaps = draws.max(axis=1).mean() - means
    information = sum(
        np.mean(best == k) * (draws[best == k].mean(axis=0) - means) ** 2 for k in set(best)
    )

    def ratio(chances):
        return (chances @ gaps) ** 2 / (chances @ information)

    assert sum(chances) == pytest.approx(1) and chances[found] > 0
    grid = [
        ratio(q * np.eye(4)[i] + (1 - q) * np.eye(4)[j])
        for i in range(4)
        for j in range(4)
        for q in np.linspace(0, 1, 201)
    ]
    assert ratio(np.array(chances)) <= min(grid) * (1 + 1e-9)


def test_the_best_share_is_where_scipy_finds_it():
    for values in ([0.9, 0.1, 1.0, 0.01], [0.2, 0.1, 0.05, 0.02], [0.1, 0.4, 0.2, 0.6]):
        gap, other_gap, information, other = values

        def ratio(q, v=values):
            return ratio_of(v[1] + q * (v[0] - v[1]), v[3] + q * (v[2] - v[3]))

        own = min(ratio(q) for q in (0.0, 1.0, best_share(gap, other_gap, information, other)))
        exact = minimize_scalar(ratio, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
        assert own <= exact.fun * (1 + 1e-6)


def test_it_loses_less_than_thompson_sampling():
    """On 150 runs of either the means differ by over 8 standard errors."""
    environment = Bernoulli([0.3, 0.5, 0.2, 0.2, 0.2])
    regret = [
        simulate(Policy(proposer), environment, horizon=1000, runs=150, max_loss=0.1).pseudo_regret
        for proposer in (information_directed(5), beta_thompson())
    ]
    informed, thompson = (one.mean() for one in regret)
    error = np.hypot(*(one.std() / np.sqrt(150) for one in regret))
    assert informed < thompson - 5 * error
