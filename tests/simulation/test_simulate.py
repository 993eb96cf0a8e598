import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from floorline import (
    Bernoulli,
    Boundary,
    Case,
    ConfidenceFloor,
    Gaussian,
    Policy,
    PolicySetup,
    classical_ucb,
    make_policy,
    optimistic,
    simulate,
    summarize,
    sweep,
)

ARMS = Gaussian([0.5, 0.6, 0.4])
FLOOR = Policy(optimistic(), ConfidenceFloor(0.1, default_mean=0.5), Boundary(delta=0.01))
UCB = Policy(classical_ucb())


def test_run_results_do_not_depend_on_how_many_runs_or_threads_there_are():
    few = simulate(FLOOR, ARMS, horizon=500, runs=40, threads=1)
    many = simulate(FLOOR, ARMS, horizon=500, runs=200, threads=4)
    assert np.array_equal(few.plays, many.plays[:40])


def test_checkpoints_do_not_change_a_run():
    plain = simulate(FLOOR, ARMS, horizon=500, runs=40)
    often = simulate(FLOOR, ARMS, horizon=500, runs=40, checkpoints=range(1, 501))
    assert np.array_equal(plain.plays[:, -1], often.plays[:, -1])
    assert np.array_equal(plain.first_breach, often.first_breach)
    assert np.array_equal(plain.lowest_budget[:, -1], often.lowest_budget[:, -1])


def test_another_seed_gives_other_runs():
    a = simulate(UCB, ARMS, horizon=500, runs=40, seed=1, max_loss=0.1)
    b = simulate(UCB, ARMS, horizon=500, runs=40, seed=2, max_loss=0.1)
    assert not np.array_equal(a.plays, b.plays)


def test_lowest_budget_and_first_breach_follow_from_the_plays():
    found = simulate(UCB, ARMS, horizon=300, runs=64, checkpoints=range(1, 301), max_loss=0.1)
    means = np.array(ARMS.means)
    budget = (found.plays * (means - 0.9 * 0.5)).sum(axis=2)
    assert found.lowest_budget == pytest.approx(np.minimum.accumulate(budget, axis=1))
    below = budget < -1e-9 * 0.5 * found.checkpoints
    first = np.where(below.any(axis=1), below.argmax(axis=1) + 1, 0)
    assert np.array_equal(found.first_breach, first)
    assert 0 < (first > 0).sum() < 64


@pytest.mark.parametrize("environment", [Gaussian([0.5, 0.6], 0.8), Bernoulli([0.5, 0.6])])
def test_rewards_received_have_the_mean_of_the_arms_played(environment):
    """Rows of default rounds are drawn at once. Within 6 standard errors: below 1e-8."""
    policy = Policy(optimistic(), ConfidenceFloor(0.2, default_mean=0.5), Boundary())
    found = simulate(policy, environment, horizon=400, runs=4000, rewards=True)
    earned = found.plays[:, -1] @ np.array(environment.means)
    gap = (found.rewards[:, -1] - earned) / np.sqrt(400)
    scale = 0.8 if isinstance(environment, Gaussian) else 0.5
    assert gap.mean() == pytest.approx(0, abs=6 * scale / np.sqrt(4000))
    assert gap.std() == pytest.approx(scale, rel=0.1)


def test_a_summary_is_the_same_in_chunks_as_from_all_runs():
    options = {"horizon": 50, "runs": 20_000, "checkpoints": [10, 50], "max_loss": 0.1}
    every = simulate(UCB, ARMS, rewards=True, **options)
    whole, chunked = every.summary(), summarize(UCB, ARMS, rewards=True, **options)
    for name in ("pseudo_regret", "lowest_budget", "rewards"):
        mine, theirs = getattr(whole, name), getattr(chunked, name)
        assert np.array_equal(mine.mean, theirs.mean)
        assert np.array_equal(mine.standard_error, theirs.standard_error)
        values = getattr(every, name)
        assert mine.mean == pytest.approx(values.mean(axis=0))
        assert mine.standard_error == pytest.approx(values.std(axis=0, ddof=1) / np.sqrt(20_000))
        assert np.array_equal(mine.min, values.min(axis=0))
        for share in (0.0, 0.01, 0.5, 0.99, 1.0):
            exact = np.quantile(values, share, axis=0, method="inverted_cdf")
            assert mine.quantile(share) == pytest.approx(exact, rel=1e-3, abs=1e-9)
    assert np.array_equal(whole.plays, chunked.plays)
    breached = every.first_breach[:, None]
    shares = ((breached > 0) & (breached <= [10, 50])).mean(axis=0)
    assert np.array_equal(whole.breach_rate, shares)


