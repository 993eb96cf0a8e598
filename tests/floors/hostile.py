"""Proposers that know the means, and want the floor to break."""

import math
from typing import NamedTuple

import numpy as np

from floorline import Bernoulli, Boundary, Gaussian, Proposer, kernel

DELTA = 0.2


class Hostile(NamedTuple):
    """What a hostile proposer knows, and how much luck it waits for."""

    means: np.ndarray
    good: int
    bad: int
    luck: float
    """How far challengers must be ahead of their means, and the default behind its own, for the
    bad challenger to be proposed."""
    patience: int
    """Rounds before the bad one is proposed at all."""


@kernel
def spiteful(rules: Hostile, arms, memory, round: int, rng) -> int:
    """The good challenger until luck has made it look even better, then the bad one."""
    luck = 0.0
    for i in range(1, len(arms.plays)):
        luck += arms.total[i] - arms.seen[i] * rules.means[i]
    luck -= arms.total[0] - arms.seen[0] * rules.means[0]
    return rules.bad if round > rules.patience and luck >= rules.luck else rules.good


SPITES = {
    "bad from the start": (-math.inf, 0),
    "bad from round 500": (-math.inf, 500),
    "bad while lucky": (0.0, 0),
    "bad while very lucky": (20.0, 100),
}
HOSTILE_ARMS = {
    "bounded": (Bernoulli([0.3, 0.33, 0.0]), Boundary("beta-binomial", DELTA)),
    "subgaussian": (Gaussian([0.3, 0.33, 0.0], 0.5), Boundary(delta=DELTA, noise_scale=0.5)),
}


def hostile(spite, environment):
    """A hostile proposer for three arms of which the second is the good challenger."""
    luck, patience = SPITES[spite]
    return Proposer(spiteful, rules=Hostile(np.array(environment.means), 1, 2, luck, patience))
