"""The joint floor where rewards come late; the grid is in tests/simulation/test_late_runs.py.

False alarms: as in test_joint.py.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from hostile import DELTA, HOSTILE_ARMS, SPITES, hostile
from scipy import special

from floorline import (
    Bernoulli,
    Boundary,
    Delayed,
    Gaussian,
    JointFloor,
    Policy,
    Proposer,
    Tabulated,
    kernel,
    optimistic,
    simulate,
)
from floorline.core.slots import recount, take_late_reward
from floorline.floors.joint.forms import mixture
from floorline.floors.joint.late import LATE_MEMORY, count_reward
from floorline.floors.joint.memory import CHALLENGERS, COST, DEFAULT, MEMORY, PLAYS, TOTAL
from floorline.floors.joint.sums import recount_learned
from floorline.testing.odds import breaks_floor, too_often

RUNS = 1000
BETA = Boundary("beta-binomial", DELTA)
COINS = Bernoulli([0.5, 0.8, 0.2])
WIDE = Tabulated(
    values=[[1.0, 1.5, 3.0], [1.0, 3.0], [1.0, 2.0]],
    probabilities=[[0.3, 0.4, 0.3], [0.2, 0.8], [0.9, 0.1]],
)
CASES = {
    "bounded": (COINS, BETA),
    "bounded, not from 0": (WIDE, Boundary("beta-binomial", DELTA, low=1, high=3)),
    "subgaussian": (Gaussian([0.5, 0.8, 0.2], 0.25), Boundary(delta=DELTA, noise_scale=0.25)),
}


@pytest.mark.parametrize(
    ("case", "learned"),
    [
        ("bounded", True),
        ("subgaussian", False),
        pytest.param("bounded", False, marks=pytest.mark.soak),
        pytest.param("subgaussian", True, marks=pytest.mark.soak),
        pytest.param("bounded, not from 0", False, marks=pytest.mark.soak),
        pytest.param("bounded, not from 0", True, marks=pytest.mark.soak),
    ],
)
def test_without_delay_and_loss_runs_are_the_ordinary_ones(case, learned):
    arms, boundary = CASES[case]
    policy = Policy(optimistic(), JointFloor(0.1, None if learned else arms.means[0]), boundary)
    options = {"horizon": 600, "runs": 50, "checkpoints": range(1, 601)}
    plain, late = simulate(policy, arms, **options), simulate(policy, Delayed(arms), **options)
    assert np.array_equal(plain.plays, late.plays)
    assert (plain.plays[:, -1, 1:] > 0).any(axis=0).all()


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_interpreted_runs_are_the_compiled_ones_and_delay_costs_something(case, learned):
    arms, boundary = CASES[case]
    policy = Policy(optimistic(), JointFloor(0.1, None if learned else arms.means[0]), boundary)
    environment = Delayed(arms, delay=range(60), lost=0.02, missing="random", batch=7)
    one, other = (
        simulate(policy, environment, horizon=400, runs=2, device=device)
        for device in ("cpu", "python")
    )
    assert np.array_equal(one.plays, other.plays)
    late, plain = (
        simulate(policy, env, horizon=400, runs=64).plays[:, -1, 1] for env in (environment, arms)
    )
    assert 0 < late.mean() < plain.mean()


# Proposers that know the means, and want the floor to break.


@pytest.mark.parametrize("spite", SPITES)
@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("form", HOSTILE_ARMS)
def test_the_floor_holds_under_hostile_proposers_where_rewards_are_late_or_lost(
    form, learned, spite
):
    arms, boundary = HOSTILE_ARMS[form]
    # Normal rewards have no worst: one that is lost would end all learning, and show nothing.
    world = Delayed(arms, delay=range(200), lost=0.02 if form == "bounded" else 0.0)
    floor = JointFloor(0.05, None if learned else arms.means[0])
    policy = Policy(hostile(spite, arms), floor, boundary)
    assert not breaks_floor(simulate(policy, world, horizon=2000, runs=RUNS), DELTA)


# A proposer that is good for a while, then as bad as can be, before any reward tells.


class Turns(NamedTuple):
    after: int


@kernel
def turning(rules: Turns, arms, memory, round: int, rng) -> int:
    return 1 if round <= rules.after else 2


@kernel
def all_plays_for_the_ratio(rules, arms, memory, pending, low: float) -> None:
    """Broken: the sums are of a prefix, and the default's plays are all there are."""
    recount_learned(rules, arms, memory, pending, low)
    memory[DEFAULT + PLAYS] = arms.plays[0]


@dataclass(frozen=True)
class AllPlays(JointFloor):
    def kernels(self):
        return {**super().kernels(), recount: all_plays_for_the_ratio}


def turned(floor, environment, boundary=BETA):
    policy = Policy(Proposer(turning, rules=Turns(600)), floor(0.1), boundary)
    return simulate(policy, Delayed(environment, delay=100), horizon=2000, runs=RUNS)


