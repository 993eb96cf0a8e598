"""Late and lost rewards: every arm's plays before a common past decision, the cut.

A test of the joint floor holds at every cut at once, if the rewards still missing among the plays
before it are filled in at the worst: the lowest for a challenger, the highest for the default. So
does an interval of one arm, filled in at its own worst. The best cut may be taken. Few are worth
looking at: decisions are counted in at most SEGMENTS segments of equal length, which doubles when
there is no more room, and cuts are the ends of segments. So there is a cut within 1/64 of the
decisions of any moment; a play or a reward takes one step, looking at all cuts SEGMENTS steps an
arm.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import kernel
from floorline.core.records import Counts, Floats
from floorline.core.steps import lower_end, upper_end
from floorline.floors.joint_evidence import joint_evidence_bounded, unit_sum

SEGMENTS = 128
"""An even number."""


class Cuts(NamedTuple):
    """What each arm's plays of each segment of decisions have earned; arm by arm."""

    length: Counts
    """One number: decisions in a segment."""
    plays: Counts
    seen: Counts
    total: Floats


class Prefix(NamedTuple):
    """Plays before a cut: of the default and of all challengers, and the sums of rewards seen."""

    end: int
    """Decisions before the cut."""
    default_plays: int
    default_seen: int
    default_total: float
    challenger_plays: int
    challenger_seen: int
    challenger_total: float


def new_cuts(n_arms: int) -> Cuts:
    """A record for `n_arms` arms; `forget_cuts` starts it."""
    size = n_arms * SEGMENTS
    return Cuts(np.ones(1, int), np.zeros(size, int), np.zeros(size, int), np.zeros(size))


@kernel
def forget_cuts(cuts: Cuts) -> None:
    """Set the record back to the start, with no play in it."""
    cuts.length[0] = 1
    for i in range(len(cuts.plays)):
        cuts.plays[i] = 0
        cuts.seen[i] = 0
        cuts.total[i] = 0.0


@kernel
def cut_play(cuts: Cuts, arm: int, decision: int) -> None:
    """Count a play of `arm` in the newest decision, counted from 0."""
    while decision >= SEGMENTS * cuts.length[0]:
        _double(cuts)
    cuts.plays[arm * SEGMENTS + decision // cuts.length[0]] += 1


@kernel
def cut_reward(cuts: Cuts, arm: int, decision: int, reward: float) -> None:
    """Add the reward of the play of `arm` in that decision."""
    place = arm * SEGMENTS + decision // cuts.length[0]
    cuts.seen[place] += 1
    cuts.total[place] += reward


@kernel
def cut_skip(cuts: Cuts, arm: int, decision: int) -> None:
    """Take a play out, as if it had never been made: it is lost, whatever it earned."""
    cuts.plays[arm * SEGMENTS + decision // cuts.length[0]] -= 1


@kernel
def _double(cuts: Cuts) -> None:
    """Join segments two by two."""
    for arm in range(len(cuts.plays) // SEGMENTS):
        first = arm * SEGMENTS
        for i in range(SEGMENTS):
            place = first + i
            here = first + i // 2
            joined = 1 if i % 2 else 0  # the even one starts the sum, and is read before it
            cuts.plays[here] = joined * cuts.plays[here] + cuts.plays[place]
            cuts.seen[here] = joined * cuts.seen[here] + cuts.seen[place]
            cuts.total[here] = joined * cuts.total[here] + cuts.total[place]
        for i in range(first + SEGMENTS // 2, first + SEGMENTS):
            cuts.plays[i] = 0
            cuts.seen[i] = 0
            cuts.total[i] = 0.0
    cuts.length[0] *= 2


@kernel
def extend(cuts: Cuts, prefix: Prefix, decisions: int, segment: int) -> Prefix:
    """The plays before the end of `segment`, given those before its start.

    The last segment ends with the last of the `decisions` made so far.
    """
    plays = 0
    seen = 0
    total = 0.0
    for place in range(SEGMENTS + segment, len(cuts.plays), SEGMENTS):
        plays += cuts.plays[place]
        seen += cuts.seen[place]
        total += cuts.total[place]
    return Prefix(
        min(prefix.end + cuts.length[0], decisions),
        prefix.default_plays + cuts.plays[segment],
        prefix.default_seen + cuts.seen[segment],
        prefix.default_total + cuts.total[segment],
        prefix.challenger_plays + plays,
        prefix.challenger_seen + seen,
        prefix.challenger_total + total,
    )


@kernel
def observe_prefix(prefix: Prefix, arm: int, decision: int, reward: float) -> Prefix:
    """The same plays once the reward of `decision` is seen."""
    if decision >= prefix.end:
        return prefix
    if arm == 0:
        return Prefix(
            prefix.end,
            prefix.default_plays,
            prefix.default_seen + 1,
            prefix.default_total + reward,
            prefix.challenger_plays,
            prefix.challenger_seen,
            prefix.challenger_total,
        )
    return Prefix(
        prefix.end,
        prefix.default_plays,
        prefix.default_seen,
        prefix.default_total,
        prefix.challenger_plays,
        prefix.challenger_seen + 1,
        prefix.challenger_total + reward,
    )


@kernel
def prefix_evidence(
    prefix: Prefix, deficit: float, shift: float, low: float, high: float, rho: float
) -> float:
    """Evidence from the plays before a cut, missing rewards at the worst.

    `deficit` is that of all decisions made so far: later plays are credited with `low`.
    """
    width = high - low
    default_missing = prefix.default_plays - prefix.default_seen
    default_total = prefix.default_total + default_missing * high
    challenger_missing = prefix.challenger_plays - prefix.challenger_seen
    challenger_total = prefix.challenger_total + challenger_missing * low
    return joint_evidence_bounded(
        deficit,
        shift,
        prefix.default_plays,
        unit_sum(default_total, prefix.default_plays, low, width),
        unit_sum(challenger_total, prefix.challenger_plays, low, width),
        rho,
    )


@kernel
def best_prefix(
    cuts: Cuts, decisions: int, deficit: float, shift: float, low: float, high: float, rho: float
) -> Prefix:
    """The plays before the cut with the most evidence, all plays made so far included."""
    prefix = Prefix(0, 0, 0, 0.0, 0, 0, 0.0)
    best = prefix
    most = -math.inf
    segment = 0
    while prefix.end < decisions:
        prefix = extend(cuts, prefix, decisions, segment)
        segment += 1
        evidence = prefix_evidence(prefix, deficit, shift, low, high, rho)
        if evidence > most:
            most = evidence
            best = prefix
    return best


@kernel
def cut_ends(
    boundary: Any, cuts: Cuts, decisions: int, arm: int, low: float, high: float
) -> tuple[float, float]:
    """The best lower and upper end of an arm's interval over all cuts, each at its own."""
    lower = low
    upper = high
    plays = 0
    seen = 0
    total = 0.0
    for segment in range(-(-decisions // cuts.length[0])):
        place = arm * SEGMENTS + segment
        plays += cuts.plays[place]
        seen += cuts.seen[place]
        total += cuts.total[place]
        if seen > 0:
            missing = plays - seen
            lower = max(lower, lower_end(boundary, plays, total + missing * low))
            upper = min(upper, upper_end(boundary, plays, total + missing * high))
    return lower, upper
