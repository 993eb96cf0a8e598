"""What becomes of a late reward: when it is known, whether it comes at all, or again."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.kernel import kernel
from floorline.core.late import Span
from floorline.core.random import uniform
from floorline.core.records import FOREVER, Counts, Floats

SILENCES = ("unknown", "zero", "random")
UNKNOWN, ZERO, RANDOM = range(3)


class DelayedEnvironment(NamedTuple):
    """What the arms pay, and what becomes of it on the way.

    Rewards are of two kinds: 0 or less, and above 0.
    """

    rewards: Any
    """The record of the environment that draws them."""
    span: Span
    delays: Counts
    """Delays, drawn evenly: those of rewards of 0 or less first."""
    first: Counts
    """Where each kind's delays begin, and where the last end."""
    lost: Floats
    """Share lost: of each arm's rewards of 0 or less, then of those above, arm by arm."""
    repeated: Floats
    """Share of those known in time that come a second time, likewise."""
    window: int
    missing: int
    batch: int


class Fate(NamedTuple):
    """What becomes of the reward of one play."""

    closed_after: int
    """The round after which the play is closed."""
    reward: float
    """What it is closed with; NaN: it is skipped."""
    again_after: int
    """The round after which the same reward comes again."""


@kernel
def fate(rules: DelayedEnvironment, arm: int, round: int, reward: float, rng: Any) -> Fate:
    """What becomes of a reward of `arm` in `round`."""
    kind = 1 if reward > 0.0 else 0
    delay = _delay(rules, kind, uniform(rng))
    # One draw tells what is lost, what comes again and when: repeats change no other draw.
    luck = uniform(rng)
    lost = rules.lost[2 * arm + kind]
    if luck < lost or delay > rules.window:
        if rules.missing == UNKNOWN:
            return Fate(FOREVER, reward, FOREVER)
        closed_after = _next_news(rules, round + rules.window)
        return Fate(closed_after, 0.0 if rules.missing == ZERO else math.nan, FOREVER)
    again_after = FOREVER
    repeated = (1.0 - lost) * rules.repeated[2 * arm + kind]
    if luck - lost < repeated:
        delay_again = _delay(rules, kind, (luck - lost) / repeated)
        again_after = _next_news(rules, round + delay + 1 + delay_again)
    return Fate(_next_news(rules, round + delay), reward, again_after)


@kernel
def _delay(rules: DelayedEnvironment, kind: int, luck: float) -> int:
    """The delay of a reward of one kind that belongs to a uniform draw."""
    start = rules.first[kind]
    return int(rules.delays[start + int(luck * (rules.first[kind + 1] - start))])


@kernel
def _next_news(rules: DelayedEnvironment, round: int) -> int:
    """The first round from `round` on after which news comes."""
    return (round + rules.batch - 1) // rules.batch * rules.batch
