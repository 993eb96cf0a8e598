"""Evidence that a mean has changed that is sure whatever the missing rewards are.

A rise is least visible if all missing rewards before the point were the highest, and all since the
lowest. If the two conditions of `is_least_there` hold for these sums, every other completion, also
one without some of these plays, has at least their evidence, against every unchanged mean and for
every prior between the two ends (docs/joint-floor.md, steps 18a and 18b). A fall is a rise of 1
less the rewards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from floorline.core.kernel import kernel
from floorline.live.change_evidence import known_change_evidence, log_likelihood, log_mixture

SHAPE = 2.0
"""What the rarer of success and failure counts in the prior of the plays since."""

ADDED = 2 * SHAPE
"""Added to successes and failures before the mean of that prior is taken.

So it weighs half as much as the plays before at most, and a rise from 0 is found as well.
"""


class Counts(NamedTuple):
    """Some plays: the sum of their known rewards, of 1 less each, and how many are missing.

    In units of the range of rewards: for clicks successes, failures and missing rewards.
    """

    up: float
    down: float
    missing: float

    def swapped(self) -> Counts:
        """Return the same of 1 less the rewards."""
        return Counts(self.down, self.up, self.missing)


@kernel
def prior_of(up: float, down: float) -> tuple[float, float]:
    """Return the prior of the plays since, from the sums before."""
    weight = SHAPE / (min(up, down) + ADDED)
    return weight * (up + ADDED), weight * (down + ADDED)


@kernel
def rise_evidence(before: Counts, since: Counts) -> float:
    """Return the least log evidence against an unchanged mean; -inf if nothing is certain."""
    up, since_down = before.up + before.missing, since.down + since.missing
    low_up, low_down = prior_of(before.up, before.down + before.missing)
    high_up, high_down = prior_of(up, before.down)
    if before.missing + since.missing > 0.0:
        up = max(up, high_up - 0.5)  # more than can be is only worse
        if not is_least_there(up, before.down, since.up, since_down, low_up, low_down):
            return -math.inf
    mixed = log_mixture(since.up, since_down, low_up, low_down)
    if before.missing > 0.0:  # the mixture rises and then falls with the prior's mean, on each side
        mixed = min(mixed, log_mixture(since.up, since_down, high_up, high_down))
        if low_up < low_down and high_up > high_down:
            mixed = min(mixed, log_mixture(since.up, since_down, SHAPE, SHAPE))
    evidence = log_mixture(up, before.down, 0.5, 0.5) + mixed
    return evidence - log_likelihood(up + since.up, before.down + since_down)


@kernel
def is_least_there(
    up: float, down: float, since_up: float, since_down: float, prior_up: float, prior_down: float
) -> bool:
    """Return whether no completion has less evidence than these sums, at this and higher priors.

    The posterior of the plays since is above the average of all by half a play, and so is the
    average of all above the posterior of the plays before.
    """
    all_up, all_down = up + since_up, down + since_down
    since_is_above = (prior_up + since_up - 0.5) * all_down >= all_up * (prior_down + since_down)
    before_is_below = (up + 0.5) * all_down <= all_up * down
    return down > 0.0 and prior_down <= down and since_is_above and before_is_below


@kernel
def known_rise_evidence(mean: float, since: Counts) -> float:
    """Return the same for a mean that is known, from 0 to 1."""
    plays = since.up + since.down + since.missing
    if since.missing > 0.0 and 0.0 < mean < 1.0:
        weight = SHAPE / min(mean, 1.0 - mean)
        above = (weight * mean + since.up - 0.5) * (1.0 - mean)
        if above < mean * (weight * (1.0 - mean) + since.down + since.missing):
            return -math.inf
    return known_change_evidence(mean, plays, since.up)
