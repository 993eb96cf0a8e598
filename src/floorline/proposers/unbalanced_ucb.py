"""Unbalanced UCB: a relative of Unbalanced MOSS that needs no horizon; the derivation is ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import number, require
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer
from floorline.proposers.classical_ucb import remember_spread


class UnbalancedUcbRules(NamedTuple):
    """Subgaussian scale, and the logarithm of 1 / rate^2 for each arm."""

    noise_scale: float
    log_weights: Floats


@kernel
def unbalanced_ucb_arm(
    rules: UnbalancedUcbRules, arms: Arms, memory: Floats, round: int, rng: Any
) -> int:
    """The arm with the largest average + noise_scale sqrt((4 / T) log+(t / rate^2))."""
    log_round = math.log(round)
    best = 0
    best_index = -math.inf
    for i in range(len(arms.plays)):
        if arms.plays[i] == 0:
            return i
        bonus = math.sqrt(4.0 * max(0.0, log_round + rules.log_weights[i]))
        index = arms.average[i] + rules.noise_scale * bonus * memory[i]
        if index > best_index:
            best = i
            best_index = index
    return best


def unbalanced_ucb(target_rates: Sequence[float], noise_scale: float = 1.0) -> Proposer:
    """Proposes so that an arm with a small target rate is trusted more, and others explored less.

    A target rate c_i stands for the regret target B_i(t) = c_i sqrt(t) against arm i. The
    index average + noise_scale sqrt((4 / T) log+(t / c_i^2)) is that of Unbalanced MOSS with
    t^2 / B_i(t)^2 for n_i and the count left out of the logarithm.

    The index printed by Lattimore 2015 could not be verified; this derivation is our own
    (docs/unbalanced-ucb.md): its regret is logarithmic on every instance.
    """
    rates = np.asarray(target_rates, dtype=float)
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    require(
        rates.ndim == 1 and len(rates) > 1 and bool(np.all(rates > 0)),
        "target_rates",
        "a number above 0 for each of two or more arms",
        target_rates,
    )
    with np.errstate(divide="ignore"):
        log_weights = -2 * np.log(rates)
    return Proposer(
        unbalanced_ucb_arm,
        learn=remember_spread,
        memory=1,
        rules=UnbalancedUcbRules(float(noise_scale), log_weights),
        n_arms=len(rates),
    )
