"""A policy outside of a simulation: it decides, and is told what an arm has earned."""

from __future__ import annotations

import math

import numpy as np

from floorline.core.kernel import bind
from floorline.core.records import Choice, Floats, new_arms, new_memory
from floorline.core.slots import chance
from floorline.core.steps import candidate_of, decide_on, forget, observe, play, refusal_probability
from floorline.policy import Policy


class Stepper:
    """A policy for one run, round by round."""

    def __init__(self, policy: Policy, n_arms: int, horizon: int, seed: int) -> None:
        prepared = policy.prepare(n_arms, horizon)
        self._rules = prepared.rules
        self._arms = new_arms(n_arms)
        self._memory = new_memory(prepared.memory)
        self._rng = np.random.default_rng([seed, 0])
        self._coin = np.random.default_rng([seed, 1])
        self.round = 1
        kernels = prepared.kernels
        self._propose, self._decide_on, self._play, self._observe, self._refusal = (
            bind(verb, kernels)
            for verb in (candidate_of, decide_on, play, observe, refusal_probability)
        )
        self._chance = bind(kernels[chance], kernels)
        bind(forget, kernels)(self._rules, self._arms, self._memory)

    def decide(self) -> Choice:
        """Return the decision of this round; asked again, it may draw another."""
        candidate = self._propose(self._rules, self._arms, self._memory, self.round, self._rng)
        decision: Choice = self._decide_on(
            self._rules, self._arms, self._memory, self.round, candidate, self._coin
        )
        return decision

    def learn(self, arm: int, reward: float, fallback_probability: float) -> None:
        """Take in what an arm has earned in this round, and go on to the next."""
        self._play(self._rules, self._arms, self._memory, arm, fallback_probability)
        self._observe(self._rules, self._arms, self._memory, arm, fallback_probability, reward)
        self.round += 1

    def chances(self, decision: Choice) -> Floats | None:
        """Return the probability of each arm in this round; None if they are not known."""
        rules, arms, memory = self._rules, self._arms, self._memory
        found = np.zeros(len(arms.plays))
        for candidate in range(len(found)):
            share = self._chance(
                rules.proposer, arms, memory.proposer, decision.candidate, candidate
            )
            if math.isnan(share):
                return None
            if share > 0:
                refusal = self._refusal(rules, arms, memory, self.round, candidate)
                kept = 1.0 if candidate == 0 else 1.0 - refusal
                found[candidate] += share * kept
                found[0] += share * (1.0 - kept)
        return found
