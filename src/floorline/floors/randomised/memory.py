"""Where the randomised floor keeps its numbers.

Single numbers come first, then rows with a number for each lambda or for each rung.
"""

from __future__ import annotations

from floorline.core.kernel import kernel
from floorline.floors.randomised.bound import RandomisedRules

# The first numbers of the memory. All of them start at 0.
ROUNDS = 0
DEFAULT_SUM = 1
CANDIDATE_SUM = 2
RETIRED = 3
"""Lambdas retired so far, from the largest; none ever comes back."""
CURRENT = 4
"""1 while the settled sums are those of the cached bounds, else 0."""
MOVED = 5
"""Rungs whose count of pending wins differs from that in the cached bounds."""
RUNG = 6
"""The rung of the last coin, where the search for the next one starts."""
SOLVED = 7
"""One more than the number of lambdas in the solved bound; 0 if there is no such bound."""
BOUND = 8
"""The solved bound on u."""
SETTLED = 9
"""From here on: S of each lambda from rewards that are known. The parts below follow it."""


@kernel
def filled_at(rules: RandomisedRules) -> int:
    """Return the index of each lambda's S with pending wins filled in, as in the cached bounds."""
    return SETTLED + len(rules.lambdas)


@kernel
def terms_at(rules: RandomisedRules) -> int:
    """Return the index of each lambda's share of the mixture at the solved bound."""
    return SETTLED + 2 * len(rules.lambdas)


@kernel
def pending_at(rules: RandomisedRules) -> int:
    """Return the index of each rung's pending wins: the default's coins without a reward yet."""
    return SETTLED + 3 * len(rules.lambdas)


@kernel
def cached_pending_at(rules: RandomisedRules) -> int:
    """Return the index of each rung's pending wins as used in the cached bounds."""
    return pending_at(rules) + len(rules.ladder)


@kernel
def wanted_at(rules: RandomisedRules) -> int:
    """Return the index of the least known budget that each rung needs, scaled; 0 if not cached."""
    return pending_at(rules) + 2 * len(rules.ladder)


def account_size(rules: RandomisedRules) -> int:
    """Return how many numbers of memory the account takes under these rules."""
    return SETTLED + 3 * len(rules.lambdas) + 3 * len(rules.ladder)
