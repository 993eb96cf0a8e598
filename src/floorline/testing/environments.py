"""The suite for environments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from floorline.boundaries import Boundary
from floorline.core.kernel import bind
from floorline.core.records import Floats, new_arms
from floorline.environments import Environment
from floorline.environments.adversary import set_rewards
from floorline.environments.arrivals import arrival_of
from floorline.environments.base import draw, draw_sum
from floorline.environments.moments import changes, click_now, kinds_of, mean_now, visitor_kind
from floorline.floors import ConfidenceFloor, NoFloor, RandomisedFloor
from floorline.policy import Policy
from floorline.proposers import optimistic
from floorline.simulation.engines.cpu import stream
from floorline.testing.guard import Guarded, read_only
from floorline.testing.hostile import in_turn
from floorline.testing.odds import FALSE_ALARM, distributions_differ, too_often
from floorline.testing.policies import check_policy

SUMMED = 7
"""Rewards in each sum by which `draw_sum` and `draw` are compared."""


def check_environment(environment: Environment, *, draws: int = 4000, seed: int = 1) -> None:
    """Raise AssertionError unless the environment's rewards are as declared.

    False alarm: below 1e-6 in total. For rewards that are drawn:

    - each arm's average agrees with its mean, given the noise scale;
    - every reward lies in [low, high];
    - `noise_scale` is a subgaussian scale, as far as the variance and the tails show;
    - `draw_sum` agrees in distribution with sums of single draws;
    - where rewards come late: all this for the rewards that plays are closed with;
    - where means change: for the current means, in some rounds, for the kinds that occur.

    For an adversary: it sets every arm's reward in every round, within [low, high], and the
    default's to its mean, unless it needs coins to play against; it only reads the arms and their
    chances, which may be unknown.

    Policies in it pass `check_policy`: compiled equals interpreted, and so on.

    Args:
        environment: the environment.
        draws: how many rewards of each arm are drawn, or the most rounds played.
        seed: any whole number from 0.
    """
    means = np.array(environment.means)
    fits = means.ndim == 1 and means.size >= 2 and bool(np.all(np.isfinite(means)))
    assert fits, f"means: {environment.means} are not two or more finite numbers"
    low, high = environment.low, environment.high
    fits = bool(np.all((low <= means) & (means <= high)))
    assert fits, f"means: {environment.means} are not within low ({low}) and high ({high})"
    assert environment.bounded == (low >= 0 and high <= 1), "bounded: is not low >= 0, high <= 1"
    if environment.adversarial:
        _check_rewards_set(environment, draws, seed)
        policy = Policy(in_turn(), RandomisedFloor(0.3) if environment.needs_coins else NoFloor())
    elif changes(environment):
        _check_moments(environment, draws, seed)
        policy = _floored(environment)
    else:
        _check_rewards_drawn(environment, draws, seed)
        policy = _floored(environment)
    horizon = min(60, environment.rounds or 60)
    check_policy(policy, environment, horizon=horizon, runs=10, seed=seed)


def _floored(environment: Environment) -> Policy:
    """Return a policy that fits the rewards of this environment."""
    scale = max(environment.noise_scale, 1e-6)
    boundary = Boundary(noise_scale=scale, low=min(0.0, *environment.means))
    return Policy(optimistic(), ConfidenceFloor(0.2), boundary)


def _check_rewards_drawn(environment: Environment, draws: int, seed: int) -> None:
    """Check the rewards of each arm."""
    kernels = environment.kernels()
    single, summed = (bind(kernels[slot], kernels) for slot in (draw, draw_sum))
    arrives = bind(arrival_of, kernels)
    rules: Any = environment.rules()
    for arm in range(len(environment.means)):
        rng = stream(seed, arm)
        if environment.late:
            closed = (
                arrives(rules, arm, 1, single(rules.rewards, arm, rng), rng).reward
                for _ in range(draws)
            )
            rewards = np.array([reward for reward in closed if not math.isnan(reward)])
        else:
            rewards = np.array([single(rules, arm, rng) for _ in range(draws)])
            by_one = [sum(single(rules, arm, rng) for _ in range(SUMMED)) for _ in range(draws)]
            at_once = [summed(rules, arm, SUMMED, rng) for _ in range(draws)]
            # Sums in another order differ only in their last digits.
            differ = distributions_differ(np.round(by_one, 9), np.round(at_once, 9))
            assert not differ, f"draw_sum: sums of {SUMMED} rewards of arm {arm} differ from draws"
        _check_rewards(environment, arm, environment.means[arm], rewards)


def _check_moments(environment: Environment, draws: int, seed: int) -> None:
    """Check the rewards of each arm in some rounds, for the kinds of visitors that occur."""
    kernels = environment.kernels()
    draw_kind, mean_of = (bind(kernels[slot], kernels) for slot in (visitor_kind, mean_now))
    click = bind(click_now, kernels)
    rules, rng = environment.rules(), stream(seed, 0)
    for round in (1, 2, 30, 1000):
        kind = draw_kind(rules, rng)
        exists = 0 <= kind < kinds_of(environment)
        assert exists, f"visitor_kind: kind {kind} does not exist"
        for arm in range(len(environment.means)):
            rewards = np.array([click(rules, arm, round, kind, rng) for _ in range(draws)])
            _check_rewards(environment, arm, mean_of(rules, arm, round, kind), rewards)


def _check_rewards(environment: Environment, arm: int, mean: float, rewards: Floats) -> None:
    """Check the rewards of one arm against what the environment declares."""
    low, high, scale = environment.low, environment.high, environment.noise_scale
    inside = bool(np.all((low <= rewards) & (rewards <= high)))
    assert inside, f"arm {arm} paid {rewards.min()} to {rewards.max()}, not within {low} and {high}"
    n = rewards.size
    error = abs(float(rewards.mean()) - mean)
    allowed = scale * math.sqrt(2 * math.log(2 / FALSE_ALARM) / n) + 1e-9 * (1 + abs(mean))
    assert error <= allowed, (
        f"means: arm {arm} paid {rewards.mean():g} on average over {n} rewards, but its mean is "
        f"{mean:g} (noise_scale {scale:g})"
    )
    if scale == 0:
        return
    noise = (rewards - mean) / scale
    # Squares of subgaussian noise are no larger than those of Gaussian noise: Chernoff's bound
    # for chi-square holds, P(average >= 1 + x) <= exp(-n (x - log(1 + x)) / 2).
    excess = float(np.mean(noise**2)) - 1
    surprise = n * (excess - math.log1p(excess)) / 2 if excess > 0 else 0.0
    assert surprise <= -math.log(FALSE_ALARM), (
        f"noise_scale: {scale:g}, but the rewards of arm {arm} have a standard deviation of "
        f"{scale * math.sqrt(1 + excess):g}"
    )
    for distance in (2, 3, 4, 6):
        beyond = int(np.sum(np.abs(noise) >= distance))
        assert not too_often(beyond, n, min(1.0, 2 * math.exp(-(distance**2) / 2))), (
            f"noise_scale: {scale:g}, but {beyond} of {n} rewards of arm {arm} are {distance} "
            "times that from the mean"
        )


def _check_rewards_set(environment: Environment, draws: int, seed: int) -> None:
    """Check an adversary's rewards while arms are played at random."""
    kernels = environment.kernels()
    sets = bind(kernels[set_rewards], kernels)
    n_arms = len(environment.means)
    rules, rng, learner = environment.rules(), stream(seed, 0), stream(seed, 1)
    arms = new_arms(n_arms)
    for round in range(1, min(draws, environment.rounds or draws) + 1):
        unknown = round % 2 == 0
        chances = np.full(n_arms, math.nan if unknown else 1 / n_arms)
        rewards = np.full(n_arms, math.nan)
        sets(
            rules,
            read_only(arms),
            Guarded(chances, "the chances", read_only=True),
            round,
            rng,
            Guarded(rewards, "the rewards"),
        )
        inside = bool(np.all((environment.low <= rewards) & (rewards <= environment.high)))
        assert inside, f"set_rewards: {rewards} in round {round} are not within low and high"
        fixed = environment.needs_coins or rewards[0] == environment.means[0]
        assert fixed, (
            f"set_rewards: the default arm pays {rewards[0]} in round {round}, but "
            f"its mean is {environment.means[0]}"
        )
        arms.plays[int(learner.integers(n_arms))] += 1
