import math

import numpy as np
import pytest

from floorline import (
    Boundary,
    Gaussian,
    Policy,
    PolicySetup,
    WarmUp,
    kernel,
    make_policy,
    optimistic,
    simulate,
)
from floorline.floors.warm_up import (
    authors_warm_up,
    certain_warm_up,
    certified_warm_up,
    largest_excess,
)
from floorline.proposers import Proposer

AUTHORS = Boundary("authors", delta=1e-4)


def test_authors_warm_up_is_that_of_their_program():
    """10,000 rounds: 8,299 at a loss of 0.3, all of them up to 0.1, and 1 at a loss of 1."""
    rounds = [authors_warm_up(5, 10_000, loss, 0.5, AUTHORS) for loss in (0.0, 0.1, 0.3, 1.0)]
    assert rounds == [10_000, 10_000, 8_299, 1]


def plain_certified(n_arms, horizon, max_loss, default_mean, boundary):
    """The definition, tried out for every count: the smallest that covers every later round."""
    challengers = n_arms - 1
    zeta = boundary.inverse_error(n_arms, default_known=True)
    s = np.arange(1, horizon + 1)
    growth = np.array([boundary.radius(int(k), zeta) * math.sqrt(k) for k in s])
    short = np.minimum(
        default_mean * s, challengers * default_mean + 2 * growth * np.sqrt(challengers * s)
    )
    excess = np.concatenate([[0.0], short - max_loss * default_mean * s])
    for warm_up in range(horizon + 1):
        if excess[: horizon - warm_up + 1].max() <= max_loss * default_mean * warm_up + 1e-9:
            return warm_up
    raise AssertionError


@pytest.mark.parametrize("max_loss", [0.05, 0.3, 0.9, 1.0])
@pytest.mark.parametrize(("n_arms", "default_mean", "scale"), [(2, 0.9, 0.05), (5, 0.5, 0.02)])
def test_certified_warm_up_is_the_smallest_that_covers_every_later_round(
    max_loss, n_arms, default_mean, scale
):
    boundary = Boundary(delta=0.05, noise_scale=scale)
    ours = certified_warm_up(n_arms, 600, max_loss, default_mean, boundary)
    assert ours == plain_certified(n_arms, 600, max_loss, default_mean, boundary)


def test_certified_warm_up_stops_growing_with_the_horizon():
    """The paper's multiplicative price comes from a fixed R_worst(n), not from the method (E9)."""
    boundary = Boundary(delta=0.05, noise_scale=0.1)
    rounds = [certified_warm_up(3, 10**k, 0.5, 0.5, boundary) for k in (4, 5, 6, 7)]
    assert 0 < rounds[0] == rounds[1] == rounds[2] == rounds[3]


def test_no_floor_no_warm_up():
    assert certified_warm_up(5, 1000, 1.0, 0.5, Boundary()) == 0
    assert certified_warm_up(5, 1000, 0.0, 0.5, Boundary()) == 1000
    assert certified_warm_up(5, 1000, 0.1, 0.0, Boundary()) == 0


def test_where_rewards_can_be_negative_a_loss_of_everything_still_needs_a_warm_up():
    """The floor is then at 0, and a mean of -1 goes below it."""
    boundary = Boundary(delta=0.05, noise_scale=0.1, low=-1.0)
    assert certified_warm_up(2, 1000, 1.0, 0.5, boundary) > 0
    policy = Policy(optimistic(), WarmUp(1.0, 0.5), boundary)
    found = simulate(policy, Gaussian([0.5, -0.9], 0.1), horizon=1000, runs=200)
    assert (found.first_breach > 0).sum() <= 40  # delta would be 10; false alarm below 1e-8


def test_a_certain_warm_up_does_not_take_negative_means_for_granted():
    policy = Policy(Proposer(always_the_worst), WarmUp(0.1, 0.5, "certain"))
    with pytest.raises(ValueError, match="means: must be at least low"):
        simulate(policy, Gaussian([0.5, -0.5]), horizon=100, runs=1)


def test_largest_excess_against_trying_all():
    rng = np.random.default_rng(5)
    for _ in range(50):
        values = np.cumsum(rng.exponential(size=200))
        slope = float(rng.uniform(0.2, 2))
        expected = max(values[s] - slope * s for s in range(200))
        assert largest_excess(lambda s, v=values: v[s], slope, 199) == pytest.approx(expected)


@kernel
def always_the_worst(rules, arms, memory, round, rng):
    return 1


@pytest.mark.parametrize("max_loss", [0.07, 0.1, 0.3, 0.5, 0.9])
def test_after_a_certain_warm_up_nothing_can_break_the_floor(max_loss):
    """Sure, not likely: the proposer always plays an arm that pays nothing."""
    policy = Policy(Proposer(always_the_worst), WarmUp(max_loss, 0.5, "certain"))
    found = simulate(policy, Gaussian([0.5, 0.0]), horizon=1000, runs=2)
    assert (found.first_breach == 0).all()
    warm_up = certain_warm_up(1000, max_loss, 0.5)
    assert (found.plays[:, -1, 0] == warm_up).all()
    assert warm_up == round((1 - max_loss) * 1000)  # and one round less would not do
    assert (warm_up - 1) * 0.5 < (1 - max_loss) * 0.5 * 1000


def test_certain_warm_up_with_a_known_lowest_reward():
    rounds = certain_warm_up(1000, max_loss=0.1, default_mean=0.5, low=0.4)
    assert rounds * 0.5 + (1000 - rounds) * 0.4 >= 0.9 * 0.5 * 1000
    assert certain_warm_up(1000, 0.1, 0.5, low=0.45) == 0


def test_the_default_is_played_for_the_warm_up_and_then_freely():
    setting = PolicySetup(
        n_arms=5, horizon=10_000, default_mean=0.5, max_loss=0.3, delta=1e-4, boundary="authors"
    )
    found = simulate(
        make_policy("budget-first", setting),
        Gaussian([0.5, 0.6, 0.4, 0.4, 0.4]),
        horizon=10_000,
        runs=20,
        checkpoints=[8299, 8300, 10_000],
    )
    assert (found.plays[:, 0, 0] == 8299).all()
    assert (found.plays[:, 1, 0] == 8299).all()
