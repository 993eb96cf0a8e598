"""The floors where the default may change."""

import numpy as np
import pytest

from floorline import Boundary, ConfidenceFloor, JointFloor, Policy, optimistic
from floorline.floors import JointSuccessionFloor, SuccessionFloor
from floorline.simulation.stepping import Stepper


@pytest.mark.parametrize(
    "floors", [(ConfidenceFloor, SuccessionFloor), (JointFloor, JointSuccessionFloor)]
)
def test_without_a_promotion_it_decides_as_the_floor_of_one_default(floors):
    boundary = Boundary("beta-binomial", delta=0.1)
    runs = [
        Stepper(
            Policy(optimistic(), floor(max_loss=0.2), boundary),
            3,
            400,
            np.random.default_rng(1),
            np.random.default_rng(2),
        )
        for floor in floors
    ]
    rng, explored = np.random.default_rng(3), 0
    for _ in range(400):
        one, other = (run.decide() for run in runs)
        assert one == other
        explored += one.arm > 0
        for arm in range(3):
            budgets = [run.guaranteed(arm) for run in runs]
            assert budgets[0] == pytest.approx(budgets[1], nan_ok=True)
        reward = float(rng.random() < (0.4, 0.3, 0.6)[one.arm])
        for run in runs:
            run.learn(one.arm, reward, one.fallback_probability)
    assert 50 < explored < 390


@pytest.mark.parametrize(
    ("options", "boundary", "named"),
    [
        ({}, Boundary(noise_scale=0.5), "form"),
        ({"form": "variance"}, Boundary("beta-binomial"), "form"),
        ({"weight": 0.5}, Boundary("beta-binomial"), "weight"),
        ({"default_mean": 0.5}, Boundary("beta-binomial"), "default_mean"),
    ],
)
def test_what_is_not_proved_of_several_defaults_is_refused(options, boundary, named):
    floor = JointSuccessionFloor(0.1, **options)
    with pytest.raises(ValueError, match=f"^{named}: .*where the default may change"):
        floor.settle(boundary, 100)
