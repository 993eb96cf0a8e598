"""Policies to be evaluated, as their probability of each arm in each logged decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from floorline.core.checks import choice, number, require, whole
from floorline.core.records import Floats
from floorline.offpolicy.logged import LoggedData
from floorline.policy import Policy
from floorline.simulation.stepping import Stepper

UNIFORM = "uniform"

Choose = Callable[[dict[str, Any] | None], Mapping[str, float]]
"""A user's own policy: maps the context of a request to the probability of each arm."""


def fixed_target(log: LoggedData, words: str) -> Floats:
    """Return the probabilities of a policy that never changes.

    Args:
        log: the decisions.
        words: the name of an arm; `uniform`; or a share for some arms: `now=0.2,video=0.8`.

    >>> log = LoggedData(("now", "video"), np.array([0, 1]), np.array([0.0, 1.0]), np.full(2, 0.5))
    >>> fixed_target(log, "now=0.2,video=0.8").tolist()
    [[0.2, 0.8], [0.2, 0.8]]
    """
    if words == UNIFORM and UNIFORM not in log.arms:
        shares = dict.fromkeys(log.arms, 1 / len(log.arms))
    elif "=" in words:
        pairs = [part.rpartition("=") for part in words.split(",")]
        shares = {name.strip(): _share(text) for name, _, text in pairs}
    else:
        shares = {choice("policy", words, log.arms): 1.0}
    return np.tile(_row(log, shares), (len(log), 1))


def target_of(log: LoggedData, choose: Choose) -> Floats:
    """Return the probabilities of a function of the context.

    Args:
        log: the decisions, with their contexts.
        choose: maps a context to the probability of each arm; arms that it leaves out have none.

    >>> contexts = [{"phone": True}, {"phone": False}]
    >>> arm, reward, half = np.array([0, 1]), np.array([0.0, 1.0]), np.full(2, 0.5)
    >>> log = LoggedData(("now", "video"), arm, reward, half, contexts=contexts)
    >>> target_of(log, lambda context: {"now" if context["phone"] else "video": 1.0}).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    contexts = log.contexts or [None] * len(log)
    return np.array([_row(log, choose(context)) for context in contexts])


def followed_target(log: LoggedData, policy: Policy, seed: int = 1) -> Floats:
    """Return the probabilities of a policy that learns from the log as it goes.

    It observes every logged arm with its reward, so it learns from the logged decisions, not from
    its own; `replay` lets it learn from its own.

    Args:
        log: the decisions.
        policy: one whose probabilities are known, and whose floor tosses no coins.
        seed: for its draws.
    """
    require(isinstance(policy, Policy), "policy", "a Policy", policy)
    if policy.floor.tosses_coins:
        raise ValueError("policy: a randomised floor keeps account of its own plays; use replay")
    rng, coin = (np.random.default_rng([whole("seed", seed, 0), use]) for use in range(2))
    stepper = Stepper(policy, len(log.arms), len(log), rng, coin)
    rows = []
    for arm, reward in zip(log.arm.tolist(), log.reward.tolist(), strict=True):
        decision = stepper.decide()
        chances = stepper.chances(decision)
        if chances is None:
            raise ValueError(
                "policy: its probabilities are not known, so weights cannot be computed; use "
                "replay, or a policy whose probabilities are known, such as thompson-votes"
            )
        rows.append(chances)
        stepper.learn(arm, reward, decision.fallback_probability)
    return np.array(rows)


def _share(text: str) -> float:
    try:
        return number("share", float(text), 0, 1)
    except ValueError:
        raise ValueError(f"policy: a share must be a number from 0 to 1, not {text!r}") from None


def _row(log: LoggedData, shares: Mapping[str, float]) -> list[float]:
    require(isinstance(shares, Mapping), "policy", "a function to each arm's share", shares)
    for name in shares:
        choice("policy: an arm", name, log.arms)
    total = math.fsum(shares.values())
    require(abs(total - 1) < 1e-9, "policy: the shares", "such that they add up to 1", total)
    return [float(shares.get(name, 0.0)) for name in log.arms]
