"""A floor of one kernel, written outside the package, is asked before every play of a challenger."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

from floorline import Bernoulli, Boundary, Floor, Policy, kernel, optimistic, simulate
from floorline.core.slots import fallback_probability
from floorline.testing import check_floor


class CountingRules(NamedTuple):
    """The share of the rounds that must be default rounds."""

    share: float


@kernel
def refuse_unless_counted(rules, arms, memory, round, candidate):
    """Allow once the floor holds even if challengers pay nothing at all: a matter of counting."""
    return 0.0 if arms.plays[0] >= rules.share * round - 1e-9 else 1.0


@kernel
def allow_after_seven(rules, arms, memory, round, candidate):
    """What the old loop did with that floor: it explored in round 8."""
    return 0.0 if round % 8 == 0 else 1.0


@dataclass(frozen=True)
class CountingFloor(Floor):
    """Treats every play of a challenger as if it had paid 0."""

    max_loss: float
    default_mean: float
    can_fast_forward: bool = False
    answer: object = refuse_unless_counted

    def rules(self, n_arms, horizon, boundary):
        return CountingRules(1 - self.max_loss)

    def kernels(self):
        return {**super().kernels(), fallback_probability: self.answer}


ENVIRONMENT = Bernoulli([0.5, 0.9, 0.0])
BOUNDARY = Boundary(noise_scale=0.5)


def first_exploration(plays, checkpoints):
    """Return the first round in which any run plays a challenger."""
    explored = (plays[:, :, 1:].sum(axis=2) > 0).any(axis=0)
    return int(checkpoints[np.argmax(explored)])


@pytest.mark.parametrize("can_fast_forward", [False, True])
def test_it_is_asked_every_round_though_the_proposer_is_steady(can_fast_forward):
    """At max_loss 0.05 the first round that counting allows is 20: 19 of 20 are default rounds."""
    floor = CountingFloor(0.05, 0.5, can_fast_forward)
    found = simulate(
        Policy(optimistic(), floor, BOUNDARY), ENVIRONMENT, horizon=400, runs=200,
        checkpoints=range(1, 401),
    )  # fmt: skip
    assert not (found.first_breach > 0).any()
    assert first_exploration(found.plays, found.checkpoints) == 20
    rounds = found.checkpoints
    assert (found.plays[:, :, 0] >= 0.95 * rounds - 1e-9).all()


@pytest.mark.parametrize("can_fast_forward", [False, True])
def test_it_passes_the_suite(can_fast_forward):
    check_floor(CountingFloor(0.05, 0.5, can_fast_forward), BOUNDARY)
    check_floor(CountingFloor(0.05, 0.5, can_fast_forward))


def test_exploring_in_round_8_is_caught():
    floor = CountingFloor(0.05, 0.5, answer=allow_after_seven)
    with pytest.raises(AssertionError, match="below the floor in 400 of 400 runs"):
        check_floor(floor)
