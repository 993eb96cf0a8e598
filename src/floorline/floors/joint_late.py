"""The joint floor's accounts where rewards come late: the best of all cuts, or all plays.

The product behind the test grows along one time, so all arms are cut at the same decision. The
deficit is always that of all decisions made.
"""

from __future__ import annotations

import math
from typing import Any

from floorline.core.kernel import kernel, slot
from floorline.core.records import Arms, Floats
from floorline.floors.joint_cuts import (
    EARNED,
    FIELDS,
    PLAYED,
    SEEN,
    add_play,
    add_reward,
    cut_play,
    cut_reward,
    cuts_size,
    make_room,
    segment_end,
    segment_of,
    tally_of,
)
from floorline.floors.joint_evidence import default_deficit
from floorline.floors.joint_forms import JointRules, Tally, evidence, fill_in, mixture, sure_sum
from floorline.floors.joint_memory import CHALLENGERS, COST, DEFAULT, MEMORY, PLAYS, SURE, TOTAL

GROUPS = 2
"""The default, and all challengers."""

DECISIONS = MEMORY
"""Decisions made."""
NEXT_LOOK = MEMORY + 1
"""At how many decisions all cuts are looked at again."""
END = MEMORY + 2
"""Decisions before the cut that was best then."""
CUT = MEMORY + 3
"""The tally of the plays before that cut, kept up to date."""
ALL = CUT + GROUPS * FIELDS
"""The tally of all plays."""
CUTS = ALL + GROUPS * FIELDS
LATE_MEMORY = CUTS + cuts_size(GROUPS) - MEMORY


@slot
def proof(rules: JointRules, deficit: float, shift: float, tally: Tally) -> float:
    """Return how much the plays of a tally prove: of two, take the one with more."""
    raise NotImplementedError


@kernel
def count_play(rules: JointRules, arms: Arms, memory: Floats, arm: int, decision: int) -> None:
    """Count a play; plays of a default arm of known mean prove nothing."""
    memory[DECISIONS] = decision + 1
    make_room(memory, CUTS, GROUPS, decision)
    if arm > 0 or math.isnan(rules.default_mean):
        group = 1 if arm > 0 else 0
        cut_play(memory, CUTS, GROUPS, group, decision)
        add_play(memory, ALL, group)


@kernel
def count_reward(
    rules: JointRules, arms: Arms, memory: Floats, arm: int, decision: int, reward: float
) -> None:
    """Add a reward to all sums that its play is in."""
    if arm > 0 or math.isnan(rules.default_mean):
        group = 1 if arm > 0 else 0
        gain = (reward - rules.low) / rules.width
        cut_reward(memory, CUTS, GROUPS, group, decision, gain)
        add_reward(memory, ALL, group, gain)
        if decision < memory[END]:
            add_reward(memory, CUT, group, gain)


@kernel
def tally_at(memory: Floats, place: int) -> Tally:
    """The tally that begins there."""
    other = place + FIELDS
    return Tally(
        memory[place + PLAYED],
        memory[place + SEEN],
        memory[place + EARNED],
        memory[other + PLAYED],
        memory[other + SEEN],
        memory[other + EARNED],
    )


@kernel
def is_complete(tally: Tally) -> bool:
    """Whether no reward is missing."""
    default_seen = tally.default_seen >= tally.default_plays
    return default_seen and tally.challenger_seen >= tally.challenger_plays


@kernel
def look_at_cuts(
    rules: JointRules, memory: Floats, decisions: int, deficit: float, shift: float
) -> None:
    """Keep the cut that proves most, the last of several."""
    for i in range(GROUPS * FIELDS):
        memory[CUT + i] = 0.0
    last = segment_of(memory, CUTS, decisions - 1)
    best = 0
    most = -math.inf
    for segment in range(last + 1):
        _add_segment(memory, segment)
        found = proof(rules, deficit, shift, tally_at(memory, CUT))
        if found >= most:
            most = found
            best = segment
    for i in range(GROUPS * FIELDS):
        memory[CUT + i] = 0.0
    for segment in range(best + 1):
        _add_segment(memory, segment)
    memory[END] = min(segment_end(memory, CUTS, best), decisions)
    memory[NEXT_LOOK] = segment_end(memory, CUTS, last)


@kernel
def _add_segment(memory: Floats, segment: int) -> None:
    """Add the plays of a segment to those before the cut."""
    source = tally_of(memory, CUTS, GROUPS, segment)
    for i in range(GROUPS * FIELDS):
        memory[CUT + i] += memory[source + i]


@kernel
def best_tally(rules: JointRules, arms: Arms, memory: Floats) -> Tally:
    """All plays if no reward is missing; else these, or those before the cut."""
    everything = tally_at(memory, ALL)
    if is_complete(everything):
        return everything
    decisions = int(memory[DECISIONS])
    deficit = default_deficit(rules.max_loss, decisions + 1, arms.plays[0])
    shift = rules.shift * (decisions + 1)
    if decisions >= memory[NEXT_LOOK]:
        look_at_cuts(rules, memory, decisions, deficit, shift)
    cut = tally_at(memory, CUT)
    if proof(rules, deficit, shift, everything) >= proof(rules, deficit, shift, cut):
        return everything
    return cut


@kernel
def missing_cost(rules: JointRules, tally: Tally) -> float:
    """What filling in may add to the evidence where the lowest reward is not 0 (point 14)."""
    return 0.0 if rules.shift == 0.0 or is_complete(tally) else 0.25 / rules.weight


@kernel
def proof_learned(rules: JointRules, deficit: float, shift: float, tally: Tally) -> float:
    """Least evidence against a negative budget."""
    default_total, challenger_total = fill_in(tally)
    found = evidence(
        rules,
        deficit,
        shift,
        tally.default_plays,
        default_total,
        tally.challenger_plays,
        challenger_total,
        mixture(rules, tally.default_plays, default_total),
        mixture(rules, tally.challenger_plays, challenger_total),
    )
    return found - missing_cost(rules, tally)


@kernel
def recount_learned(
    rules: JointRules, arms: Arms, memory: Floats, pending: Any, low: float
) -> None:
    """Set the sums that the test is made of."""
    tally = best_tally(rules, arms, memory)
    default_total, challenger_total = fill_in(tally)
    memory[DEFAULT + PLAYS] = tally.default_plays
    memory[DEFAULT + TOTAL] = default_total
    memory[DEFAULT + COST] = mixture(rules, tally.default_plays, default_total)
    cost = mixture(rules, tally.challenger_plays, challenger_total)
    memory[CHALLENGERS + PLAYS] = tally.challenger_plays
    memory[CHALLENGERS + TOTAL] = challenger_total
    memory[CHALLENGERS + COST] = cost - missing_cost(rules, tally)


@kernel
def proof_known(rules: JointRules, deficit: float, shift: float, tally: Tally) -> float:
    """What challengers have surely earned."""
    _, challenger_total = fill_in(tally)
    return sure_sum(rules, tally.challenger_plays, challenger_total)


@kernel
def recount_known(rules: JointRules, arms: Arms, memory: Floats, pending: Any, low: float) -> None:
    """Set what challengers have surely earned."""
    memory[SURE] = proof_known(rules, 0.0, 0.0, best_tally(rules, arms, memory))
