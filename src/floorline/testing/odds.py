"""Statistical comparisons that a correct part almost never fails."""

from __future__ import annotations

import math

import numpy as np

from floorline.core.records import Counts, Floats
from floorline.simulation import Results
from floorline.verification.binomial import at_least

FALSE_ALARM = 1e-9
"""The largest chance that one comparison fails although the part is correct."""


def too_often(count: int, trials: int, chance: float) -> bool:
    """Return whether `count` of `trials` shows that an event is likelier than `chance`."""
    return count > 0 and at_least(count, trials, chance) < FALSE_ALARM


def breaks_floor(results: Results, delta: float) -> bool:
    """Return whether runs are below the floor more often than with probability `delta`."""
    breaches = int((results.first_breach > 0).sum())
    return too_often(breaches, results.first_breach.size, delta)


def too_seldom(count: int, trials: int, chance: float) -> bool:
    """Return whether `count` of `trials` shows that an event is less likely than `chance`."""
    return too_often(trials - count, trials, 1.0 - chance)


def distributions_differ(some: Floats | Counts, others: Floats | Counts) -> bool:
    """Return whether two samples show that they come from different distributions.

    By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, which holds for any
    distribution: each sample's distribution function is within sqrt(log(4 / alarm) / (2 n)) of
    the true one, except with half the chance of a false alarm.
    """
    values = np.union1d(some, others)
    shares = [
        np.searchsorted(np.sort(sample), values, side="right") / sample.size
        for sample in (some, others)
    ]
    limits = [math.sqrt(math.log(4 / FALSE_ALARM) / (2 * n)) for n in (some.size, others.size)]
    return bool(np.max(np.abs(shares[0] - shares[1])) > sum(limits))
