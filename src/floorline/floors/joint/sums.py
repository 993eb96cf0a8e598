"""The sums that the joint floor's test uses, from the plays counted."""

from __future__ import annotations

from floorline.core.kernel import Function, kernel, slot
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Floats
from floorline.floors.joint.cuts import EARNED, FIELDS, PLAYED, SEEN, SPREAD
from floorline.floors.joint.evidence import default_deficit
from floorline.floors.joint.forms import (
    JointRules,
    Tally,
    evidence,
    fill_in,
    hidden_evidence,
    leaves_cost,
    mixture,
    sure_sum,
)
from floorline.floors.joint.late import (
    best_place,
    best_tally,
    no_play_spread,
    no_surplus,
    play_spread,
    spread_surplus,
    tally_at,
)
from floorline.floors.joint.memory import (
    CHALLENGERS,
    CHALLENGERS_MISSING,
    COST,
    DEFAULT,
    DEFAULT_MISSING,
    ON_THEIR_WAY,
    PLAYS,
    REFUSAL_FOR,
    STATED_FOR,
    SURE,
    TOTAL,
    VOIDED,
)


@slot
def on_their_way(arms: Arms, counted: float) -> float:
    """Return the ratio of the challengers' plays not counted to those counted.

    0 unless all of them have the same mean.
    """
    raise NotImplementedError


@slot
def missing_cost(rules: JointRules, tally: Tally) -> float:
    """Return an upper bound on what filling in missing rewards has added to the evidence."""
    raise NotImplementedError


@kernel
def credit_none(arms: Arms, counted: float) -> float:
    """Return 0: challengers may differ, and their means may change."""
    return 0.0


@kernel
def credit_a_single_challenger(arms: Arms, counted: float) -> float:
    """Return that ratio for a single challenger; 0 if there are several."""
    if len(arms.plays) > 2 or counted <= 0.0:
        return 0.0
    return max(arms.plays[1] / counted - 1.0, 0.0)  # type: ignore[no-any-return]


@kernel
def cost_above_zero(rules: JointRules, tally: Tally) -> float:
    """Return what filling in may add to the evidence if the lowest reward is not 0 (point 14)."""
    plays, missing = tally.challenger_plays, tally.challenger_plays - tally.challenger_seen
    if rules.low == 0.0 or missing <= 0.0:
        return 0.0
    total, spread = tally.challenger_total, tally.challenger_spread
    return max(0.25 / rules.weight, hidden_evidence(rules, plays, missing, total, spread))


@kernel
def proof_learned(
    rules: JointRules, arms: Arms, memory: Floats, rounds: int, tally: Tally
) -> float:
    """Return the least log evidence against any negative budget."""
    default_total, challenger_total = fill_in(
        tally.default_total,
        tally.default_plays - tally.default_seen,
        tally.challenger_total,
        tally.challenger_plays - tally.challenger_seen,
    )
    each = 1.0 + on_their_way(arms, tally.challenger_plays)
    found = evidence(
        rules,
        default_deficit(rules.max_loss, rounds, arms.plays[0]) / each,
        rules.shift * rounds / each,
        tally.default_plays,
        default_total,
        tally.challenger_plays,
        challenger_total,
        mixture(rules, tally.default_plays, default_total, tally.default_spread),
        mixture(rules, tally.challenger_plays, challenger_total, tally.challenger_spread),
    )
    return found - missing_cost(rules, tally)


@kernel
def count_voided(memory: Floats, pending: PendingPlays, first: int) -> None:
    """Count the voided plays of the arms from `first` on."""
    by_arm = pending.voided
    voided = 0.0
    for i in range(first, len(by_arm)):
        voided += by_arm[i]
    memory[VOIDED] = voided


@kernel
def recount_learned(
    rules: JointRules, arms: Arms, memory: Floats, pending: PendingPlays, low: float
) -> None:
    """Set the sums that the test uses."""
    memory[STATED_FOR] = 0.0
    memory[REFUSAL_FOR] = 0.0
    count_voided(memory, pending, 1)
    place = best_place(memory)
    other = place + FIELDS
    default_plays, challenger_plays = memory[place + PLAYED], memory[other + PLAYED]
    default_missing = default_plays - memory[place + SEEN]
    challenger_missing = challenger_plays - memory[other + SEEN]
    default_total, challenger_total = fill_in(
        memory[place + EARNED], default_missing, memory[other + EARNED], challenger_missing
    )
    steady = leaves_cost(0.0)  # the cost of mixing changes only when a sum does
    if default_total != memory[DEFAULT + TOTAL] or not steady:
        spread = memory[place + SPREAD]
        memory[DEFAULT + COST] = mixture(rules, default_plays, default_total, spread)
        memory[DEFAULT + TOTAL] = default_total
    if challenger_total != memory[CHALLENGERS + TOTAL] or not steady or rules.low > 0.0:
        cost = mixture(rules, challenger_plays, challenger_total, memory[other + SPREAD])
        if challenger_missing > 0.0:
            cost -= missing_cost(rules, tally_at(memory, place))
        memory[CHALLENGERS + COST] = cost
        memory[CHALLENGERS + TOTAL] = challenger_total
    memory[ON_THEIR_WAY] = on_their_way(arms, challenger_plays)
    memory[DEFAULT_MISSING] = default_missing
    memory[CHALLENGERS_MISSING] = challenger_missing
    memory[DEFAULT + PLAYS] = default_plays
    memory[CHALLENGERS + PLAYS] = challenger_plays


@kernel
def proof_known(rules: JointRules, arms: Arms, memory: Floats, rounds: int, tally: Tally) -> float:
    """Return what challengers have surely earned, or will earn, in all plays."""
    _, challenger_total = fill_in(
        tally.default_total,
        tally.default_plays - tally.default_seen,
        tally.challenger_total,
        tally.challenger_plays - tally.challenger_seen,
    )
    plays = tally.challenger_plays
    sure = sure_sum(rules, plays, challenger_total, tally.challenger_spread)
    return sure * (1.0 + on_their_way(arms, plays))


@kernel
def recount_known(
    rules: JointRules, arms: Arms, memory: Floats, pending: PendingPlays, low: float
) -> None:
    """Set what challengers have surely earned."""
    count_voided(memory, pending, 1)
    memory[SURE] = proof_known(rules, arms, memory, 0, best_tally(memory))


WITHOUT_SPREAD: dict[Function, Function] = {
    play_spread: no_play_spread,
    spread_surplus: no_surplus,
    missing_cost: cost_above_zero,
}
"""Kernels for these slots in the forms that do not use the spread."""
