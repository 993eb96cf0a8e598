"""Confidence sequences for averages of numbers that are bounded on one side only.

Let X_s >= -c be the number of round s, with mean V_s given the past, and h_s in [0, 1] be known
before it. With y = (X - h) / (1 + c) >= -1 and 0 <= g < 1, Fan's inequality says

    exp(g y - psi(g) y^2) <= 1 + g y,    psi(g) = -log(1 - g) - g,

so exp(g sum (X_s - V_s) / (1 + c) - psi(g) sum y_s^2) is a supermartingale, and so is a mixture of
these over several g: by Ville's inequality it ever exceeds 1 / alpha with probability at most
alpha. The sum of X_s - V_s at which it does bounds the average of the V_s from below, at all times
simultaneously, however the V_s change and however large X may be.
"""

from __future__ import annotations

import math

import numpy as np

from floorline.core.checks import number, require
from floorline.core.records import Floats

RATES = 0.75 * 0.5 ** np.arange(40)
"""The g of the mixture: one fits any number of rounds."""
WEIGHTS = 1.0 / ((np.arange(40) + 1.0) * (np.arange(40) + 2.0))
"""Their weights, which add up to less than 1."""
PENALTIES = -np.log1p(-RATES) - RATES


def error_probability(confidence: float) -> float:
    """Return 1 - confidence; raise unless the confidence is at least 0 and below 1."""
    require(confidence != 1, "confidence", "below 1, since nothing is certain", confidence)
    return 1 - number("confidence", confidence, 0, 1)


def lower_average(values: Floats, alpha: float, below: float = 0.0) -> float:
    """Return a lower bound on the average of the values' means, each given the values before it.

    With probability 1 - alpha it holds at all times simultaneously.

    Args:
        values: numbers of at least -below, in order.
        alpha: the probability that the bound ever fails.
        below: how far below 0 they can be.
    """
    counts = np.arange(1, len(values) + 1)
    averages = np.cumsum(values) / counts
    guesses = np.clip(np.concatenate([[0.5], averages[:-1]]), 0.0, 1.0)
    scale = 1.0 + below
    squares = float(np.sum(((values - guesses) / scale) ** 2))
    excess = scale * excess_at(squares, math.log(1 / alpha))
    return float(averages[-1]) - excess / len(values)


def excess_at(squares: float, level: float) -> float:
    """Return the sum of deviations at which the logarithm of the mixture reaches `level`."""
    shift = np.log(WEIGHTS) - PENALTIES * squares

    def log_mixture(excess: float) -> float:
        terms = shift + RATES * excess
        top = float(terms.max())
        return top + math.log(float(np.exp(terms - top).sum()))

    low, high = 0.0, 1.0
    while log_mixture(high) < level:
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if log_mixture(middle) >= level else (middle, high)
    return high
