import json

import pytest

from floorline import Gaussian, PolicySetup, make_policy, summarize
from floorline.paper import run
from floorline.paper.sweeps import CONSERVATIVE, LEARNED, MEANS, MOSS, UCB, PaperRun, Point

SETTINGS = PaperRun(runs=200, seed=5)
LOSSES = (0.0, 0.05, 0.1, 0.15, 0.3, 1.0)


def test_one_simulation_counts_the_breaches_of_every_loss():
    (rows,) = run.produce([Point("alpha", UCB, "authors", LOSSES, 1000)], SETTINGS)
    rates = []
    for loss, row in zip(LOSSES, rows, strict=True):
        found = summarize(
            make_policy("ucb", PolicySetup(n_arms=5, horizon=1000, default_mean=0.5)),
            Gaussian(MEANS),
            horizon=1000,
            runs=200,
            seed=5,
            max_loss=loss,
            checkpoints=[100, 1000],
        )
        assert row.max_loss == loss
        assert row.mean == pytest.approx(found.pseudo_regret.mean[-1], rel=1e-12)
        assert row.standard_error == pytest.approx(found.pseudo_regret.standard_error[-1])
        assert row.breach_rate == found.breach_rate[-1]
        assert row.early_breach_rate == found.breach_rate[0]
        rates.append(row.breach_rate)
    assert rates[0] == 1 and 0 < rates[2] < 1 and rates[-1] == 0  # the test has something to see


@pytest.mark.parametrize("policy", [CONSERVATIVE, LEARNED, MOSS])
def test_floorline_simulate_gives_the_same_number(policy, floorline):
    point = Point("alpha", policy, "authors", (0.3,), 500)
    ((row,),) = run.produce([point], SETTINGS)
    name = run.POLICIES[policy].name
    done = floorline(
        "simulate",
        "--policy",
        name,
        "--means",
        ",".join(map(str, MEANS)),
        "--horizon",
        "500",
        "--runs",
        "200",
        "--seed",
        "5",
        "--max-loss",
        "0.3",
        "--delta",
        str(1 / 500),
        "--boundary",
        "authors",
        "--default-mean",
        "learned" if policy == LEARNED else "known",
        "--format",
        "json",
    )
    answer = json.loads(done.stdout)
    same = pytest.approx([row.mean, row.standard_error], rel=1e-12)
    assert list(answer["pseudo_regret"].values()) == same
    assert row.breach_rate == answer["breach_rate"]


def test_a_boundary_that_is_not_proved_warns_no_more_while_points_run():
    """Warnings are errors in tests: this would raise."""
    list(run.produce([Point("boundary", CONSERVATIVE, "as-printed", (0.3,), 100)], SETTINGS))
