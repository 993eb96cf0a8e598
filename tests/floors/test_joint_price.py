"""What the joint floor costs, by the limits that it was accepted by. Seeded.

With three seeds each average was at least 5.5 standard errors inside its limit, for the confidence
floor, as negative control, outside: with seven limits and as many controls another seed raises an
alarm with probability below 1e-6.
"""

import pytest

from floorline import Bernoulli, Delayed, Gaussian, PolicySetup, make_policy, simulate

PAPER = Gaussian([0.5, 0.6, 0.4, 0.4, 0.4])


def regret_a_round(learned, delta, floor="joint"):
    setup = PolicySetup.of(PAPER, 10_000, learned=learned, delta=delta, floor=floor)
    found = simulate(make_policy("conservative-ucb", setup), PAPER, horizon=10_000, runs=2000)
    return found.pseudo_regret[:, -1].mean() / 10_000


@pytest.mark.parametrize(
    ("learned", "delta", "limit"),
    [(False, 1e-4, 0.054), (True, 1e-4, 0.060), (False, 0.05, 0.034), (True, 0.05, 0.038)],
)
def test_regret_on_the_papers_instance(learned, delta, limit):
    """Negative control: the confidence floor does not pass."""
    assert regret_a_round(learned, delta) < limit
    assert regret_a_round(learned, delta, "confidence") > limit


def share_of_the_best(means, runs, floor="joint", **late):
    environment = Delayed(Bernoulli(means), **late) if late else Bernoulli(means)
    options = {"learned": True, "delta": 0.05, "boundary": "beta-binomial", "floor": floor}
    policy = make_policy("conservative-ucb", PolicySetup.of(environment, 50_000, **options))
    found = simulate(policy, environment, horizon=50_000, runs=runs)
    return found.plays[:, -1, 1].mean() / 50_000


@pytest.mark.parametrize(
    ("means", "runs", "late", "limit"),
    [
        ([0.03, 0.04], 320, {}, 0.90),
        ([0.03, 0.04, 0.02, 0.02, 0.02], 512, {}, 0.74),
        ([0.03, 0.04], 72, {"delay": 1000, "lost": 0.001}, 0.78),
    ],
)
def test_share_of_the_better_page(means, runs, late, limit):
    """Clicks, 50,000 decisions, the default's mean learned; the confidence floor as control."""
    assert share_of_the_best(means, runs, **late) > limit
    assert share_of_the_best(means, 32, "confidence", **late) < limit
