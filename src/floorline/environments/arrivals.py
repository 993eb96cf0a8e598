"""How rewards are delayed, lost and repeated: the rules of an environment, and its kernels."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.kernel import kernel
from floorline.core.random import uniform
from floorline.core.records import FOREVER, Counts, Floats

MISSING_POLICIES = ("unknown", "zero", "random")
"""The values of `missing`: what a campaign takes a missing reward to be."""
UNKNOWN, ZERO, RANDOM = range(3)


class DelayedRules(NamedTuple):
    """How rewards are drawn, delayed and lost.

    Rewards are of two kinds: 0 or less, and above 0.
    """

    rewards: Any
    """The record of the environment that draws the rewards."""
    low: float
    """Lower bound on every reward."""
    high: float
    """Upper bound on every reward."""
    delays: Counts
    """Delays, drawn uniformly: those of rewards of 0 or less first."""
    first: Counts
    """Index in `delays` of the first delay of each kind of reward; last, the length of `delays`."""
    lost: Floats
    """For each arm, the share lost: of its rewards of 0 or less, then of those above."""
    repeated: Floats
    """In the same order, the share of rewards known in time that arrive a second time."""
    window: int
    missing: int
    batch: int


class Arrival(NamedTuple):
    """When the reward of one play arrives, and its value."""

    closed_after: int
    """The round after which the play is closed."""
    reward: float
    """The value it is closed with; NaN if it is skipped."""
    again_after: int
    """The round after which the same reward arrives again."""


@kernel
def arrival_of(rules: DelayedRules, arm: int, round: int, reward: float, rng: Any) -> Arrival:
    """Return when a reward of `arm` in `round` arrives, and its value."""
    kind = 1 if reward > 0.0 else 0
    delay = _delay(rules, kind, uniform(rng))
    # One draw decides whether it is lost, and whether and when it is repeated: repeats change no
    # other draw.
    level = uniform(rng)
    lost = rules.lost[2 * arm + kind]
    if level < lost or delay > rules.window:
        if rules.missing == UNKNOWN:
            return Arrival(FOREVER, reward, FOREVER)
        closed_after = _next_batch(rules, round + rules.window)
        return Arrival(closed_after, 0.0 if rules.missing == ZERO else math.nan, FOREVER)
    again_after = FOREVER
    repeated = (1.0 - lost) * rules.repeated[2 * arm + kind]
    if level - lost < repeated:
        delay_again = _delay(rules, kind, (level - lost) / repeated)
        again_after = _next_batch(rules, round + delay + 1 + delay_again)
    return Arrival(_next_batch(rules, round + delay), reward, again_after)


@kernel
def _delay(rules: DelayedRules, kind: int, level: float) -> int:
    """Return the delay of a reward of one kind, given a uniform draw."""
    start = rules.first[kind]
    return int(rules.delays[start + int(level * (rules.first[kind + 1] - start))])


@kernel
def _next_batch(rules: DelayedRules, round: int) -> int:
    """Return the first round, not before `round`, after which a batch arrives."""
    return (round + rules.batch - 1) // rules.batch * rules.batch
