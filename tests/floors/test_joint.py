"""The joint floor as part of a policy: the same however it is run, and what it promises.

False alarms: a case fails if its breaches exceed what a breach rate of exactly delta exceeds with
probability 1e-9; with fewer than 100 cases a correct build fails with probability below 1e-6.
"""

import json
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from hostile import HOSTILE_ARMS, SPITES, hostile
from hypothesis import given
from hypothesis import strategies as st

from floorline import (
    Bernoulli,
    Boundary,
    Gaussian,
    JointFloor,
    Policy,
    PolicySetup,
    Tabulated,
    gaussian_thompson,
    kernel,
    make_policy,
    optimistic,
    simulate,
)
from floorline.core.slots import fallback_probability
from floorline.floors.joint.evidence import default_deficit
from floorline.floors.joint.forms import evidence
from floorline.floors.joint.known import known_budget, rounds_to_save
from floorline.floors.joint.memory import CHALLENGERS, MEMORY, SURE, TOTAL
from floorline.simulation.stepping import step_through
from floorline.testing import check_policy
from floorline.testing.odds import breaks_floor

RUNS = 1000
DELTA = 0.2

GAUSSIAN = Gaussian([0.5, 0.8, 0.2], 0.5)
COINS = Bernoulli([0.5, 0.8, 0.2])
ABOVE_ZERO = Tabulated(
    values=[[1.0, 1.5, 3.0], [1.0, 3.0], [1.0, 2.0]],
    probabilities=[[0.3, 0.4, 0.3], [0.2, 0.8], [0.9, 0.1]],
)
CASES = {
    "subgaussian": (GAUSSIAN, Boundary(delta=DELTA, noise_scale=0.5), None),
    "bounded": (COINS, Boundary("beta-binomial", DELTA), None),
    "bounded, not from 0": (ABOVE_ZERO, Boundary("beta-binomial", DELTA, low=1, high=3), None),
    "normal form of a range": (COINS, Boundary("beta-binomial", DELTA), "subgaussian"),
}


def policy_of(case, learned, max_loss=0.2, proposer=None):
    environment, boundary, form = CASES[case]
    mean = None if learned else environment.means[0]
    floor = JointFloor(max_loss, mean, form)
    return Policy(proposer or optimistic(), floor, boundary), environment