def test_a_million_runs_with_ten_checkpoints_fit_in_two_gigabytes():
    """Memory does not grow with the horizon, so a short one will do."""
    program = """
import numpy as np, resource
from floorline import *
arms = Gaussian([0.5, 0.6, 0.4, 0.4, 0.4])
policy = Policy(optimistic(), ConfidenceFloor(0.1, default_mean=0.5), Boundary())
found = simulate(policy, arms, horizon=10, runs=1_000_000, checkpoints=range(1, 11))
assert found.plays.shape == (1_000_000, 10, 5)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert int(done.stdout) * 1024 < 2e9, done.stderr


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    from floorline.simulation.engines.cpu import CpuEngine

    def fail(*_):
        raise RuntimeError("out of order")

    monkeypatch.setattr(CpuEngine, "_block", fail)
    with pytest.raises(RuntimeError, match="out of order"):
        simulate(FLOOR, ARMS, horizon=10, runs=100, device="python")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": 2.5}, "horizon"),
        ({"runs": 0}, "runs"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads"),
        ({"device": "abacus"}, "device"),
        ({"checkpoints": [5, 5]}, "checkpoints"),
        ({"checkpoints": [0]}, "checkpoints"),
        ({"checkpoints": [101]}, "checkpoints"),
        ({"checkpoints": []}, "checkpoints"),
        ({"max_loss": 1.5}, "max_loss"),
        ({"policy": UCB}, "max_loss"),
        ({"environment": Gaussian([0.4, 0.5])}, "default_mean"),
        ({"environment": Gaussian([0.5, -0.1])}, "means"),
        ({"policy": UCB, "max_loss": 0.1, "environment": Gaussian([-0.5, 0.1])}, "means"),
    ],
)
def test_bad_input_is_named(changes, named):
    options = {"policy": FLOOR, "environment": ARMS, "horizon": 100, "runs": 4} | changes
    with pytest.raises(ValueError, match=rf"^{named}: must be"):
        simulate(**options)


def test_quantiles_that_nobody_wants_are_left_out_and_nothing_else():
    case = Case(UCB, ARMS, horizon=50, max_loss=0.1, checkpoints=[10, 50])
    found, lean = sweep([case, case._replace(quantiles=False)], runs=200)
    assert np.array_equal(found.breach_rate, lean.breach_rate)
    for name in ("mean", "standard_error", "min", "max"):
        one, other = getattr(found.pseudo_regret, name), getattr(lean.pseudo_regret, name)
        assert np.array_equal(one, other)
    assert (found.pseudo_regret.quantile(0.5) > 0).all()
    with pytest.raises(ValueError, match=r"^quantiles: must be asked for"):
        lean.pseudo_regret.quantile(0.5)


CLICKS = Bernoulli([0.3, 0.4])


@pytest.mark.parametrize(
    "name", ["thompson", "conservative-thompson-votes", "bayes-ucb", "information-directed"]
)
def test_a_posterior_that_nobody_chose_is_warned_of_where_rewards_are_clicks(name):
    """Its regret would be three times that of the Beta posterior, and look right."""
    given = {"horizon": 20, "max_loss": 0.1}
    plain = PolicySetup(n_arms=2, horizon=20, default_mean=0.3)
    for run in (simulate, summarize):
        with pytest.warns(UserWarning, match=r"PolicySetup\.of\(environment, horizon\)") as caught:
            run(make_policy(name, plain), CLICKS, runs=2, **given)
        assert [each.filename for each in caught] == [__file__]
        # Said on purpose, or told by the environment, or right: nothing to warn of.
        run(make_policy(name, replace(plain, bounded=False)), CLICKS, runs=2, **given)
        run(make_policy(name, PolicySetup.of(CLICKS, 20)), CLICKS, runs=2, **given)
        run(make_policy(name, plain), Gaussian([0.3, 0.4]), runs=2, **given)
