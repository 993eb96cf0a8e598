"""Evidence that a mean has changed: the plays before a point against those since.

While the mean is m, M_before(m) M_since(m) is a nonnegative supermartingale that starts at 1, where
M is the beta-binomial mixture of docs/guarantee.md. This holds for every point fixed in advance.
Point number j = 0, 1, ... raises an alarm once the least product over all m reaches
(j + 1)(j + 2) / level; a false alarm, at any point and time, then has probability `level` at most.

Points and priors are those of ledgers with `drift_watch="evidence"`, where all rewards must be
known; filled_evidence.py has their successor.
"""

from __future__ import annotations

import math

from floorline.core.beta import log_inverse_beta
from floorline.core.kernel import kernel
from floorline.core.records import TOLERANCE

RATIO = 1.25
"""Each change point looked at comes after this many times the plays of the one before."""


@kernel
def next_point(point: int) -> int:
    """Return the change point after `point`, in blocks of plays."""
    return max(point + 1, int(RATIO * point))


@kernel
def log_mixture(up: float, down: float, prior_up: float, prior_down: float) -> float:
    """Return the log of B(prior_up + up, prior_down + down) / B(prior_up, prior_down)."""
    start = log_inverse_beta(prior_up, prior_down)
    mixed = math.lgamma(prior_up + up) + math.lgamma(prior_down + down)
    return start + mixed - math.lgamma(prior_up + up + prior_down + down)


@kernel
def log_likelihood(up: float, down: float) -> float:
    """Return the log of the largest m^up (1 - m)^down."""
    plays = up + down
    value = 0.0
    if up > 0.0:
        value += up * math.log(up / plays)
    if down > 0.0:
        value += down * math.log(down / plays)
    return value


@kernel
def change_evidence(
    before_plays: int, before_total: float, since_plays: int, since_total: float
) -> float:
    """Return the least log evidence against any unchanged mean, from rewards rescaled to [0, 1].

    The mean with the least evidence is the average of all rewards. The prior of the later plays
    depends on the earlier ones, which is allowed: it is fixed before the first play that it is for.
    Its mean is theirs, and the rarer of success and failure counts as 2.
    """
    mean = (before_total + 0.5) / (before_plays + 1)
    strength = 2.0 / min(mean, 1.0 - mean)
    total = before_total + since_total
    evidence = log_mixture(before_total, before_plays - before_total, 0.5, 0.5)
    evidence += log_mixture(
        since_total, since_plays - since_total, strength * mean, strength * (1.0 - mean)
    )
    return evidence - log_likelihood(total, before_plays + since_plays - total)


@kernel
def known_change_evidence(mean: float, since_plays: float, since_total: float) -> float:
    """Return the same for a mean that is known, from 0 to 1."""
    failures = since_plays - since_total
    rounding = TOLERANCE * since_plays  # rounding of the sums, and of moving them to [0, 1]
    if mean <= 0.0:
        return math.inf if since_total > rounding else 0.0
    if mean >= 1.0:
        return math.inf if failures > rounding else 0.0
    strength = 2.0 / min(mean, 1.0 - mean)
    evidence = log_mixture(since_total, failures, strength * mean, strength * (1.0 - mean))
    return evidence - since_total * math.log(mean) - failures * math.log1p(-mean)
