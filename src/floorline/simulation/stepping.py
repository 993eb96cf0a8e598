"""A policy in plain Python: it decides, and learns what an arm has earned, round by round."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from floorline.core.checks import require
from floorline.core.kernel import bind
from floorline.core.records import Choice, Counts, Floats, new_arms, new_memory
from floorline.core.slots import chance, guaranteed_budget
from floorline.core.steps import decide, forget, observe, play, refusal_probability
from floorline.environments import Environment
from floorline.environments.base import draw
from floorline.policy import Policy
from floorline.simulation.engines.cpu import stream


class Stepper:
    """One run of a policy, whose rewards come from the caller."""

    def __init__(
        self,
        policy: Policy,
        n_arms: int,
        horizon: int,
        rng: np.random.Generator,
        coin: np.random.Generator,
    ) -> None:
        """Start before the first round; `rng` is for the proposer, `coin` for the floor.

        Raises:
            ValueError: the proposer looks at features of the visitor; there are none here.
        """
        require(
            policy.proposer.n_features == 0,
            "policy",
            "one whose proposer reads no features of a visitor",
            f"one that reads {policy.proposer.n_features}",
        )
        prepared = policy.prepare(n_arms, horizon)
        self.rules = prepared.rules
        self.round = 1
        self._arms = new_arms(n_arms)
        self._memory = new_memory(prepared.memory)
        self._rng, self._coin = rng, coin
        kernels = prepared.kernels
        self._decide, self._play, self._observe, self._refusal = (
            bind(verb, kernels) for verb in (decide, play, observe, refusal_probability)
        )
        self._chance, self._guaranteed_budget = (
            bind(kernels[slot], kernels) for slot in (chance, guaranteed_budget)
        )
        bind(forget, kernels)(self.rules, self._arms, self._memory)

    def decide(self) -> Choice:
        """Return a decision for this round; a second call may draw another."""
        choice: Choice = self._decide(
            self.rules, self._arms, self._memory, self.round, self._rng, self._coin
        )
        return choice

    def learn(self, arm: int, reward: float, fallback_probability: float) -> None:
        """Record what an arm has earned in this round, and move on to the next."""
        self._play(self.rules, self._arms, self._memory, arm, fallback_probability)
        self._observe(self.rules, self._arms, self._memory, arm, fallback_probability, reward)
        self.round += 1

    def guaranteed(self, candidate: int) -> float:
        """Return the budget that would stay guaranteed if the candidate were played."""
        return float(
            self._guaranteed_budget(
                self.rules.floor, self._arms, self._memory.floor, self.round, candidate
            )
        )

    def chances(self, decision: Choice) -> Floats | None:
        """Return the probability of each arm in this round; None if they are not known."""
        rules, arms, memory = self.rules, self._arms, self._memory
        chances = np.zeros(len(arms.plays))
        for candidate in range(len(chances)):
            share = self._chance(
                rules.proposer, arms, memory.proposer, decision.candidate, candidate
            )
            if math.isnan(share):
                return None
            if share > 0:
                refusal = self._refusal(rules, arms, memory, self.round, candidate)
                kept = 1.0 if candidate == 0 else 1.0 - refusal
                chances[candidate] += share * kept
                chances[0] += share * (1.0 - kept)
        return chances


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
    rng = stream(seed, 0)
    stepper = Stepper(policy, len(environment.means), horizon, rng, rng)
    known = stepper.rules.default_mean
    draws = bind(environment.kernels()[draw], environment.kernels())
    trace = Trace(np.empty(horizon, np.int64), np.empty(horizon, np.int64), np.empty(horizon))
    for t in range(horizon):
        candidate, arm, _, probability = stepper.decide()
        trace.candidate[t], trace.arm[t] = candidate, arm
        trace.guaranteed[t] = stepper.guaranteed(candidate)
        drawn = arm > 0 or math.isnan(known)
        reward = draws(environment.rules(), arm, rng) if drawn else known
        stepper.learn(arm, reward, probability)
    return trace
