import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorline import Boundary, ConfidenceFloor, Gaussian, Policy, optimistic, simulate
from floorline.core.records import new_arms
from floorline.floors.confidence import ConfidenceRules, confidence_budget, rounds_to_save


def first_exploration(max_loss, default_mean=0.5, horizon=None):
    """The first round of run 0 in which a challenger is played; 0 if none."""
    horizon = horizon or math.ceil(1 / max_loss) + 5
    policy = Policy(optimistic(), ConfidenceFloor(max_loss, default_mean), Boundary())
    found = simulate(
        policy, Gaussian([default_mean, 0.4]), horizon=horizon, runs=1,
        checkpoints=range(1, horizon + 1),
    )  # fmt: skip
    explored = np.flatnonzero(found.plays[0, :, 1])
    return int(explored[0]) + 1 if explored.size else 0


@pytest.mark.parametrize("default_mean", [0.5, 0.1, 1.0, 0.3, 7.7])
def test_the_first_exploration_is_at_round_ceil_of_one_over_max_loss(default_mean):
    """The budget is exactly zero there; rounding must not shift it by a round."""
    for whole in range(1, 101):
        assert first_exploration(whole / 100, default_mean) == math.ceil(100 / whole)


def test_max_loss_0_plays_only_the_default():
    assert first_exploration(0.0, horizon=500) == 0


@pytest.mark.parametrize("learned", [False, True])
def test_a_default_mean_of_0_divides_nowhere(learned):
    floor = ConfidenceFloor(0.1, None if learned else 0.0)
    policy = Policy(optimistic(), floor, Boundary(noise_scale=0.1))
    for device in ("cpu", "python"):
        found = simulate(policy, Gaussian([0.0, 0.3], 0.1), horizon=200, runs=3, device=device)
        assert np.isfinite(found.pseudo_regret).all()
        assert (found.first_breach == 0).all()
        assert (found.plays[:, -1, 1] > 0).all()


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("horizon", [1, 2, 50])
@pytest.mark.parametrize("max_loss", [0.0, 0.5, 1.0])
def test_no_nan_at_the_edges(learned, horizon, max_loss):
    floor = ConfidenceFloor(max_loss, None if learned else 0.5)
    policy = Policy(optimistic(), floor, Boundary())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for device in ("cpu", "python"):
            found = simulate(policy, Gaussian([0.5, 0.6]), horizon=horizon, runs=2, device=device)
            assert np.isfinite(found.pseudo_regret).all()
            assert np.isfinite(found.lowest_budget).all()


def test_max_loss_1_before_any_default_play_is_0_and_not_nan():
    arms = new_arms(2)
    arms.upper[:] = math.inf
    rules = ConfidenceRules(1.0, math.inf, 0.0)
    assert confidence_budget(rules, arms, 1, 1) == 0.0


@given(
    max_loss=st.floats(0, 1),
    plays=st.lists(st.integers(0, 10**6), min_size=2, max_size=6),
    data=st.data(),
)
def test_the_number_shown_is_a_lower_bound_on_the_budget(max_loss, plays, data):
    """Whatever the means are within the intervals, also where the default is ahead."""
    arms = new_arms(len(plays))
    means = []
    for i, count in enumerate(plays):
        low = data.draw(st.floats(0, 1))
        high = data.draw(st.floats(low, 2))
        means.append(data.draw(st.floats(low, high)))
        arms.plays[i], arms.lower[i], arms.upper[i] = count, low, high
    arms.earned[0] = float(arms.plays[1:] @ arms.lower[1:])
    arm = data.draw(st.integers(0, len(plays) - 1))
    rounds = sum(plays) + 1
    rules = ConfidenceRules(max_loss, math.inf, 0.0)
    truth = float(arms.plays @ means) + means[arm] - (1 - max_loss) * rounds * means[0]
    shown = confidence_budget(rules, arms, rounds, arm)
    assert shown <= truth + 1e-9 * rounds * max(means[0], 1e-3) + 1e-6


@given(
    max_loss=st.floats(1e-4, 1),
    default_mean=st.floats(1e-3, 10),
    default_plays=st.integers(0, 10**5),
    challenger_plays=st.integers(0, 10**5),
    lower=st.floats(0, 1),
)
def test_saving_up_takes_exactly_the_rounds_that_single_steps_take(
    max_loss, default_mean, default_plays, challenger_plays, lower
):
    floor = ConfidenceFloor(max_loss, default_mean)
    rules = floor.rules(2, 10**6, None)
    arms = new_arms(2)
    arms.plays[:] = default_plays, challenger_plays
    arms.lower[:] = default_mean, lower
    arms.upper[:] = default_mean, lower + 1
    arms.earned[0] = challenger_plays * lower
    rounds = default_plays + challenger_plays + 1
    if confidence_budget(rules, arms, rounds, 1) >= 0:
        return
    count = rounds_to_save(rules, arms, rounds, 1)
    arms.plays[0] += count
    assert confidence_budget(rules, arms, rounds + count, 1) >= 0
    arms.plays[0] -= 1
    assert confidence_budget(rules, arms, rounds + count - 1, 1) < 0


@pytest.mark.parametrize("max_loss", [1e-7, 1e-9, 1e-10, 1e-16, 1e-300])
def test_a_tiny_loss_does_not_take_for_ever(max_loss):
    policy = Policy(optimistic(), ConfidenceFloor(max_loss, 0.5), Boundary())
    found = simulate(policy, Gaussian([0.5, 0.6]), horizon=1000, runs=64)
    assert (found.plays[:, -1, 0] == 1000).all()


def test_in_expectation_rewards_must_not_be_negative():
    floor = ConfidenceFloor(0.1, 0.5, guarantee="expectation")
    with pytest.raises(ValueError, match="lowest_reward: must be at least 0"):
        floor.settle(Boundary(low=-1.0), horizon=1000)


def test_the_expectation_form_tightens_both():
    floor = ConfidenceFloor(0.1, 0.5, guarantee="expectation")
    settled, boundary = floor.settle(Boundary(delta=0.5), horizon=1000)
    assert boundary.delta == 1 / 1000
    assert settled.max_loss == pytest.approx((0.1 - 0.001) / (1 - 0.001))
    with pytest.raises(ValueError, match="max_loss: must be above 1/horizon"):
        floor.settle(Boundary(), horizon=10)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_loss": -0.1}, "max_loss"),
        ({"max_loss": math.nan}, "max_loss"),
        ({"max_loss": 0.1, "default_mean": -1.0}, "default_mean"),
        ({"max_loss": 0.1, "fallback": "luck"}, "fallback"),
        ({"max_loss": 0.1, "guarantee": "hope"}, "guarantee"),
    ],
)
def test_bad_input_is_named(options, named):
    with pytest.raises(ValueError, match=f"^{named}: must be"):
        ConfidenceFloor(**options)
