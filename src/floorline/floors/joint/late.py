"""The joint floor's accounts where rewards come late: the best of all cuts, or all plays.

The product behind the test grows along one time, so all arms are cut at the same decision. The
deficit is always that of all decisions made.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel, slot
from floorline.core.records import Arms, Floats
from floorline.floors.joint.cuts import (
    EARNED,
    FIELDS,
    PLAYED,
    SEEN,
    SEGMENTS,
    SPREAD,
    add_play,
    add_reward,
    cuts_size,
    make_room,
    segment_end,
    segment_of,
    tally_of,
)
from floorline.floors.joint.forms import JointRules, Tally
from floorline.floors.joint.memory import MEMORY

GROUPS = 2
"""The default, and all challengers."""

DECISIONS = MEMORY
"""Decisions made."""
NEXT_LOOK = MEMORY + 1
"""The number of decisions at which cuts are compared again."""
END = MEMORY + 2
"""Decisions before the cut that was best at the last comparison."""
USES_CUT = MEMORY + 3
"""1 if the plays before that cut proved more than all plays, else 0."""
NEWS = MEMORY + 4
"""Rewards that have arrived since cuts were compared."""
CUT = MEMORY + 5
"""The tally of the plays before that cut, kept up to date."""
ALL = CUT + GROUPS * FIELDS
"""The tally of all plays."""
CUTS = ALL + GROUPS * FIELDS
"""The cuts, segment by segment."""
GUESSES = CUTS + cuts_size(GROUPS)
"""Guesses of rewards, for forms that use the spread: the number of stretches of decisions with
guesses, then a guess for each stretch and group."""
STRETCHES = 4 * 48
"""Stretches of decisions with a guess each: four per doubling of decisions, up to 2^48 of them."""
START = GUESSES + 1 + GROUPS * STRETCHES
"""Decisions before the first usable cut: those made before the current default became one."""
BASE = START + 1
"""The tally of the plays before that cut, which are in no segment."""
SUM = BASE + GROUPS * FIELDS
"""Scratch space in which segments are added up; not part of the account."""
LATE_MEMORY = SUM + GROUPS * FIELDS - MEMORY


@slot
def proof(rules: JointRules, arms: Arms, memory: Floats, rounds: int, tally: Tally) -> float:
    """Return how much the plays of a tally prove in this round; larger is better."""
    raise NotImplementedError


@slot
def play_spread(memory: Floats, group: int, decision: int) -> float:
    """Return the largest spread that the reward of a play made now may have."""
    raise NotImplementedError


@slot
def spread_surplus(memory: Floats, group: int, decision: int, gain: float) -> float:
    """Return by how much less the rescaled reward of a play spreads; NaN for one that is lost."""
    raise NotImplementedError


@kernel
def no_play_spread(memory: Floats, group: int, decision: int) -> float:
    """Return 0: for forms that do not use the spread."""
    return 0.0


@kernel
def no_surplus(memory: Floats, group: int, decision: int, gain: float) -> float:
    """Return 0: for forms that do not use the spread."""
    return 0.0


@kernel
def count_play(
    rules: JointRules, arms: Arms, memory: Floats, arm: int, decision: int, probability: float
) -> None:
    """Count a play; plays of a default arm whose mean is known prove nothing.

    Cuts are compared here, not when the floor is asked: the choice must follow from the plays and
    rewards alone, not from who asked when.
    """
    looks = decision + 1 >= memory[NEXT_LOOK] and memory[NEWS] > 0.0 and misses_rewards(memory)
    memory[DECISIONS] = decision + 1
    segment = segment_of(memory, CUTS, decision)
    if segment >= SEGMENTS:
        make_room(memory, CUTS, GROUPS, decision)
        forget_cut(memory)  # it may lie inside a segment now
        segment = segment_of(memory, CUTS, decision)
    if arm > 0 or math.isnan(rules.default_mean):
        group = 1 if arm > 0 else 0
        spread = play_spread(memory, group, decision)
        group *= FIELDS
        add_play(memory, ALL + group, tally_of(CUTS, GROUPS, segment) + group, spread)
    if looks:
        look_at_cuts(rules, arms, memory, decision + 1)


@kernel
def count_reward(
    rules: JointRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    decision: int,
    probability: float,
    reward: float,
) -> None:
    """Add a reward to all sums that its play is in."""
    if arm > 0 or math.isnan(rules.default_mean):
        group = 1 if arm > 0 else 0
        memory[NEWS] += 1.0
        gain = (reward - rules.low) / rules.width
        less = spread_surplus(memory, group, decision, gain)
        group *= FIELDS
        segment = segment_of(memory, CUTS, decision)
        add_reward(memory, ALL + group, gain, less)
        add_reward(memory, tally_of(CUTS, GROUPS, segment) + group, gain, less)
        if decision < memory[END]:
            add_reward(memory, CUT + group, gain, less)


@kernel
def misses_rewards(memory: Floats) -> bool:
    """Return whether any reward is missing."""
    other = ALL + FIELDS
    default_misses = memory[ALL + SEEN] < memory[ALL + PLAYED]
    return default_misses or memory[other + SEEN] < memory[other + PLAYED]  # type: ignore[no-any-return]


@kernel
def tally_at(memory: Floats, place: int) -> Tally:
    """Return the tally that begins there."""
    other = place + FIELDS
    return Tally(
        memory[place + PLAYED],
        memory[place + SEEN],
        memory[place + EARNED],
        memory[place + SPREAD],
        memory[other + PLAYED],
        memory[other + SEEN],
        memory[other + EARNED],
        memory[other + SPREAD],
    )


@kernel
def forget_cut(memory: Floats) -> None:
    """Go back to the first cut."""
    memory[END] = memory[START]
    memory[USES_CUT] = 0.0
    for i in range(GROUPS * FIELDS):
        memory[CUT + i] = memory[BASE + i]


@kernel
def look_at_cuts(rules: JointRules, arms: Arms, memory: Floats, decisions: int) -> None:
    """Choose what proves most: the current cut, a later one, or all plays.

    Earlier cuts are not considered: rewards arrive in the end, and better cuts are later.
    """
    for i in range(GROUPS * FIELDS):
        memory[SUM + i] = memory[CUT + i]
    rounds = decisions + 1  # the next one is a challenger's
    most = proof(rules, arms, memory, rounds, tally_at(memory, CUT))
    last = segment_of(memory, CUTS, decisions)
    for segment in range(segment_of(memory, CUTS, int(memory[END])), last):
        source = tally_of(CUTS, GROUPS, segment)
        for i in range(GROUPS * FIELDS):
            memory[SUM + i] += memory[source + i]
        found = proof(rules, arms, memory, rounds, tally_at(memory, SUM))
        if found >= most:
            most = found
            memory[END] = segment_end(memory, CUTS, segment)
            for i in range(GROUPS * FIELDS):
                memory[CUT + i] = memory[SUM + i]
    everything = proof(rules, arms, memory, rounds, tally_at(memory, ALL))
    memory[USES_CUT] = 1.0 if everything < most else 0.0
    memory[NEXT_LOOK] = segment_end(memory, CUTS, last)
    memory[NEWS] = 0.0


@kernel
def best_place(memory: Floats) -> int:
    """Return where the better tally begins: that of all plays, or that before the cut."""
    return CUT if memory[USES_CUT] > 0.0 and misses_rewards(memory) else ALL


@kernel
def best_tally(memory: Floats) -> Tally:
    """Return the tally that the test uses."""
    return tally_at(memory, best_place(memory))
