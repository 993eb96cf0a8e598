"""Unbalanced UCB: a relative of Unbalanced MOSS that needs no horizon; the derivation is ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from floorline.core.checks import number, require
from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer
from floorline.proposers.classical_ucb import remember_spread
from floorline.proposers.growing_index import REMEMBERED, largest_index


class UnbalancedUcbRules(NamedTuple):
    """Subgaussian scale, and the logarithm of 1 / rate^2 for each arm."""

    noise_scale: float
    log_weights: Floats


@kernel
def unbalanced_ucb_index(
    rules: UnbalancedUcbRules, arms: Arms, memory: Floats, log_round: float, arm: int
) -> float:
    """Return average + noise_scale sqrt((4 / T) log+(t / rate^2))."""
    bonus = math.sqrt(4.0 * max(0.0, log_round + rules.log_weights[arm]))
    return arms.average[arm] + rules.noise_scale * bonus * memory[arm]  # type: ignore[no-any-return]


def unbalanced_ucb(target_rates: Sequence[float], noise_scale: float = 1.0) -> Proposer:
    """Return a proposer that trusts arms with small target rates more, and explores others less.

    A target rate c_i stands for the regret target B_i(t) = c_i sqrt(t) against arm i. The
    index average + noise_scale sqrt((4 / T) log+(t / c_i^2)) is that of Unbalanced MOSS with
    t^2 / B_i(t)^2 for n_i and the count left out of the logarithm.

    The index printed by Lattimore 2015 could not be verified; this derivation is our own
    (docs/unbalanced-ucb.md): its regret is logarithmic on every instance.

    Args:
        target_rates: c_i for each arm, above 0; the default arm's first.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].
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
        largest_index,
        learn=remember_spread,
        index=unbalanced_ucb_index,
        memory=1,
        shared_memory=REMEMBERED,
        rules=UnbalancedUcbRules(float(noise_scale), log_weights),
        n_arms=len(rates),
    )
