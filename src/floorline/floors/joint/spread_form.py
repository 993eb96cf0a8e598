"""The form of the joint floor for rewards well inside their range: it learns their variance.

The spread is the sum of squared distances between rewards, rescaled to [0, 1], and guesses made
before them: the average of the group's rewards so far. Where rewards come late, a reward's guess
must still be known when it arrives, so guesses change only four times while decisions double.
"""

from __future__ import annotations

import math

from floorline.core.kernel import Function, kernel
from floorline.core.records import Floats
from floorline.floors.joint.cuts import EARNED, FIELDS, SEEN
from floorline.floors.joint.forms import (
    JointRules,
    Tally,
    evidence,
    fill_in,
    fill_with_bounds,
    leaves_cost,
    mixture,
    never,
    spread_of,
    sure_budget,
    sure_sum,
)
from floorline.floors.joint.late import ALL, GROUPS, GUESSES, STRETCHES, play_spread, spread_surplus
from floorline.floors.joint.sums import missing_cost
from floorline.floors.joint.variance import (
    guess,
    joint_evidence_variance,
    sure_budget_variance,
    sure_sum_variance,
)


@kernel
def squared_distance(gain: float, plays: float, total: float) -> float:
    """Return the squared distance of a reward to the average of those before it."""
    distance = gain - guess(plays, total)
    return distance * distance


@kernel
def whole_spread(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return the spread itself, which this form's evidence uses."""
    return spread


@kernel
def spread_evidence(
    rules: JointRules,
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_plays: float,
    challenger_total: float,
    default_spread: float,
    challenger_spread: float,
) -> float:
    """Return the least log evidence against a negative budget."""
    return joint_evidence_variance(
        deficit,
        shift,
        default_plays,
        default_total,
        default_spread,
        challenger_total,
        challenger_spread,
    )


@kernel
def spread_sum(rules: JointRules, plays: float, total: float, spread: float) -> float:
    """Return the least sum of the challengers' means that is not refuted."""
    return sure_sum_variance(total, spread, rules.log_inverse_delta)


@kernel
def spread_budget(
    rules: JointRules,
    deficit: float,
    shift: float,
    default_plays: float,
    default_total: float,
    challenger_plays: float,
    challenger_total: float,
    default_spread: float,
    challenger_spread: float,
) -> float:
    """Return the least budget that is not refuted."""
    return sure_budget_variance(
        deficit,
        shift,
        default_plays,
        default_total,
        default_spread,
        challenger_total,
        challenger_spread,
        rules.log_inverse_delta,
    )


@kernel
def stretch_of(decision: int) -> int:
    """Return the stretch of a decision, counted from 0."""
    return min(int(4.0 * math.log2(decision + 1.0)), STRETCHES - 1)


@kernel
def guess_by_stretch(memory: Floats, decision: int) -> None:
    """Update each group's guess where a stretch begins, from the rewards that have arrived."""
    last = stretch_of(decision)
    while memory[GUESSES] <= last:
        stretch = int(memory[GUESSES])
        for group in range(GROUPS):
            tally = ALL + FIELDS * group
            found = guess(memory[tally + SEEN], memory[tally + EARNED])
            memory[GUESSES + 1 + GROUPS * stretch + group] = found
        memory[GUESSES] += 1.0


@kernel
def guess_of(memory: Floats, group: int, decision: int) -> float:
    """Return the guess of a play's reward."""
    return memory[GUESSES + 1 + GROUPS * stretch_of(decision) + group]  # type: ignore[no-any-return]


@kernel
def farthest(memory: Floats, group: int, decision: int) -> float:
    """Return the squared distance of the guess to the farther end of the range."""
    guessed = guess_of(memory, group, decision)
    distance = max(guessed, 1.0 - guessed)
    return distance * distance


@kernel
def farthest_from_now(memory: Floats, group: int, decision: int) -> float:
    """Return the same for a play that is made now, for which there may be no guess yet."""
    guess_by_stretch(memory, decision)
    return farthest(memory, group, decision)


@kernel
def closer_than_farthest(memory: Floats, group: int, decision: int, gain: float) -> float:
    """Return how much closer to its guess a reward is than the range's farther end, squared."""
    most = farthest(memory, group, decision)
    if math.isnan(gain):
        return most
    distance = gain - guess_of(memory, group, decision)
    return most - distance * distance


@kernel
def no_missing_cost(rules: JointRules, tally: Tally) -> float:
    """Return 0: filling in never adds to this evidence (docs/joint-floor.md, point 17)."""
    return 0.0


SPREAD_FORM: dict[Function, Function] = {
    leaves_cost: never,
    spread_of: squared_distance,
    mixture: whole_spread,
    evidence: spread_evidence,
    sure_sum: spread_sum,
    sure_budget: spread_budget,
    fill_in: fill_with_bounds,
    play_spread: farthest_from_now,
    spread_surplus: closer_than_farthest,
    missing_cost: no_missing_cost,
}
"""How this form fills the slots of the joint floor."""
