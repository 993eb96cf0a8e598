"""Bayes-UCB (Kaufmann, Cappé and Garivier 2012): an upper quantile of each arm's posterior."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.beta import beta_fraction, log_inverse_beta
from floorline.core.checks import number
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats, NoRules
from floorline.proposers.base import Proposer
from floorline.proposers.kl_ucb import kl_index

NEWTON_STEPS = 50
PRECISION = 1e-12


class BayesUcbRules(NamedTuple):
    """Standard deviation of the rewards."""

    noise_scale: float


@kernel
def normal_quantile(log_tail: float) -> float:
    """Return the z >= 0 above which a standard normal lies with this log probability.

    The logarithm of the tail is concave and decreasing, so Newton's method converges from above;
    it starts at sqrt(-2 log_tail), since the tail at z is at most exp(-z^2 / 2).
    """
    z = math.sqrt(-2.0 * log_tail)
    for _ in range(NEWTON_STEPS):
        tail = 0.5 * math.erfc(z / math.sqrt(2.0))
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        step = (math.log(tail) - log_tail) * tail / density
        z += step
        if abs(step) <= PRECISION * (1.0 + z):
            break
    return max(z, 0.0)


@kernel
def beta_quantile(a: float, b: float, start: float, log_tail: float) -> float:
    """Return the q above which Beta(a, b) lies with this log probability, from `start` >= q.

    The logarithm of the tail is concave, as above, for a and b of at least 1.
    """
    q = start
    log_scale = log_inverse_beta(a, b)
    for _ in range(NEWTON_STEPS):
        rest = 1.0 - q
        if rest <= 0.0:
            break
        tail = beta_fraction(b, a, rest)
        log_density = log_scale + (a - 1.0) * math.log(q) + (b - 1.0) * math.log(rest)
        step = (math.log(tail) - log_tail) * tail / math.exp(log_density)
        q += step
        if abs(step) <= PRECISION:
            break
    return q


@kernel
def bayes_ucb_arm(rules: BayesUcbRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm with the largest quantile of N(average, noise_scale^2 / T) at 1 - 1/t."""
    width = rules.noise_scale * normal_quantile(-math.log(max(round, 2)))
    best = 0
    best_index = -math.inf
    for i in range(len(arms.plays)):
        if arms.plays[i] == 0:
            return i
        index = arms.average[i] + width / math.sqrt(arms.plays[i])
        if index > best_index:
            best = i
            best_index = index
    return best


@kernel
def beta_bayes_ucb_arm(rules: NoRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm with the largest quantile of Beta(1 + successes, 1 + failures) at 1 - 1/t."""
    log_tail = -math.log(max(round, 2))
    best = 0
    best_index = -math.inf
    for i in range(len(arms.seen)):
        a = 1.0 + arms.total[i]
        b = 1.0 + arms.seen[i] - arms.total[i]
        # By Chernoff's bound no quantile is larger than this, which rules out most arms.
        start = kl_index(a + b, a / (a + b), -log_tail)
        if start <= best_index:
            continue
        index = beta_quantile(a, b, start, log_tail)
        if index > best_index:
            best = i
            best_index = index
    return best


def bayes_ucb(noise_scale: float = 1.0) -> Proposer:
    """Return Bayes-UCB for Gaussian rewards with a flat prior, at the quantile 1 - 1/t.

    Args:
        noise_scale: standard deviation of the rewards.
    """
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    return Proposer(bayes_ucb_arm, rules=BayesUcbRules(float(noise_scale)))


def beta_bayes_ucb() -> Proposer:
    """Return Bayes-UCB for rewards in [0, 1] with a uniform prior, at the quantile 1 - 1/t.

    A reward between 0 and 1 counts as a fraction of a success.
    """
    return Proposer(beta_bayes_ucb_arm, unit_rewards=True)
