"""One run, decided and observed one round at a time in plain Python."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from floorline.core.kernel import bind
from floorline.core.records import Counts, Floats, new_arms, new_memory
from floorline.core.slots import guaranteed_budget
from floorline.core.steps import decide, forget, observe, play
from floorline.environments import Environment
from floorline.environments.base import draw
from floorline.policy import Policy
from floorline.simulation.engines.cpu import stream


class Trace(NamedTuple):
    """One run, an entry for every round."""

    candidate: Counts
    arm: Counts
    guaranteed: Floats
    """The budget that would stay guaranteed if the candidate were played."""

    @property
    def refused(self) -> Counts:
        """The rounds, counted from 1, in which an arm other than the candidate was played."""
        return np.flatnonzero(self.arm != self.candidate) + 1


def step_through(policy: Policy, environment: Environment, *, horizon: int, seed: int = 1) -> Trace:
    """Return run 0 of a policy in a stochastic environment, by `decide` and `observe` alone."""
    n_arms = len(environment.means)
    prepared = policy.prepare(n_arms, horizon)
    rules = prepared.rules
    decides, guarantees, plays, observes, forgets = (
        bind(prepared.kernels.get(verb, verb), prepared.kernels)
        for verb in (decide, guaranteed_budget, play, observe, forget)
    )
    draws = bind(environment.kernels()[draw], environment.kernels())
    arms, memory, rng = new_arms(n_arms), new_memory(prepared.memory), stream(seed, 0)
    forgets(rules, arms, memory)
    trace = Trace(np.empty(horizon, np.int64), np.empty(horizon, np.int64), np.empty(horizon))
    for t in range(horizon):
        decision = decides(rules, arms, memory, t + 1, rng, rng)
        arm = decision.arm
        trace.candidate[t], trace.arm[t] = decision.candidate, arm
        trace.guaranteed[t] = guarantees(rules.floor, arms, memory.floor, t + 1, decision.candidate)
        probability = decision.fallback_probability
        plays(rules, arms, memory, arm, probability)
        known = arm == 0 and not math.isnan(rules.default_mean)
        reward = rules.default_mean if known else draws(environment.rules(), arm, rng)
        observes(rules, arms, memory, arm, probability, reward)
    return trace
