"""The lambdas, their weights and the ladder of probabilities of the randomised floor.

Any choice is safe if it is fixed at the start. These were chosen by simulation; what else was
tried is in docs/randomised-floor.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from floorline.core.checks import number, require
from floorline.core.records import Floats
from floorline.floors.randomised.bound import RandomisedRules, penalty

RUNGS = (
    0.95,
    0.9,
    0.8,
    0.7,
    0.6,
    0.5,
    0.4,
    0.3,
    0.2,
    0.14,
    0.1,
    0.07,
    0.05,
    0.035,
    0.025,
    0.018,
    0.012,
    0.008,
    0.006,
)
"""Probabilities of the default that are tried, as far as they are above the holdback."""

LAMBDAS = np.geomspace(0.004, 0.97 * math.log(1 / (1 - RUNGS[0])), 16)
"""From what a million decisions need to what the first rung allows; their weights are equal."""

SURVIVED_WINS = 4.0
"""Wins of the default in a row, each earning the most, that a probability must survive."""


def smallest_holdback(lambdas: Floats = LAMBDAS) -> float:
    """Return the probability of the default that leaves no lambda; a holdback is above it."""
    return 1 - math.exp(-lambdas[0])


def randomised_rules(
    max_loss: float,
    delta: float = 0.05,
    *,
    low: float = 0.0,
    high: float = 1.0,
    holdback: float = 0.05,
    in_flight_rate: float = 1.0,
    in_flight_burst: float = 0.0,
    rungs: Sequence[float] = RUNGS,
    lambdas: Floats = LAMBDAS,
) -> RandomisedRules:
    """Return the rules for rewards in [low, high] and a default never rarer than `holdback`.

    Args:
        max_loss: the share of the default's rewards that may be lost.
        delta: the probability, over the coins, that the floor ever fails.
        low: the least that a reward can be; 0 or more.
        high: the most that a reward can be.
        holdback: the smallest probability of the default.
        in_flight_rate: with `in_flight_burst`, an assumption about pending rewards: k coin rounds
            that the default won, whose rewards are pending, earn at most rate k + burst together,
            in units of high - low. At 1 nothing is assumed.
        in_flight_burst: see `in_flight_rate`.
        rungs: probabilities of the default to choose from, falling; those above the holdback
            count.
        lambdas: the rates of the mixture, rising; their weights are equal.
    """
    number("max_loss", max_loss, 0, 1)
    number("delta", delta, 0, 1, open_low=True)
    number("low", low, 0, math.inf)
    number("high", high, low, math.inf, open_low=True)
    number("holdback", holdback, smallest_holdback(lambdas), 1, open_low=True)
    require(holdback < 1, "holdback", "below 1", holdback)
    number("in_flight_rate", in_flight_rate, 0, 1)
    number("in_flight_burst", in_flight_burst, 0, math.inf)
    ladder = np.array([p for p in rungs if p > holdback] + [holdback])
    usable = np.array([int(np.sum((1 - p) * np.exp(lambdas) < 1)) for p in ladder])
    table = [
        penalty(lambdas[j], p, 1.0) if j < usable[k] else math.inf
        for j in range(len(lambdas))
        for k, p in enumerate(ladder)
    ]
    return RandomisedRules(
        max_loss=float(max_loss),
        low=float(low),
        span=float(high - low),
        patience=SURVIVED_WINS,
        in_flight_rate=float(in_flight_rate),
        in_flight_burst=float(in_flight_burst),
        lambdas=lambdas,
        limits=np.full(len(lambdas), math.log(len(lambdas) / delta)),
        ladder=ladder,
        usable=usable,
        table=np.array(table),
    )
