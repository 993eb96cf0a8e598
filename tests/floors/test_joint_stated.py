"""Live the joint floor's decision is made by the budget that is stated: the same decision."""

import random

import pytest

from floorline import Boundary, JointFloor
from floorline.core.kernel import bind
from floorline.core.records import in_slots, new_arms
from floorline.core.slots import fallback_probability, guaranteed_budget
from floorline.floors.joint.evidence import default_deficit, gamma_excess
from floorline.floors.joint.memory import (
    CHALLENGERS,
    COST,
    DEFAULT,
    MEMORY,
    PLAYS,
    STATED,
    STATED_FOR,
    TOTAL,
)

BETA = Boundary("beta-binomial", delta=0.05)
FLOOR, _ = JointFloor(0.1).settle(BETA, 10**6)
RULES = FLOOR.rules(2, 10**6, BETA)
PLAIN = FLOOR.kernels()
LIVE = {**PLAIN, **FLOOR.live_kernels()}
REFUSAL, BUDGET, LIVE_REFUSAL, LIVE_BUDGET = (
    bind(kernels[slot], kernels)
    for kernels in (PLAIN, LIVE)
    for slot in (fallback_probability, guaranteed_budget)
)


def moment(rng):
    """Sums near the edge of the test, and now and then far from it."""
    default_plays = int(10 ** rng.uniform(0, 5))
    plays = int(default_plays * 10 ** rng.uniform(-2, 1.5))
    rounds = default_plays + plays + 1
    default_total = default_plays * rng.choice([0.0, 0.03, 0.3, rng.random(), 1.0])
    deficit = default_deficit(0.1, rounds, default_plays)
    total = deficit / default_plays * default_total * rng.uniform(0.5, 2) + rng.expovariate(0.1)
    total = min(max(total, 0.0), float(plays))
    if rng.random() < 0.5:
        default_total, total = float(round(default_total)), float(round(total))
    memory = [0.0] * MEMORY
    for at, count, earned in (
        (DEFAULT, default_plays, default_total),
        (CHALLENGERS, plays, total),
    ):
        memory[at + PLAYS], memory[at + TOTAL] = float(count), earned
        memory[at + COST] = gamma_excess(RULES.weight + earned) - RULES.start
    arms = in_slots(new_arms(2))
    arms.plays[:] = [default_plays, plays]
    return arms, memory, rounds


@pytest.mark.parametrize("last", [0.0, -1.0])
def test_the_stated_budget_decides_as_the_test_does(last):
    """Whether the budget stated last was below 0 or not."""
    rng, granted = random.Random(3), 0
    for _ in range(4000):
        arms, memory, rounds = moment(rng)
        memory[STATED] = last
        expected = REFUSAL(RULES, arms, memory, rounds, 1)
        number = BUDGET(RULES, arms, memory, rounds, 1)
        assert LIVE_REFUSAL(RULES, arms, memory, rounds, 1) == expected
        assert LIVE_BUDGET(RULES, arms, memory, rounds, 1) == number
        granted += expected == 0.0
        if expected == 0.0:
            assert number >= -1e-9 * rounds
            assert (memory[STATED], memory[STATED_FOR]) == (number, rounds)
    assert 400 < granted < 3600, "the cases are all alike"


def test_within_rounding_of_zero_the_test_itself_decides():
    """At exactly as many plays of the default as are owed the number is 0, and it is allowed."""
    arms, memory = in_slots(new_arms(2)), [0.0] * MEMORY
    arms.plays[:] = [90, 9]
    memory[DEFAULT + PLAYS], memory[CHALLENGERS + PLAYS] = 90.0, 9.0
    assert LIVE_REFUSAL(RULES, arms, memory, 100, 1) == 0.0
    assert LIVE_REFUSAL(RULES, arms, memory, 101, 1) == 1.0
    assert LIVE_BUDGET(RULES, arms, memory, 100, 1) == 0.0


def test_other_forms_and_a_known_mean_are_tested_as_in_simulations():
    for floor in (JointFloor(0.1, 0.3), JointFloor(0.1, form="variance")):
        assert floor.settle(BETA, 100)[0].live_kernels() == {}
