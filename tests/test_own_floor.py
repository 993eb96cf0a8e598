"""A floor of one kernel, written outside the package, is asked before every challenger's play."""

import math
from dataclasses import dataclass
from typing import NamedTuple

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


@pytest.mark.parametrize("can_fast_forward", [False, True])
def test_it_is_asked_every_round_though_the_proposer_is_steady(can_fast_forward):
    """At max_loss 0.05 the first round that counting allows is 20: 19 of 20 are default rounds.

    No checkpoints in between: a loop skips no further than to the next one.
    """
    policy = Policy(optimistic(), CountingFloor(0.05, 0.5, can_fast_forward), BOUNDARY)
    found = {
        horizon: simulate(policy, ENVIRONMENT, horizon=horizon, runs=200)
        for horizon in (19, 20, 400)
    }
    assert not any((one.first_breach > 0).any() for one in found.values())
    explored = {horizon: one.plays[:, -1, 1:].sum(axis=1) for horizon, one in found.items()}
    assert (explored[19] == 0).all() and (explored[20] == 1).all() and (explored[400] == 20).all()


@pytest.mark.parametrize("can_fast_forward", [False, True])
def test_it_passes_the_suite(can_fast_forward):
    check_floor(CountingFloor(0.05, 0.5, can_fast_forward), BOUNDARY)
    check_floor(CountingFloor(0.05, 0.5, can_fast_forward))


def test_exploring_in_round_8_is_caught():
    floor = CountingFloor(0.05, 0.5, answer=allow_after_seven)
    with pytest.raises(AssertionError, match="below the floor in 400 of 400 runs"):
        check_floor(floor)


@pytest.mark.parametrize(
    ("key", "named"),
    [("fallback_probability", "'fallback_probability'"), (math.log, "log")],
)
def test_a_kernel_for_what_is_no_slot_is_refused(key, named):
    class MisspeltFloor(CountingFloor):
        def kernels(self):
            return {**super().kernels(), key: self.answer}

    with pytest.raises(ValueError, match=f"^MisspeltFloor.kernels: .* not {named}$"):
        Policy(optimistic(), MisspeltFloor(0.05, 0.5), BOUNDARY).prepare(3, 9)
