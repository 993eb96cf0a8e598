"""An A/B test: a share of the traffic explores for a fixed time, then the winner takes all."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple

from floorline.core.checks import number, whole
from floorline.core.kernel import kernel
from floorline.core.random import uniform
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer

WINNER = 0
"""Memory cell of the winner, counted from 1; 0 while the test is running."""


class SplitRules(NamedTuple):
    """Share of the traffic, length of the test, and standard errors by which a winner must lead."""

    share: float
    duration: int
    margin: float


@kernel
def split_arm(rules: SplitRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return a challenger in a share of the test's rounds, else the default; later the winner."""
    if round <= rules.duration:
        level = uniform(rng)
        if level >= rules.share:
            return 0
        challengers = len(arms.plays) - 1
        return 1 + min(challengers - 1, int(level / rules.share * challengers))
    if memory[WINNER] == 0.0:
        memory[WINNER] = 1.0 + pick_winner(rules, arms)
    return int(memory[WINNER]) - 1


@kernel
def pick_winner(rules: SplitRules, arms: Arms) -> int:
    """Return the challenger furthest ahead of the default, if significantly so; else 0."""
    winner = 0
    lead = 0.0
    if arms.seen[0] == 0:
        return 0
    for i in range(1, len(arms.plays)):
        if arms.seen[i] == 0:
            continue
        error = math.sqrt(1.0 / arms.seen[0] + 1.0 / arms.seen[i])
        ahead = arms.average[i] - arms.average[0]
        if ahead > rules.margin * error and ahead > lead:
            winner = i
            lead = ahead
    return winner


@kernel
def split_chance(rules: SplitRules, arms: Arms, memory: Floats, candidate: int, arm: int) -> float:
    """Return each arm's share during the test, and 1 for the winner after it."""
    if memory[WINNER] > 0.0:
        return 1.0 if arm == candidate else 0.0
    if arm == 0:
        return 1.0 - rules.share
    return rules.share / (len(arms.plays) - 1)


def ab_test(
    n_arms: int, duration: int, share: float = 0.1, delta: float = 0.05, noise_scale: float = 1.0
) -> Proposer:
    """Return standard practice: test with a share of the traffic for a fixed time, then decide.

    The challengers get equal parts of the share. Afterwards the challenger with the best average
    is played if it beats the default in a one-sided z-test at level delta over the number of
    challengers; else the default is.

    Args:
        n_arms: how many arms there are, including the default.
        duration: rounds of the test.
        share: the share of its rounds that challengers get.
        delta: the chance that a challenger wins although none is better.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].
    """
    n_arms = whole("n_arms", n_arms, 2)
    duration = whole("duration", duration, 0)
    number("share", share, 0, 1)
    number("delta", delta, 0, 1, open_low=True)
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    level = min(delta / (n_arms - 1), 0.5)
    margin = -noise_scale * NormalDist().inv_cdf(level)
    return Proposer(
        split_arm,
        rules=SplitRules(float(share), duration, margin),
        shared_memory=1,
        chance=split_chance,
        n_arms=n_arms,
    )
