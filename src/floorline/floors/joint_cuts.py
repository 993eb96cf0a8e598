"""Late and lost rewards: what was played and earned before a common past decision, the cut.

A test of the joint floor holds at every cut at once, if the rewards still missing among the plays
before it are filled in at the worst: the lowest for a challenger, the highest for the default. So
does an interval of one arm, filled in at its own worst. The best cut may be taken. Few are worth
looking at: decisions are counted in at most SEGMENTS segments of equal length, which doubles when
there is no more room, and cuts are the ends of segments. So there is a cut within 1/64 of the
decisions of any moment, or within 8 decisions; a play or a reward takes one step, looking at all
cuts SEGMENTS steps.

Plays are counted in groups, such as the arms, or the default and all others. A tally is three
numbers a group. In a part's memory the cuts begin at `at`: how often segments have doubled, then
the tally of each segment.
"""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel
from floorline.core.records import Floats
from floorline.core.slots import lower_end, upper_end

SEGMENTS = 128
"""An even number."""

FIRST_LENGTH = 3
"""Logarithm to base 2 of the length of a segment at the start."""

PLAYED, SEEN, EARNED = range(3)
"""In a tally, for each group: plays, those whose reward was seen, and the sum of these."""

FIELDS = 3


def cuts_size(groups: int) -> int:
    """How many numbers the cuts of so many groups take."""
    return 1 + FIELDS * groups * SEGMENTS


@kernel
def add_play(memory: Floats, tally: int, group: int) -> None:
    """Count a play."""
    memory[tally + FIELDS * group + PLAYED] += 1.0


@kernel
def add_reward(memory: Floats, tally: int, group: int, reward: float) -> None:
    """Add the reward of a play; NaN takes the play out, as if it had never been made."""
    place = tally + FIELDS * group
    if math.isnan(reward):
        memory[place + PLAYED] -= 1.0
    else:
        memory[place + SEEN] += 1.0
        memory[place + EARNED] += reward


@kernel
def tally_of(memory: Floats, at: int, groups: int, segment: int) -> int:
    """Where the tally of a segment begins."""
    return at + 1 + FIELDS * groups * segment


@kernel
def segment_of(memory: Floats, at: int, decision: int) -> int:
    """The segment of a decision, counted from 0."""
    return decision >> (FIRST_LENGTH + int(memory[at]))


@kernel
def segment_end(memory: Floats, at: int, segment: int) -> int:
    """The decisions up to the end of a segment."""
    return (segment + 1) << (FIRST_LENGTH + int(memory[at]))


@kernel
def make_room(memory: Floats, at: int, groups: int, decision: int) -> None:
    """Have a segment for the newest decision, counted from 0, whether or not its play counts."""
    while segment_of(memory, at, decision) >= SEGMENTS:
        _double(memory, at, groups)


@kernel
def cut_play(memory: Floats, at: int, groups: int, group: int, decision: int) -> None:
    """Count a play in the newest decision, for which there is room."""
    segment = segment_of(memory, at, decision)
    add_play(memory, tally_of(memory, at, groups, segment), group)


@kernel
def cut_reward(
    memory: Floats, at: int, groups: int, group: int, decision: int, reward: float
) -> None:
    """Add the reward of the play in that decision; NaN takes the play out."""
    segment = segment_of(memory, at, decision)
    add_reward(memory, tally_of(memory, at, groups, segment), group, reward)


@kernel
def _double(memory: Floats, at: int, groups: int) -> None:
    """Join segments two by two."""
    size = FIELDS * groups
    for segment in range(SEGMENTS):
        source = tally_of(memory, at, groups, segment)
        target = tally_of(memory, at, groups, segment // 2)
        for i in range(size):
            value = memory[source + i]
            memory[source + i] = 0.0  # before the sum, which may be at the same place
            memory[target + i] += value
    memory[at] += 1.0


@kernel
def cut_ends(
    boundary: Any,
    boundary_memory: Floats,
    memory: Floats,
    at: int,
    n_arms: int,
    decisions: int,
    arm: int,
    low: float,
    high: float,
) -> tuple[float, float]:
    """The best lower and upper end of an arm's interval over all cuts, each at its own.

    The groups of these cuts are the arms.
    """
    lower = low
    upper = high
    plays = 0.0
    seen = 0.0
    total = 0.0
    for segment in range(segment_of(memory, at, decisions - 1) + 1):
        place = tally_of(memory, at, n_arms, segment) + FIELDS * arm
        plays += memory[place + PLAYED]
        seen += memory[place + SEEN]
        total += memory[place + EARNED]
        if seen > 0.0:
            missing = plays - seen
            count = int(plays)
            least, most = total + missing * low, total + missing * high
            lower = max(lower, lower_end(boundary, boundary_memory, arm, count, least))
            upper = min(upper, upper_end(boundary, boundary_memory, arm, count, most))
    return lower, upper