@pytest.mark.parametrize(
    "proposer",
    [
        pytest.param(optimistic(), id="ucb"),
        pytest.param(gaussian_thompson(0.5), id="thompson", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_it_is_the_same_however_it_is_run(case, learned, proposer):
    policy, environment = policy_of(case, learned, proposer=proposer)
    check_policy(policy, environment)
    found = simulate(policy, environment, horizon=300, runs=40)
    assert (found.plays[:, -1] > 0).any(axis=0).all(), "the case shows nothing"


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_a_challenger_is_refused_where_the_number_shown_is_below_zero(case, learned):
    policy, environment = policy_of(case, learned)
    trace = step_through(policy, environment, horizon=600)
    wanted = trace.candidate > 0
    refused = trace.arm == 0
    close = np.abs(trace.guaranteed) < 1e-7
    assert np.array_equal(refused[wanted & ~close], trace.guaranteed[wanted & ~close] < 0)
    assert 5 < (refused & wanted).sum() < wanted.sum() - 5, "the case shows nothing"


@given(
    max_loss=st.floats(1e-4, 1),
    default_mean=st.floats(1e-3, 1),
    default_plays=st.integers(0, 10**5),
    challenger_plays=st.integers(0, 10**5),
    sure=st.floats(0, 1),
    low=st.floats(0, 1),
)
def test_saving_up_takes_no_more_rounds_than_single_steps_take(
    max_loss, default_mean, default_plays, challenger_plays, sure, low
):
    boundary = Boundary("beta-binomial", low=low, high=low + 1)
    floor, _ = JointFloor(max_loss, low + default_mean).settle(boundary, 10**6)
    rules = floor.rules(2, 10**6, boundary)
    memory = np.zeros(MEMORY)
    memory[SURE] = sure * challenger_plays
    rounds = default_plays + challenger_plays + 1

    class Plays(NamedTuple):
        plays: list[int]

    asked = 0
    while known_budget(rules, memory, rounds, default_plays) < 0:
        count = rounds_to_save(rules, Plays([default_plays]), memory, rounds, 1)
        rounds, default_plays, asked = rounds + count, default_plays + count, asked + 1
        assert count == 1 or known_budget(rules, memory, rounds - 1, default_plays - 1) < 0
    assert asked <= 4 + 2 * rules.slack * rounds, "more than the tolerance was left out"


@pytest.mark.parametrize("case", ["subgaussian", "bounded"])
@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("horizon", [1, 2, 50])
@pytest.mark.parametrize("max_loss", [0.0, 1e-16, 0.5, 1.0])
def test_nothing_is_undefined_at_the_edges(case, learned, horizon, max_loss):
    policy, environment = policy_of(case, learned, max_loss)
    for device in ("cpu", "python"):
        found = simulate(policy, environment, horizon=horizon, runs=2, device=device)
        assert np.isfinite(found.lowest_budget).all()
        assert max_loss > 0.1 or (found.plays[:, -1, 0] == horizon).all()


@pytest.mark.parametrize("learned", [False, True])
def test_a_default_that_pays_nothing_divides_nowhere(learned):
    policy = Policy(
        optimistic(), JointFloor(0.1, None if learned else 0.0), Boundary("beta-binomial", DELTA)
    )
    found = simulate(policy, Bernoulli([0.0, 0.3]), horizon=500, runs=20)
    assert (found.plays[:, -1, 1] > 0).all()
    assert (found.first_breach == 0).all()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_loss": -0.1}, "max_loss"),
        ({"max_loss": 0.1, "default_mean": -1.0}, "default_mean"),
        ({"max_loss": 0.1, "form": "round"}, "form"),
        ({"max_loss": 0.1, "weight": 0.0}, "weight"),
    ],
)
def test_bad_input_is_named(options, named):
    with pytest.raises(ValueError, match=f"^{named}: must be"):
        JointFloor(**options)


@pytest.mark.parametrize(
    ("floor", "boundary", "named"),
    [
        (JointFloor(0.1), Boundary(low=-1.0), "low"),
        (JointFloor(0.1, 2.0), Boundary("beta-binomial"), "default_mean"),
        (JointFloor(0.1, 0.1), Boundary("beta-binomial", low=0.2), "default_mean"),
        (JointFloor(0.1, form="bounded"), Boundary(), "form"),
    ],
)
def test_what_the_proof_does_not_cover_is_refused(floor, boundary, named):
    with pytest.raises(ValueError, match=f"^{named}: must be"):
        Policy(optimistic(), floor, boundary).prepare(2, 100)


@pytest.mark.parametrize("option", [{"fallback": "best-lower"}, {"guarantee": "expectation"}])
def test_options_that_only_the_confidence_floor_has_are_refused(option):
    setup = PolicySetup(n_arms=2, horizon=100, default_mean=0.5, floor="joint", **option)
    with pytest.raises(ValueError, match=f"^{next(iter(option))}: must be"):
        make_policy("conservative-ucb", setup)


def test_the_command_line_takes_the_floor(floorline):
    words = ("--policy", "conservative-ucb", "--horizon", "1000", "--format", "json")
    simulated = ("simulate", *words, "--means", "0.5,0.9,0.4,0.4,0.4", "--runs", "64")
    plays = {}
    for name in ("confidence", "joint"):
        plays[name] = json.loads(floorline(*simulated, "--floor", name).stdout)["plays"]["mean"][1]
        verified = ("verify", *words, "--delta", "0.2", "--runs", "500", "--floor", name)
        assert floorline(*verified).returncode == 0
    assert plays["joint"] > 1.3 * plays["confidence"]
    wrong = floorline(*simulated, "--floor", "wooden")
    assert wrong.returncode == 2
    assert "--floor: must be one of confidence, joint" in wrong.stderr


# Proposers that know the means, and want the floor to break; test_joint_late.py has late rewards.


def hostile_run(form, learned, spite, floor=JointFloor, max_loss=0.05):
    environment, boundary = HOSTILE_ARMS[form]
    mean = None if learned else environment.means[0]
    policy = Policy(hostile(spite, environment), floor(max_loss, mean), boundary)
    return simulate(policy, environment, horizon=3000, runs=RUNS)


@pytest.mark.parametrize("spite", SPITES)
@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("form", HOSTILE_ARMS)
def test_the_floor_holds_under_hostile_proposers(form, learned, spite):
    assert not breaks_floor(hostile_run(form, learned, spite), DELTA)


# Three floors that look reasonable, and are not safe.


@kernel
def credits_the_average(rules, arms, memory, round: int, candidate: int) -> float:
    """Broken: the candidate is credited with the average of its rewards."""
    credit = arms.average[candidate] / rules.width
    budget = known_budget(rules, memory, round, arms.plays[0])
    return 0.0 if candidate == 0 or budget + credit >= 0.0 else 1.0


@kernel
def trusts_the_sum(rules, arms, memory, round: int, candidate: int) -> float:
    """Broken: what challengers earned counts in full."""
    deficit = default_deficit(rules.max_loss, round, arms.plays[0])
    budget = memory[CHALLENGERS + TOTAL] - deficit * rules.default_mean
    return 0.0 if candidate == 0 or budget >= 0.0 else 1.0


@kernel
def either_side(
    rules, deficit, shift, default_plays, default_total, plays, total, default_cost, cost
) -> float:
    """Broken: evidence for a negative budget counts as evidence against it."""
    if deficit <= 0.0:
        return math.inf
    if default_plays == 0.0:
        return -math.inf
    kappa = deficit / default_plays
    ahead = total - kappa * default_total
    variance = plays + rules.weight + kappa * kappa * (default_plays + rules.weight)
    return 0.5 * ahead * ahead / variance + default_cost + cost


@dataclass(frozen=True)
class Average(JointFloor):
    def kernels(self):
        return {**super().kernels(), fallback_probability: credits_the_average}


@dataclass(frozen=True)
class Trusting(JointFloor):
    def kernels(self):
        return {**super().kernels(), fallback_probability: trusts_the_sum}


@dataclass(frozen=True)
class EitherSide(JointFloor):
    def kernels(self):
        return {**super().kernels(), evidence: either_side}


def test_crediting_a_candidate_with_its_average_is_caught():
    for floor, breaks in ((Average, True), (JointFloor, False)):
        policy = Policy(optimistic(), floor(0.02, 0.5), Boundary("beta-binomial", delta=0.05))
        found = simulate(policy, Bernoulli([0.5, 0.2]), horizon=1000, runs=RUNS)
        assert breaks_floor(found, 0.05) == breaks


def test_trusting_the_sum_is_caught():
    assert breaks_floor(hostile_run("bounded", False, "bad while lucky", Trusting), DELTA)


def test_the_minimum_over_the_wrong_side_is_caught():
    """With little noise, half a play too many is evidence enough that the budget is negative."""
    arms = Gaussian([0.3, 0.0], 0.01)
    for floor, breaks in ((EitherSide, True), (JointFloor, False)):
        policy = Policy(optimistic(), floor(0.05), Boundary(delta=DELTA, noise_scale=0.01))
        assert breaks_floor(simulate(policy, arms, horizon=1000, runs=RUNS), DELTA) == breaks
