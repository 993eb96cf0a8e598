"""The suite for proposers."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from floorline.boundaries import Boundary
from floorline.core.kernel import Function, bind, kernel
from floorline.core.records import Arms, Floats, NoRules
from floorline.core.slots import fallback_probability
from floorline.environments import Bernoulli, Environment, Gaussian
from floorline.environments.base import draw
from floorline.floors import ConfidenceFloor, Floor, NoFloor
from floorline.policy import Policy
from floorline.proposers import Proposer
from floorline.simulation.engines.cpu import stream
from floorline.testing.guard import GuardedRun
from floorline.testing.odds import too_often, too_seldom
from floorline.testing.policies import check_policy

DEFAULT_MEAN = 0.5
NOISE_SCALE = 0.5
DRAWS = 500
"""Proposals from one state whose shares are compared with the stated chances."""


@kernel
def even_odds(rules: NoRules, arms: Arms, memory: Floats, round: int, candidate: int) -> float:
    """Return 1/2, whatever the candidate."""
    return 0.5


@dataclass(frozen=True)
class CoinFloor(Floor):
    """Refuses half of the candidates, so that the proposer sees default plays made by the floor."""

    default_mean: float | None = DEFAULT_MEAN
    tosses_coins = True

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {**super().kernels(), fallback_probability: even_odds}


def check_proposer(
    proposer: Proposer, *, n_arms: int = 4, horizon: int = 200, seed: int = 1
) -> None:
    """Raise AssertionError unless the proposer keeps its contract and its attributes are true.

    With every candidate played, and with half of them refused:

    - it names an arm that exists, in every round;
    - its kernels use only their own memory, and only read `arms`;
    - `chance` returns NaN for every arm, or chances with sum 1 that agree with repeated proposals
      from the same state (false alarm: below 1e-6 in total);
    - `steady`: it draws nothing, and plays of a default arm of known mean change no proposal;
    - `optimistic`: it names an arm with the largest upper end;
    - `caches`: with its memory cleared it proposes the same;
    - `keeps_draws`: with its memory cleared it draws again, with the chances that it states;
    - without `uses_intervals`: it proposes the same whatever the intervals are.

    Under a confidence floor it passes `check_policy`: compiled equals interpreted, and so on.

    Args:
        proposer: the proposer, for any number of arms or for a fixed one.
        n_arms: how many arms to test it with, unless it is for a fixed number.
        horizon: rounds to test it for.
        seed: any whole number from 0.
    """
    n_arms = proposer.n_arms or n_arms
    means = [DEFAULT_MEAN, *np.linspace(0.7, 0.3, n_arms - 1).tolist()]
    unit = proposer.unit_rewards
    environment = Bernoulli(means) if unit else Gaussian(means, NOISE_SCALE)
    boundary = Boundary(noise_scale=NOISE_SCALE)
    for floor in (NoFloor(), CoinFloor()):
        policy = Policy(proposer, floor, boundary if proposer.uses_intervals else None)
        _walk(policy, environment, horizon, seed)
    floored = Policy(proposer, ConfidenceFloor(0.2, DEFAULT_MEAN), boundary)
    check_policy(floored, environment, horizon=min(horizon, 100), runs=10, seed=seed)


def _walk(policy: Policy, environment: Environment, horizon: int, seed: int) -> None:
    """Check every round of a run."""
    run = GuardedRun(policy, len(environment.means), horizon)
    draws = bind(environment.kernels()[draw], environment.kernels())
    rules, rng, coin = environment.rules(), stream(seed, 0), stream(seed, 1)
    for round in range(1, horizon + 1):
        before, same_rng = run.copy(), copy.deepcopy(rng)
        candidate = run.propose(round, rng)
        _check_claims(policy.proposer, before, round, candidate, same_rng)
        _check_chances(run.chances(candidate), candidate)
        if round in (1, 2, 10, horizon):
            _check_shares(before, run.chances(candidate), round, stream(seed, 2, round))
        decision = run.decide_on(round, candidate, coin)
        probability = decision.fallback_probability
        run.play(decision.arm, probability)
        run.observe(decision.arm, probability, draws(rules, decision.arm, rng))


def _check_claims(
    proposer: Proposer, run: GuardedRun, round: int, candidate: int, rng: Any
) -> None:
    """Check the proposer's attributes, in the state before it proposed."""
    if proposer.optimistic:
        largest = run.arms.upper[candidate] == max(run.arms.upper)
        assert largest, f"optimistic: round {round} has an arm with a larger upper end"
    if proposer.caches:
        cleared = run.copy()
        cleared.memory.proposer.cells[:] = 0.0
        same = cleared.propose(round, copy.deepcopy(rng)) == candidate
        assert same, f"caches: in round {round} it proposes another arm with its memory cleared"
    if proposer.keeps_draws:
        cleared = run.copy()
        cleared.memory.proposer.cells[:] = 0.0
        drawn_again = cleared.propose(round, copy.deepcopy(rng))
        _check_chances(cleared.chances(drawn_again), drawn_again)
    if not proposer.uses_intervals:
        blind = run.copy()
        blind.arms.lower[:] = blind.arms.upper[:] = math.nan
        same = blind.propose(round, copy.deepcopy(rng)) == candidate
        assert same, f"uses_intervals: not set, but round {round} depends on the intervals"
    if proposer.steady and run.known_default:
        drawn = copy.deepcopy(rng)
        run.copy().propose(round, drawn)
        untouched = drawn.random() == copy.deepcopy(rng).random()
        assert untouched, f"steady: it draws from rng in round {round}"
        later = run.copy()
        later.propose(round, rng)
        for rounds in (1, 20):
            later.play_default(rounds)
            round += rounds
            same = later.propose(round, rng) == candidate
            assert same, "steady: plays of the default arm change what it proposes"


def _check_chances(chances: list[float], candidate: int) -> None:
    """Check that chances are unknown, or a distribution from which the candidate can come."""
    if all(math.isnan(chance) for chance in chances):
        return
    fits = abs(math.fsum(chances) - 1) < 1e-9 and min(chances) >= 0 and chances[candidate] > 0
    assert fits, f"chance: {chances} are not the chances of a proposal, which was arm {candidate}"


def _check_shares(run: GuardedRun, chances: list[float], round: int, rng: Any) -> None:
    """Check that proposals from one state are as frequent as their chances."""
    if math.isnan(chances[0]):
        return
    proposals = [run.copy().propose(round, rng) for _ in range(DRAWS)]
    for arm, chance in enumerate(chances):
        count = proposals.count(arm)
        odd = too_often(count, DRAWS, chance) or too_seldom(count, DRAWS, chance)
        assert not odd, (
            f"chance: arm {arm} was proposed {count} times of {DRAWS}, at a chance of {chance:g}"
        )
