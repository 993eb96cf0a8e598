"""The suite for floors."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from floorline.boundaries import Boundary
from floorline.core.checks import require
from floorline.core.kernel import bind
from floorline.environments import Adaptive, Bernoulli, Delayed, Environment, Lure
from floorline.environments.base import draw
from floorline.floors import Floor
from floorline.policy import Policy
from floorline.proposers import Proposer, optimistic
from floorline.simulation import simulate
from floorline.simulation.engines.cpu import stream
from floorline.testing.guard import GuardedRun
from floorline.testing.hostile import hostile, in_turn
from floorline.testing.odds import breaks_floor
from floorline.testing.policies import check_policy

SKIPPED = 60
"""Maximum number of default rounds played one by one to compare with a skip."""


def check_floor(
    floor: Floor,
    boundary: Boundary | None = None,
    *,
    delta: float | None = None,
    horizon: int = 300,
    runs: int = 400,
    seed: int = 1,
) -> None:
    """Raise AssertionError unless the floor keeps its contract and holds.

    - It is below the floor in at most a share `delta` of the runs (false alarm: below 1e-6 in
      total), under a proposer that names the worst challenger and, with a boundary, the optimistic
      one; with challengers that pay nothing, a little less than the default, and more. If it
      accepts late rewards, also where they come late or never; if it has a private clock, against
      adversaries.
    - Its kernels use only their own memory, and only read `arms`.
    - Its probability is from 0 to 1, 0 or 1 unless it tosses coins, and the same when asked twice.
    - A NaN in its inputs never turns a refusal into a permission.
    - If it can fast-forward: a skip has the same result as single default plays, and a challenger
      is refused in every round that is skipped.
    - Compiled equals interpreted, and bulk simulation one decision at a time (`check_policy`).

    Rewards are 0 or 1; the default arm's mean is the one that the floor knows, or 1/2.

    Args:
        floor: the floor.
        boundary: the intervals that it uses, if any; for rewards in [0, 1].
        delta: how often it may fail; by default the boundary's delta, or never without one.
        horizon: rounds per run.
        runs: how many runs of each case.
        seed: any whole number from 0.
    """
    mean = 0.5 if floor.default_mean is None else floor.default_mean
    require(mean <= 1, "default_mean", "at most 1 for rewards of 0 or 1", mean)
    if delta is None:
        delta = 0.0 if boundary is None else boundary.delta
    if not floor.private_clock:
        for proposer in (in_turn(), *_proposers(floor, boundary)):
            if proposer.optimistic or not floor.needs_optimistic:
                _walk(Policy(proposer, floor, boundary), mean, horizon, seed)
    for proposer in _proposers(floor, boundary):
        policy = Policy(proposer, floor, boundary)
        environments = list(_environments(floor, mean))
        for environment in environments:
            _check_breaches(policy, environment, delta, horizon, runs, seed)
        check_policy(policy, environments[0], horizon=min(horizon, 100), runs=10, seed=seed)
    if floor.takes_late_rewards:
        for environment in _late_environments(mean):
            _check_breaches(
                Policy(hostile(), floor, boundary), environment, delta, horizon, runs, seed
            )


def _proposers(floor: Floor, boundary: Boundary | None) -> Iterator[Proposer]:
    """Yield the proposers that the floor must hold under."""
    if boundary is not None:
        yield optimistic()
    if not floor.needs_optimistic:
        yield hostile()


def _environments(floor: Floor, mean: float) -> Iterator[Environment]:
    """Yield the environments that the floor must hold in."""
    better = min(1.0, 1.5 * mean)
    if floor.private_clock:
        yield Adaptive([mean, better, mean / 2])
        yield Lure([mean, better, mean / 2], span=10)
        return
    for challengers in ([0.0, 0.0], [0.9 * mean, 0.0], [better, 0.9 * mean]):
        yield Bernoulli([mean, *challengers])


def _late_environments(mean: float) -> Iterator[Environment]:
    """Yield environments whose rewards come late, in another order, or never."""
    yield Delayed(Bernoulli([mean, 0.0, min(1.0, 1.5 * mean)]), delay=[0, 30])
    yield Delayed(Bernoulli([mean, 0.5 * mean, 0.0]), delay=5, lost=0.3)


def _check_breaches(
    policy: Policy, environment: Environment, delta: float, horizon: int, runs: int, seed: int
) -> None:
    """Check that no more runs are ever below the floor than `delta` allows."""
    if policy.floor.max_loss is None:
        return
    results = simulate(policy, environment, horizon=horizon, runs=runs, seed=seed, progress=False)
    breaches = int(np.sum(results.first_breach > 0))
    assert not breaks_floor(results, delta), (
        f"below the floor in {breaches} of {runs} runs, where delta is {delta:g}: "
        f"{policy.proposer.propose.__name__} in {environment}"
    )


def _walk(policy: Policy, mean: float, horizon: int, seed: int) -> None:
    """Check every round of a run."""
    environment = Bernoulli([mean, mean / 2, 0.0])
    run = GuardedRun(policy, len(environment.means), horizon)
    draws = bind(environment.kernels()[draw], environment.kernels())
    rules, rng = environment.rules(), stream(seed, 0)
    for round in range(1, horizon + 1):
        candidate = run.propose(round, rng)
        probability = run.fallback_probability(round, candidate)
        _check_answer(policy.floor, run, round, candidate, probability)
        if probability == 1.0 and policy.floor.can_fast_forward and run.known_default:
            _check_skip(run, round, candidate)
        decision = run.decide_on(round, candidate, rng)
        exists = 0 <= decision.arm < run.n_arms
        assert exists, f"fallback_arm: arm {decision.arm} does not exist"
        run.play(decision.arm, decision.fallback_probability)
        reward = draws(rules, decision.arm, rng)
        run.observe(decision.arm, decision.fallback_probability, reward)


def _check_answer(
    floor: Floor, run: GuardedRun, round: int, candidate: int, probability: float
) -> None:
    """Check the floor's answer to one candidate."""
    prefix = f"fallback_probability: {probability} in round {round}"
    assert 0 <= probability <= 1, f"{prefix} is not from 0 to 1"
    assert floor.tosses_coins or probability in (0, 1), f"{prefix}, but it tosses no coins"
    run.guaranteed_budget(round, candidate)
    again = run.fallback_probability(round, candidate)
    assert again == probability, f"{prefix}, but {again} when asked again"
    for name in ("total", "average", "lower", "upper", "memory"):
        poisoned = run.copy()
        cells = poisoned.memory.floor.cells if name == "memory" else getattr(poisoned.arms, name)
        cells[:] = math.nan
        answer = poisoned.fallback_probability(round, candidate)
        allows = answer < probability
        assert not allows, f"{prefix}, but {answer} if {name} is NaN: it must refuse NaN"


def _check_skip(run: GuardedRun, round: int, candidate: int) -> None:
    """Check that a skip over default rounds has the same result as stepping through them."""
    rounds = run.default_rounds(round, candidate)
    assert rounds >= 1, f"default_rounds: {rounds} in round {round} is not at least 1"
    rounds = min(rounds, SKIPPED)
    stepped, skipped = run.copy(), run.copy()
    for later in range(round, round + rounds):
        refused = candidate == 0 or stepped.fallback_probability(later, candidate) == 1.0
        assert refused, f"default_rounds: {rounds} in round {round} skips an affordable candidate"
        stepped.play_default(1)
    skipped.fast_forward(rounds)
    records = [*zip(stepped.arms, skipped.arms, strict=True)]
    records.append((stepped.memory.floor.cells, skipped.memory.floor.cells))
    same = all(np.allclose(a, b, rtol=1e-9, atol=1e-9) for a, b in records)
    assert same, f"can_fast_forward: a skip of {rounds} default plays differs from single ones"
