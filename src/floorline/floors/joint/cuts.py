"""Late and lost rewards: what was played and earned before a common past decision, the cut.

A test of the joint floor holds at every cut at once, if the rewards still missing among the plays
before it are filled in at the worst: the lowest for a challenger, the highest for the default. The
best cut may be used. Few are worth considering: decisions are counted in at most SEGMENTS segments
of equal length, which doubles when there is no more room, and cuts are the ends of segments. So
there is a cut within 1/64 of the decisions of any moment, or within 8 decisions; a play or a reward
takes one step, comparing all cuts SEGMENTS steps.

Plays are counted in groups: the default and all others. A tally is four numbers per group. In a
part's memory the cuts begin at `at`: how often segments have doubled, then the tally of each
segment.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel
from floorline.core.records import Floats

SEGMENTS = 128
"""An even number."""

FIRST_LENGTH = 3
"""Logarithm to base 2 of the length of a segment at the start."""

PLAYED, SEEN, EARNED, SPREAD = range(4)
"""In a tally, for each group: plays, those whose reward was seen, the sum of these, and the spread
of all, missing rewards at the worst."""

FIELDS = 4


def cuts_size(groups: int) -> int:
    """Return how many numbers the cuts of so many groups take."""
    return 1 + FIELDS * groups * SEGMENTS


@kernel
def add_play(memory: Floats, place: int, other: int, spread: float) -> None:
    """Count a play of spread at most `spread` in the groups that begin at `place` and `other`."""
    memory[place + PLAYED] += 1.0
    memory[other + PLAYED] += 1.0
    if spread != 0.0:
        memory[place + SPREAD] += spread
        memory[other + SPREAD] += spread


@kernel
def add_reward(memory: Floats, place: int, reward: float, less: float) -> None:
    """Add the reward of a play to the group at `place`; its spread is `less` than was assumed.

    NaN removes the play, as if it had never been made.
    """
    if less != 0.0:
        memory[place + SPREAD] -= less
    if math.isnan(reward):
        memory[place + PLAYED] -= 1.0
        return
    memory[place + SEEN] += 1.0
    if reward != 0.0:
        memory[place + EARNED] += reward


@kernel
def tally_of(at: int, groups: int, segment: int) -> int:
    """Return the index at which the tally of a segment begins."""
    return at + 1 + FIELDS * groups * segment


@kernel
def segment_of(memory: Floats, at: int, decision: int) -> int:
    """Return the segment of a decision, counted from 0."""
    return decision >> (FIRST_LENGTH + int(memory[at]))


@kernel
def segment_end(memory: Floats, at: int, segment: int) -> int:
    """Return the decisions up to the end of a segment."""
    return (segment + 1) << (FIRST_LENGTH + int(memory[at]))


@kernel
def make_room(memory: Floats, at: int, groups: int, decision: int) -> None:
    """Double segments until there is one for the newest decision."""
    while segment_of(memory, at, decision) >= SEGMENTS:
        _double(memory, at, groups)


@kernel
def _double(memory: Floats, at: int, groups: int) -> None:
    """Join segments two by two."""
    size = FIELDS * groups
    for segment in range(SEGMENTS):
        source = tally_of(at, groups, segment)
        target = tally_of(at, groups, segment // 2)
        for i in range(size):
            value = memory[source + i]
            memory[source + i] = 0.0  # before the sum, which may be at the same place
            memory[target + i] += value
    memory[at] += 1.0
