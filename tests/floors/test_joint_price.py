"""What the joint floor costs: seeded, and the same with any other seed.

Limits are those that the floor was accepted by. Over other seeds each average is more than five
standard errors inside its limit, as the test asserts: false alarms below 1e-6 for all together.
"""

import numpy as np
import pytest

from floorline import Bernoulli, Delayed, Gaussian, PolicySetup, make_policy, simulate

PAPER = Gaussian([0.5, 0.6, 0.4, 0.4, 0.4])
ERRORS = 5.2


def setup_for(environment, horizon, learned, delta, floor="joint", boundary="stitched"):
    return PolicySetup(
        n_arms=len(environment.means), horizon=horizon, default_mean=environment.means[0],
        learned=learned, delta=delta, floor=floor, boundary=boundary, bounded=environment.bounded,
    )  # fmt: skip


def mean_and_error(values):
    return values.mean(), values.std() / np.sqrt(values.size)


def regret_a_round(learned, delta, floor="joint"):
    policy = make_policy("conservative-ucb", setup_for(PAPER, 10_000, learned, delta, floor))
    found = simulate(policy, PAPER, horizon=10_000, runs=2000)
    assert (found.first_breach > 0).mean() <= delta
    return mean_and_error(found.pseudo_regret[:, -1] / 10_000)


@pytest.mark.parametrize(
    ("learned", "delta", "limit"),
    [(False, 1e-4, 0.054), (True, 1e-4, 0.060), (False, 0.05, 0.034), (True, 0.05, 0.038)],
)
def test_regret_on_the_papers_instance(learned, delta, limit):
    """Negative control: the confidence floor does not pass."""
    mean, error = regret_a_round(learned, delta)
    assert mean + ERRORS * error < limit
    mean, error = regret_a_round(learned, delta, "confidence")
    assert mean - ERRORS * error > limit


def share_of_the_best(means, runs, floor="joint", **late):
    environment = Delayed(Bernoulli(means), **late) if late else Bernoulli(means)
    setup = setup_for(environment, 50_000, True, 0.05, floor, "beta-binomial")
    found = simulate(make_policy("conservative-ucb", setup), environment, horizon=50_000, runs=runs)
    assert (found.first_breach > 0).mean() <= 0.05
    return mean_and_error(found.plays[:, -1, 1] / 50_000)


@pytest.mark.parametrize(
    ("means", "runs", "late", "limit"),
    [
        ([0.03, 0.04], 288, {}, 0.90),
        ([0.03, 0.04, 0.02, 0.02, 0.02], 320, {}, 0.74),
        ([0.03, 0.04], 64, {"delay": 1000, "lost": 0.001}, 0.78),
    ],
)
def test_share_of_the_better_page(means, runs, late, limit):
    """Clicks, 50,000 decisions, the default's mean learned; the confidence floor as control."""
    mean, error = share_of_the_best(means, runs, **late)
    assert mean - ERRORS * error > limit
    mean, error = share_of_the_best(means, 32, "confidence", **late)
    assert mean + ERRORS * error < limit
