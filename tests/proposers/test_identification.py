"""lil'UCB and the A/B test: what the manager would do otherwise."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from floorline import Gaussian, Policy, ab_test, lil_ucb, simulate


def test_theoretical_constants():
    """d solves 4 sqrt(c d) + 4 c d = delta; lambda is ((2 + beta) / beta)^2."""
    rules = lil_ucb(5, delta=0.1).rules
    c = (2.01 / 0.01) * (1 / math.log(1.01)) ** 1.01
    assert 4 * math.sqrt(c * rules.level) + 4 * c * rules.level == pytest.approx(0.1)
    assert rules.share == 9.0
    assert rules.factor == pytest.approx(2 * (1 + math.sqrt(0.01)) * math.sqrt(2 * 1.01))


@pytest.mark.parametrize("form", ["theoretical", "heuristic"])
def test_lil_ucb_commits_and_is_right_as_often_as_promised(form):
    """Wrong no more often than delta = 0.05 in 300 runs; false alarm below 1e-8."""
    arms = Gaussian([0.2, 0.9, 0.1], 0.3)
    points = [3000, 4000]
    found = simulate(
        Policy(lil_ucb(3, 0.05, 0.3, form)),
        arms,
        horizon=4000,
        runs=300,
        max_loss=0.1,
        checkpoints=points,
    )
    late = found.plays[:, 1] - found.plays[:, 0]
    assert (np.sort(late, axis=1)[:, -1] == 1000).all(), "each run has settled on one arm"
    wrong = (late.argmax(axis=1) != 1).sum()
    assert wrong <= binom.isf(1e-8, 300, 0.05)


def test_lil_ucb_stops_by_its_rule():
    found = simulate(
        Policy(lil_ucb(3, 0.05, 0.3)),
        Gaussian([0.2, 0.9, 0.1], 0.3),
        horizon=4000,
        runs=20,
        max_loss=0.1,
        checkpoints=range(1, 4001),
    )
    for run in range(20):
        steps = np.diff(found.plays[run], axis=0)
        other = np.flatnonzero(steps.argmax(axis=1) != 1)[-1] + 1  # the last time another is tried
        counts = found.plays[run, other]
        assert counts[1] < 1 + 9 * (counts.sum() - counts[1])


def test_the_test_shares_traffic_as_told_then_commits():
    arms = Gaussian([0.5, 0.9, 0.5], 0.3)
    found = simulate(
        Policy(ab_test(3, 2000, 0.1, 0.05, 0.3)),
        arms,
        horizon=3000,
        runs=200,
        max_loss=0.1,
        checkpoints=[2000, 3000],
    )
    shares = found.plays[:, 0].mean(axis=0) / 2000
    # 400,000 rounds in all: six standard errors are below 0.003
    assert shares == pytest.approx([0.9, 0.05, 0.05], abs=0.003)
    after = found.plays[:, 1] - found.plays[:, 0]
    assert (after[:, 1] == 1000).all()


def test_without_a_winner_the_default_is_kept():
    """Equal arms: a challenger wins no more often than delta; false alarm below 1e-8."""
    arms = Gaussian([0.5, 0.5, 0.5], 0.3)
    found = simulate(
        Policy(ab_test(3, 1000, 0.2, 0.05, 0.3)),
        arms,
        horizon=1100,
        runs=1000,
        max_loss=0.1,
        checkpoints=[1000, 1100],
    )
    after = found.plays[:, 1] - found.plays[:, 0]
    kept = (after[:, 0] == 100).sum()
    assert 1000 - kept <= binom.isf(1e-8, 1000, 0.05)
    assert kept < 1000  # the test does make mistakes


def test_nothing_tested_nothing_won():
    for share, duration in ((0.0, 100), (0.5, 0)):
        found = simulate(
            Policy(ab_test(2, duration, share)),
            Gaussian([0.5, 0.9]),
            horizon=200,
            runs=3,
            max_loss=0.1,
        )
        assert (found.plays[:, -1] == [200, 0]).all()


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: lil_ucb(1), "n_arms"),
        (lambda: lil_ucb(3, delta=0.0), "delta"),
        (lambda: lil_ucb(3, form="lucky"), "lil_ucb"),
        (lambda: ab_test(3, -1), "duration"),
        (lambda: ab_test(3, 10, share=1.5), "share"),
    ],
)
def test_bad_input_is_named(make, named):
    with pytest.raises(ValueError, match=rf"^{named}: must be"):
        make()
