"""Exponential weights for adversarial bandits: Exp3-IX, and Exp3 with a prior."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import number, whole
from floorline.core.kernel import kernel
from floorline.core.random import uniform
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer

# Memory, for N arms: their estimated losses so far, their chances in the current round, the
# learning rate of that round, and its candidate, counted from 1 (0: nothing was proposed).
#
# A reward counts for the candidate, even where a floor played another arm in its place. The outcome
# of a proposal has exactly the chance of the proposal, which is known here; so the estimates are
# those of the game in which arms are proposed, and the regret bound holds in that game.
# Dividing the fallback's reward by that arm's own chance would count its losses too often.


class ExponentialRules(NamedTuple):
    """Learning rate, whether it falls as 1 / sqrt(clock), and the initial log weights."""

    rate: float
    falls: bool
    prior: Floats


@kernel
def weight(exponent: float) -> float:
    """Return exp(exponent), for exponents up to 0; the GPU engine has a faster version."""
    return math.exp(exponent)


@kernel
def exponential_arm(
    rules: ExponentialRules, arms: Arms, memory: Floats, round: int, rng: Any
) -> int:
    """Return an arm drawn with a chance proportional to exp(prior - rate * estimated loss)."""
    n_arms = len(arms.plays)
    rate = rules.rate
    if rules.falls:
        rate /= math.sqrt(round)
    memory[2 * n_arms] = rate
    top = -math.inf
    for i in range(n_arms):
        exponent = rules.prior[i] - rate * memory[i]
        memory[n_arms + i] = exponent
        if exponent > top:
            top = exponent
    total = 0.0
    for i in range(n_arms):
        relative = weight(memory[n_arms + i] - top)
        memory[n_arms + i] = relative
        total += relative
    scale = 1.0 / total
    level = total * uniform(rng)
    below = 0.0
    arm = 0
    for i in range(n_arms):
        below += memory[n_arms + i]
        memory[n_arms + i] *= scale
        if below <= level and arm < n_arms - 1:
            arm += 1
    memory[2 * n_arms + 1] = arm + 1
    return arm


@kernel
def drawn_chance(
    rules: ExponentialRules, arms: Arms, memory: Floats, candidate: int, arm: int
) -> float:
    """Return the chance with which `arm` could be drawn."""
    return memory[len(arms.plays) + arm]  # type: ignore[no-any-return]


@kernel
def learn_ix(rules: ExponentialRules, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Add the loss over (its chance plus half the learning rate): implicit exploration."""
    n_arms = len(arms.plays)
    candidate = int(memory[2 * n_arms + 1]) - 1
    if candidate >= 0:
        divisor = memory[n_arms + candidate] + 0.5 * memory[2 * n_arms]
        memory[candidate] += (1.0 - reward) / divisor


@kernel
def learn_unbiased(
    rules: ExponentialRules, arms: Arms, memory: Floats, arm: int, reward: float
) -> None:
    """Add the loss over its chance."""
    n_arms = len(arms.plays)
    candidate = int(memory[2 * n_arms + 1]) - 1
    if candidate >= 0:
        memory[candidate] += (1.0 - reward) / memory[n_arms + candidate]


def exp3_ix(n_arms: int) -> Proposer:
    """Return Exp3-IX with the any-time tuning eta_t = 2 gamma_t = sqrt(log N / (N t)) (Neu 2015).

    Its clock is the number of rounds in which it acted. Its regret after t of them is, with
    probability 1 - delta, at most 4 sqrt(t N log N) + (sqrt(t N / log N) + 1) log(2 / delta).

    Args:
        n_arms: N, the number of arms, including the default.
    """
    n_arms = whole("n_arms", n_arms, 2)
    rate = math.sqrt(math.log(n_arms) / n_arms)
    return Proposer(
        exponential_arm,
        learn=learn_ix,
        rules=ExponentialRules(rate, True, np.zeros(n_arms)),
        memory=2,
        shared_memory=2,
        chance=drawn_chance,
        unit_rewards=True,
        n_arms=n_arms,
        learns_late=False,
    )


def prior_target(n_arms: int, horizon: int, default_target: float) -> float:
    """Return the regret target that prior-weighted Exp3 uses: at most that of a uniform prior.

    A larger one would turn the prior against the default arm.
    """
    n_arms = whole("n_arms", n_arms, 2)
    horizon = whole("horizon", horizon, 1)
    number("default_target", default_target, 0, math.inf, open_low=True)
    return min(default_target, math.sqrt(2 * horizon * n_arms * math.log(n_arms)))


def prior_exp3(n_arms: int, horizon: int, default_target: float) -> Proposer:
    """Return Exp3 with a prior on the default arm, tuned for a small expected regret against it.

    Expected regret against the default arm is at most `default_target` (B) at the horizon n;
    against another at most (nN / B) log((N - 1) / (1 - exp(-B^2 / (2nN)))) + B / 2, N arms in
    all. It replaces Exp3-gamma of Lattimore 2015, which the paper names: that algorithm has such
    a guarantee, but its update could not be verified. The bounds are on the expectation only, and
    hold only at the horizon.

    Args:
        n_arms: N, the number of arms, including the default.
        horizon: n, the number of rounds.
        default_target: B, the expected regret against the default that is acceptable.
    """
    target = prior_target(n_arms, horizon, default_target)
    spread = max(target**2 / (2 * horizon * n_arms), 1e-300)
    # log of 1 - exp(-spread), shared by the others; expm1 keeps it exact for a small spread
    others = math.log(-math.expm1(-spread)) - math.log(n_arms - 1)
    prior = np.array([-spread] + [others] * (n_arms - 1))
    rules = ExponentialRules(target / (horizon * n_arms), False, prior)
    return Proposer(
        exponential_arm,
        learn=learn_unbiased,
        rules=rules,
        memory=2,
        shared_memory=2,
        chance=drawn_chance,
        unit_rewards=True,
        n_arms=n_arms,
        learns_late=False,
    )
