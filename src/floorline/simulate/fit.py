"""Whether a policy and an environment go together, before a run and after it."""

from __future__ import annotations

import warnings

import numpy as np

from floorline.core.boundaries import BETA_BINOMIAL
from floorline.core.checks import require
from floorline.core.records import Floats
from floorline.environments import Delayed, Environment, Scripted
from floorline.floors import ConfidenceFloor
from floorline.policy import Policy
from floorline.proposers.optimistic import most_promising
from floorline.simulate.loop import NO_SUCH_ARM, Outcome


def check_fit(policy: Policy, environment: Environment, horizon: int, means: Floats) -> None:
    """Refuse, or warn of, what would make the policy's promise meaningless."""
    require(means[0] >= 0, "means", "at least 0 for the default arm", float(means[0]))
    known = policy.floor.default_mean
    require(known is None or abs(known - means[0]) < 1e-12, "default_mean",
            f"the mean of the environment's default arm ({means[0]})", known)  # fmt: skip
    built_for = policy.proposer.n_arms
    require(built_for in (None, len(means)), "arms",
            f"{built_for}, for which the proposer was made", len(means))  # fmt: skip
    if policy.floor.own_rounds and not environment.adversarial:
        raise ValueError(
            "adversary: must be given for this policy, whose floor needs a default arm that pays "
            "exactly its mean every time"
        )
    if policy.unit_rewards and not environment.bounded:
        raise ValueError(
            "noise: must keep rewards within 0 and 1 for this policy: bernoulli, a table, "
            "or an adversary"
        )
    if isinstance(environment, Delayed):
        check_late(policy)
    if isinstance(environment, Scripted):
        require(horizon <= environment.rounds, "horizon",
                f"at most the {environment.rounds} rounds of the table", horizon)  # fmt: skip
    if policy.floor.max_loss is not None or policy.boundary is not None:
        lowest = policy.boundary.lowest_reward if policy.boundary else 0.0
        require(bool(np.all(means >= lowest)), "means",
                f"at least lowest_reward ({lowest:g})", means.tolist())  # fmt: skip
    boundary = policy.boundary
    if boundary is not None and boundary.name == BETA_BINOMIAL:
        least, most = environment.reward_range
        if least < boundary.lowest_reward or most > boundary.highest_reward:
            raise ValueError(
                f"noise: must keep rewards within {boundary.lowest_reward:g} and "
                f"{boundary.highest_reward:g} for boundary {BETA_BINOMIAL} "
                f"(bernoulli, or a table), not within {least:g} and {most:g}"
            )
    elif boundary is not None and environment.noise_scale > boundary.noise_scale:
        warnings.warn(
            f"noise_scale: rewards may have a scale of {environment.noise_scale:g}, and the "
            f"boundary was told {boundary.noise_scale:g}; nothing is guaranteed then",
            stacklevel=4,  # where `simulate` was called
        )


def check_late(policy: Policy) -> None:
    """Refuse a policy that is not made for late rewards."""
    require(isinstance(policy.floor, ConfidenceFloor), "policy",
            "one with a ConfidenceFloor where rewards come late",
            type(policy.floor).__name__)  # fmt: skip
    forgets = policy.proposer.memory == 0 or policy.proposer.propose is most_promising
    require(forgets, "policy",
            "one whose proposer keeps no memory of its own where rewards come late",
            policy.proposer.propose.__name__)  # fmt: skip


def check_arms(outcome: Outcome) -> None:
    """Refuse results of a proposer that named an arm that does not exist."""
    refuse_strays(int((outcome.first_breach == NO_SUCH_ARM).sum()), outcome.plays.shape[2])


def refuse_strays(strays: int, n_arms: int) -> None:
    """Refuse results if there are runs in which an arm was named that does not exist."""
    if strays:
        raise ValueError(
            f"proposer: must name one of the arms 0 to {n_arms - 1}, and named another"
        )
