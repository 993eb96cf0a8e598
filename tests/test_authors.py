"""Our numbers against those of the authors' own program (tests/data/authors_regret.csv).

Each row may differ by 5.5 combined standard errors plus 1e-5 relative: a correct build
fails a row with probability 4e-8. Soak, since tests/paper/test_authors_program.py compares the
same rows in every test run, with another seed, by way of the figures' points.
"""

import csv
import math
from pathlib import Path

import pytest

from floorline import Gaussian, PolicySetup, make_policy, summarize

pytestmark = pytest.mark.soak

with open(Path(__file__).parent / "data" / "authors_regret.csv", newline="") as file:
    ROWS = list(csv.DictReader(file))


def label(row):
    return f"{row['policy']} n={row['horizon']} loss={row['max_loss']}"


def simulated(row, **changes):
    means = [float(mean) for mean in row["means"].split()]
    name, _, learned = row["policy"].partition(", default mean ")
    options = {"boundary": "authors"} | changes
    setting = PolicySetup(
        n_arms=len(means),
        horizon=int(row["horizon"]),
        default_mean=means[0],
        learned=learned == "learned",
        max_loss=float(row["max_loss"]),
        delta=1 / int(row["horizon"]),
        **options,
    )
    runs = 4000 if setting.horizon <= 10_000 else 1000
    found = summarize(
        make_policy(name, setting),
        Gaussian(means),
        horizon=setting.horizon,
        runs=runs,
        seed=2016,
        max_loss=setting.max_loss,
    ).pseudo_regret
    return float(found.mean[0]), float(found.standard_error[0])


def agrees(row, mean, error):
    theirs, their_error = float(row["mean_pseudo_regret"]), float(row["standard_error"])
    return abs(mean - theirs) <= 5.5 * math.hypot(error, their_error) + 1e-5 * theirs


@pytest.mark.parametrize("row", ROWS, ids=label)
def test_the_authors_numbers_are_reproduced(row):
    assert agrees(row, *simulated(row))


def test_another_radius_is_noticed():
    """Negative control: the proved boundary gives other numbers than the authors' radius."""
    row = next(row for row in ROWS if label(row) == "conservative-ucb n=10000 loss=0.1")
    assert not agrees(row, *simulated(row, boundary="stitched"))