def test_a_proposer_that_turns_bad_while_rewards_are_on_their_way_breaks_nothing():
    coins = Bernoulli([0.3, 0.6, 0.0])
    normal = Gaussian([0.3, 0.6, 0.0], 0.5)
    assert not breaks_floor(turned(JointFloor, coins), DELTA)
    assert not breaks_floor(
        turned(JointFloor, normal, Boundary(delta=DELTA, noise_scale=0.5)), DELTA
    )


def test_a_ratio_over_all_plays_is_caught():
    normal = Gaussian([0.3, 0.6, 0.0], 0.5)
    assert breaks_floor(turned(AllPlays, normal, Boundary(delta=DELTA, noise_scale=0.5)), DELTA)


# Arms that are cut at different decisions, each where it suits best.

CHALLENGERS_IN_TURN = 40
OWN = MEMORY + LATE_MEMORY
"""Where the control keeps, for each arm: its plays and their sum so far, and both at its cut."""
EACH = 4


@kernel
def keep_own_cut(
    rules, arms, memory, arm: int, decision: int, probability: float, reward: float
) -> None:
    """Broken: each challenger is cut where its own sum was largest, the default at the end."""
    count_reward(rules, arms, memory, arm, decision, probability, reward)
    own = OWN + EACH * arm  # with a fixed delay rewards arrive in the order of plays
    memory[own] += 1.0
    memory[own + 1] += (reward - rules.low) / rules.width
    if arm == 0 or memory[own + 1] > memory[own + 3]:
        memory[own + 2] = memory[own]
        memory[own + 3] = memory[own + 1]


@kernel
def add_own_cuts(rules, arms, memory, pending, low: float) -> None:
    for at in (DEFAULT, CHALLENGERS):
        memory[at + PLAYS] = memory[at + TOTAL] = 0.0
    for arm in range(len(arms.plays)):
        at = CHALLENGERS if arm > 0 else DEFAULT
        memory[at + PLAYS] += memory[OWN + EACH * arm + 2]
        memory[at + TOTAL] += memory[OWN + EACH * arm + 3]
    for at in (DEFAULT, CHALLENGERS):
        memory[at + COST] = mixture(rules, memory[at + PLAYS], memory[at + TOTAL], 0.0)


@dataclass(frozen=True)
class OwnCuts(JointFloor):
    """Cuts arms as their intervals may be cut: each of these holds for all of its first plays."""

    late_memory = LATE_MEMORY + EACH * (1 + CHALLENGERS_IN_TURN)

    def kernels(self):
        return {**super().kernels(), recount: add_own_cuts, take_late_reward: keep_own_cut}


@kernel
def in_turn(rules, arms, memory, round: int, rng) -> int:
    return 1 + round % (len(arms.plays) - 1)


@pytest.mark.parametrize(("floor", "breaks"), [(JointFloor, False), (OwnCuts, True)])
def test_a_floor_that_cuts_arms_at_different_decisions_is_caught(floor, breaks):
    """Forty challengers that pay nothing: each looks best at another decision.

    As seeded, 2 of 1,000 runs are below the floor with common cuts, 797 with a cut for each arm.
    """
    world = Delayed(Gaussian([0.5] + [0.0] * CHALLENGERS_IN_TURN, 0.5), delay=50)
    boundary = Boundary(delta=DELTA, noise_scale=0.5)
    policy = Policy(Proposer(in_turn), floor(0.3, weight=20.0), boundary)
    assert breaks_floor(simulate(policy, world, horizon=2000, runs=RUNS), DELTA) == breaks


def log_evidence(mean_sum, total, rho=6.0):
    """The formula as in the derivation, over arrays."""
    whole = mean_sum + rho * np.log(rho) - special.gammaln(rho) + special.gammaln(rho + total)
    return whole - (rho + total) * np.log(rho + mean_sum)


def test_sums_cut_at_different_decisions_are_caught():
    """One cut for both sums may be chosen after looking; one for each may not.

    How often does the evidence against the truth ever reach 1/delta? Reaching it at decisions
    chosen for each sum alone is what a floor with different prefixes takes for proof. Clicks are
    so rare that their sums are Poisson, for which the evidence is exact.
    """
    rng = np.random.default_rng(5)
    runs = 1000
    means = np.geomspace(0.05, 2000, 2000)
    steps = np.diff(means, prepend=0.0)
    one, other = (
        log_evidence(means, np.cumsum(rng.poisson(steps, (runs, steps.size)), axis=1))
        for _ in range(2)
    )
    joint = ((one + other).max(axis=1) >= -np.log(DELTA)).sum()
    apart = (one.max(axis=1) + other.max(axis=1) >= -np.log(DELTA)).sum()
    assert not too_often(joint, runs, DELTA)
    assert too_often(apart, runs, DELTA)
