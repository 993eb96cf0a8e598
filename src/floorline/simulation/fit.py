"""Checks that a policy and an environment fit together, before a run and after it."""

from __future__ import annotations

import sys
import warnings

import numpy as np

from floorline.boundaries import Boundary
from floorline.core.checks import require
from floorline.core.records import Floats
from floorline.environments import Environment
from floorline.environments.moments import changes, features_of
from floorline.floors import RandomisedFloor
from floorline.policy import Policy
from floorline.simulation.loops.run import NO_SUCH_ARM, RunRecords


def check_fit(policy: Policy, environment: Environment, horizon: int, means: Floats) -> None:
    """Raise ValueError, or warn, if the policy's guarantee does not hold in this environment."""
    require(means[0] >= 0, "means", "at least 0 for the default arm", float(means[0]))
    known = policy.floor.default_mean
    allowed = f"the mean of the environment's default arm ({means[0]})"
    require(known is None or abs(known - means[0]) < 1e-12, "default_mean", allowed, known)
    built_for = policy.proposer.n_arms
    allowed = f"{built_for}, for which the proposer was built"
    require(built_for in (None, len(means)), "arms", allowed, len(means))
    read = policy.proposer.n_features
    if read not in (0, features_of(environment)):
        raise ValueError(
            f"environment: this proposer reads {read} features of a visitor (see Linear); here "
            f"there are {features_of(environment)}"
        )
    if policy.floor.private_clock and not environment.adversarial:
        raise ValueError(
            "environment: this policy needs an adversary, since its floor assumes a default arm "
            "that pays exactly its mean every time"
        )
    if policy.unit_rewards and not environment.bounded:
        raise ValueError(
            "environment: this policy needs rewards in [0, 1] (Bernoulli, Tabulated or an "
            f"adversary); these are in [{environment.low:g}, {environment.high:g}]"
        )
    if isinstance(policy.floor, RandomisedFloor):
        check_range(policy.floor, environment)
    elif environment.needs_coins:
        raise ValueError(
            f"environment: {type(environment).__name__} plays against a coin, and "
            f"{type(policy.floor).__name__} tosses none"
        )
    if environment.late:
        check_late(policy, environment)
    if environment.rounds is not None:
        allowed = f"at most the {environment.rounds} rounds of the table"
        require(horizon <= environment.rounds, "horizon", allowed, horizon)
    if policy.floor.max_loss is not None or policy.boundary is not None:
        low = policy.boundary.low if policy.boundary else 0.0
        require(bool(np.all(means >= low)), "means", f"at least low ({low:g})", means.tolist())
    if policy.boundary is not None:
        check_noise(policy.boundary, environment)
    if policy.proposer.gaussian_by_default and environment.bounded:
        warn_the_caller(
            "bounded: these rewards lie in [0, 1], and the policy's posteriors are Gaussian; "
            "PolicySetup.of(environment, horizon) makes them Beta, PolicySetup(..., bounded=False) "
            "keeps them Gaussian"
        )


def check_noise(boundary: Boundary, environment: Environment) -> None:
    """Raise ValueError, or warn, if the rewards are not what the boundary is proved for."""
    low, high = environment.low, environment.high
    if boundary.kind.needs_range:
        if low < boundary.low or high > boundary.high:
            raise ValueError(
                f"environment: boundary {boundary.name} needs rewards in "
                f"[{boundary.low:g}, {boundary.high:g}] (Bernoulli or Tabulated); these are in "
                f"[{low:g}, {high:g}]"
            )
    elif environment.noise_scale > boundary.noise_scale:
        warn_the_caller(
            f"noise_scale: rewards may have a scale of {environment.noise_scale:g}, and the "
            f"boundary assumes {boundary.noise_scale:g}; nothing is guaranteed then"
        )


def warn_the_caller(words: str) -> None:
    """Warn where the package was called, whichever function of it that was."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("floorline."):
        frame, level = frame.f_back, level + 1
    warnings.warn(words, stacklevel=level)


def check_range(floor: RandomisedFloor, environment: Environment) -> None:
    """Raise ValueError if rewards may lie outside the floor's range."""
    low, high = environment.low, environment.high
    if low < floor.low or high > floor.high:
        raise ValueError(
            f"environment: RandomisedFloor needs rewards in [{floor.low:g}, {floor.high:g}]; "
            f"these are in [{low:g}, {high:g}]"
        )


def check_late(policy: Policy, environment: Environment) -> None:
    """Raise ValueError if the policy cannot use late rewards, or not those of this environment."""
    allowed = "one whose floor accepts late rewards, such as ConfidenceFloor"
    floor = policy.floor
    takes_late = floor.takes_late_rewards or floor.counts_received
    require(takes_late, "policy", allowed, type(floor).__name__)
    if not policy.proposer.learns_late:
        raise ValueError("proposer: must be one that can learn from late rewards")
    if changes(environment):
        raise ValueError("environment: Delayed needs one whose means do not change")
    if floor.counts_received and environment.skips_lost:
        raise ValueError("missing: must be unknown or zero under this floor, not 'random'")
    kind = policy.boundary.kind if policy.boundary else None
    if kind is not None and kind.memory_size(1) > 0:
        raise ValueError(
            f"boundary: {kind.name} keeps single rewards in memory, and cannot use late ones"
        )


def check_arms(outcome: RunRecords) -> None:
    """Raise ValueError if the proposer named an arm that does not exist."""
    refuse_strays(int((outcome.first_breach == NO_SUCH_ARM).sum()), outcome.plays.shape[2])


def refuse_strays(strays: int, n_arms: int) -> None:
    """Raise ValueError if there are runs in which a nonexistent arm was named."""
    if strays:
        raise ValueError(
            f"proposer: must name one of the arms 0 to {n_arms - 1}, but named another"
        )
