"""The budget picture of the paper's stochastic section, drawn from one real run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from floorline.core.boundaries import Boundary
from floorline.core.kernel import bind
from floorline.core.records import Counts, Floats, new_arms
from floorline.core.steps import fall_back, forget, observe, play, weigh
from floorline.environments import Environment, Gaussian
from floorline.environments.base import draw
from floorline.floors import ConfidenceFloor
from floorline.paper.style import legend, pyplot, save, tidy
from floorline.policies import Policy
from floorline.proposers import optimistic
from floorline.simulate.cpu import stream

# Wide gaps, little noise and a large loss: one page then shows saving up, exploring, being ahead.
MEANS = (0.5, 0.8, 0.1, 0.1)
NOISE_SCALE = 0.3
MAX_LOSS = 0.25
DELTA = 0.05
ROUNDS = 50
SEED = 2

BLUE, GREEN, RED = "#0072b2", "#009e73", "#d55e00"


class Trace(NamedTuple):
    """One run, an entry for every round."""

    candidate: Counts
    arm: Counts
    guaranteed: Floats
    """The budget that would stay guaranteed if the candidate were played."""

    @property
    def refused(self) -> Counts:
        """The rounds, counted from 1, in which another arm than the candidate was played."""
        return np.flatnonzero(self.arm != self.candidate) + 1


def trace(policy: Policy, environment: Environment, horizon: int, seed: int) -> Trace:
    """One run of a policy, decided and observed round by round in plain Python."""
    n_arms = len(environment.means)
    prepared = policy.prepare(n_arms, horizon)
    rules = prepared.rules
    weighs, observes, forgets = (bind(verb, prepared.kernels) for verb in (weigh, observe, forget))
    falls_back = bind(prepared.kernels[fall_back], prepared.kernels)
    draws = bind(environment.kernels()[draw], environment.kernels())
    arms, memory = new_arms(n_arms), np.zeros(prepared.memory)
    rng = stream(seed, 0)
    forgets(rules, arms, memory)
    found = Trace(np.empty(horizon, np.int64), np.empty(horizon, np.int64), np.empty(horizon))
    for t in range(horizon):
        candidate, guaranteed = weighs(rules, arms, memory, t + 1, rng)
        fits = candidate == 0 or guaranteed >= 0
        arm = candidate if fits else falls_back(rules.floor, arms)
        play(arms, arm)
        known = arm == 0 and not math.isnan(rules.default_mean)
        reward = rules.default_mean if known else draws(environment.rules(), arm, rng)
        observes(rules, arms, memory, arm, reward)
        found.candidate[t], found.arm[t], found.guaranteed[t] = candidate, arm, guaranteed
    return found


def draw_budget(folder: Path) -> None:
    """One run of Conservative UCB: its reward, the default's, the floor, and what was refused."""
    policy = Policy(
        optimistic(), ConfidenceFloor(MAX_LOSS, MEANS[0]),
        Boundary("stitched", DELTA, NOISE_SCALE),
    )  # fmt: skip
    run = trace(policy, Gaussian(MEANS, NOISE_SCALE), ROUNDS, SEED)
    rounds = np.arange(ROUNDS + 1)
    earned = np.concatenate([[0], np.cumsum(np.array(MEANS)[run.arm])])
    default, floor = MEANS[0] * rounds, (1 - MAX_LOSS) * MEANS[0] * rounds
    safe = np.flatnonzero(run.arm != 0) + 1
    figure, (top, bottom) = pyplot().subplots(
        2, 1, figsize=(8, 7.5), sharex=True, layout="constrained", height_ratios=(3, 2)
    )
    top.plot(rounds, earned, color=BLUE, lw=2.5, label="this run")
    top.plot(rounds, default, color=GREEN, ls=":", lw=2.5, label=r"default arm: $\mu_0 t$")
    top.plot(rounds, floor, color=RED, ls="--", lw=2, label=r"floor: $(1-\alpha)\mu_0 t$")
    bottom.plot(rounds, earned - floor, color=BLUE, lw=2.5)
    bottom.axhline(0, color=RED, ls="--", lw=2)
    steps = {
        "guaranteed if the candidate is played: enough": (safe, BLUE, "o", BLUE),
        "guaranteed if the candidate is played: too little, refused": (
            run.refused,
            RED,
            "v",
            "white",
        ),
    }
    for axes, base in ((top, floor), (bottom, np.zeros(ROUNDS + 1))):
        for label, (at, colour, marker, fill) in steps.items():
            level = base[at] + run.guaranteed[at - 1]
            axes.vlines(at, level, (base + earned - floor)[at], color=colour, lw=0.8, alpha=0.5)
            axes.plot(at, level, marker, ms=5, color=colour, mfc=fill, label=label)
    top.set(ylabel="cumulative expected reward")
    bottom.set(xlabel="round", ylabel="budget: reward above the floor", xlim=(0, ROUNDS + 0.5))
    legend(top, loc="upper left")
    tidy(top)
    tidy(bottom)
    save(figure, folder, "budget")
