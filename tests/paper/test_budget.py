import numpy as np

from floorline import Boundary, ConfidenceFloor, Gaussian, Policy, optimistic
from floorline.paper import budget
from floorline.simulation.stepping import step_through


def paper_picture():
    policy = Policy(
        optimistic(),
        ConfidenceFloor(budget.MAX_LOSS, budget.MEANS[0]),
        Boundary("stitched", budget.DELTA, budget.NOISE_SCALE),
    )
    arms = Gaussian(budget.MEANS, budget.NOISE_SCALE)
    return step_through(policy, arms, horizon=budget.ROUNDS, seed=budget.SEED)


def test_what_is_refused_is_what_is_not_guaranteed():
    run = paper_picture()
    assert set(run.refused) == set(np.flatnonzero((run.guaranteed < 0) & (run.candidate != 0)) + 1)
    assert np.all(run.arm[run.refused - 1] == 0)


def test_the_picture_has_both_kinds_of_steps_and_ends_ahead():
    run = paper_picture()
    assert len(run.refused) > 10
    assert np.sum(run.arm != 0) > 10
    earned = np.array(budget.MEANS)[run.arm].sum()
    assert earned > budget.MEANS[0] * budget.ROUNDS
