"""The joint floor's answers where the default's mean is learned, from the sums of all rewards.

The formulas are in `forms.py`, the proof in docs/joint-floor.md. A candidate is credited with the
lowest mean, so the answer is the same for every challenger.
"""

from __future__ import annotations

from floorline.core.kernel import kernel, slot
from floorline.core.records import Arms, Floats
from floorline.floors.joint.evidence import default_deficit
from floorline.floors.joint.forms import (
    JointRules,
    evidence,
    hidden_evidence,
    leaves_cost,
    mixture,
    spread_of,
    sure_budget,
)
from floorline.floors.joint.memory import (
    CHALLENGERS,
    CHALLENGERS_MISSING,
    COST,
    DEFAULT,
    DEFAULT_MISSING,
    ON_THEIR_WAY,
    PLAYS,
    REFUSAL,
    REFUSAL_FOR,
    SPREAD,
    STATED,
    STATED_FOR,
    TOTAL,
    VOIDED,
)

LARGEST_SHARE = 1e6
"""No larger share of the default's reward is reported."""

SHARE_HALVINGS = 40

DOUBT = 1e-6
"""Share of the highest reward of all rounds within which the stated budget may be inexact."""


@kernel
def refuse_unless_proved(
    rules: JointRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 0 if the rewards refute every negative budget, else 1."""
    if candidate == 0:
        return 0.0
    found = found_evidence(rules, memory, rules.max_loss, round, arms.plays[0])
    return 0.0 if found >= rules.log_inverse_delta else 1.0


@kernel
def proved_budget(rules: JointRules, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return the least budget that the rewards do not refute if `arm` is played now."""
    default_plays = arms.plays[0] + 1 if arm == 0 else arms.plays[0]
    return least_budget(rules, memory, round, default_plays)


@kernel
def refuse_unless_stated(
    rules: JointRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return the same where the budget is stated anyway: it is at least 0 if the test is passed.

    Within rounding of 0 the test itself decides. All challengers have the same answer.
    """
    if candidate == 0:
        return 0.0
    if memory[REFUSAL_FOR] == round:
        return memory[REFUSAL]  # type: ignore[no-any-return]
    stated = memory[STATED]
    refusal = 0.0
    if stated < 0.0:  # last time: the test alone takes less time, and is most likely enough
        refusal = refuse_unless_proved(rules, arms, memory, round, candidate)
    if refusal == 0.0:
        stated = least_budget(rules, memory, round, arms.plays[0])
        memory[STATED] = stated
        memory[STATED_FOR] = round
        doubt = DOUBT * rules.width * round
        if stated < -doubt:
            refusal = 1.0
        elif stated <= doubt:
            refusal = refuse_unless_proved(rules, arms, memory, round, candidate)
    memory[REFUSAL] = refusal
    memory[REFUSAL_FOR] = round
    return refusal


@kernel
def stated_budget(rules: JointRules, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return the least budget that the rewards do not refute if `arm` is played now."""
    if arm > 0 and memory[STATED_FOR] == round:
        return memory[STATED]  # type: ignore[no-any-return]
    return proved_budget(rules, arms, memory, round, arm)


@kernel
def proved_budget_now(rules: JointRules, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return the least budget that the rewards do not refute after `rounds` decisions."""
    return least_budget(rules, memory, rounds, arms.plays[0])


@kernel
def least_budget(rules: JointRules, memory: Floats, rounds: int, default_plays: int) -> float:
    """Return the least budget that the rewards do not refute, for this number of default plays.

    Where the default is ahead its rewards add to the budget: missing ones count at the lowest
    (point 14).
    """
    deficit = default_deficit(rules.max_loss, rounds, default_plays)
    each = 1.0 + memory[ON_THEIR_WAY]
    default_total = memory[DEFAULT + TOTAL]
    challenger_cost = memory[CHALLENGERS + COST]
    if deficit < 0.0:
        default_total -= memory[DEFAULT_MISSING]
        challenger_cost -= hidden_evidence(
            rules,
            memory[CHALLENGERS + PLAYS],
            memory[CHALLENGERS_MISSING],
            memory[CHALLENGERS + TOTAL],
            memory[CHALLENGERS + SPREAD],
        )
    least = sure_budget(
        rules,
        deficit / each,
        (rules.shift * rounds - memory[VOIDED]) / each,
        memory[DEFAULT + PLAYS],
        default_total,
        memory[CHALLENGERS + PLAYS],
        memory[CHALLENGERS + TOTAL],
        memory[DEFAULT + COST],
        challenger_cost,
    )
    if deficit <= 0.0:
        least = max(least, 0.0)  # the counting rule
    return rules.width * each * least  # type: ignore[no-any-return]


@kernel
def found_evidence(
    rules: JointRules, memory: Floats, max_loss: float, rounds: int, default_plays: int
) -> float:
    """Return the least evidence against a negative budget, if this `max_loss` were allowed."""
    each = 1.0 + memory[ON_THEIR_WAY]
    return evidence(
        rules,
        default_deficit(max_loss, rounds, default_plays) / each,
        (max_loss * rules.low / rules.width * rounds - memory[VOIDED]) / each,
        memory[DEFAULT + PLAYS],
        memory[DEFAULT + TOTAL],
        memory[CHALLENGERS + PLAYS],
        memory[CHALLENGERS + TOTAL],
        memory[DEFAULT + COST],
        memory[CHALLENGERS + COST],
    )


@slot
def proves_share(
    rules: JointRules, arms: Arms, memory: Floats, share: float, default_plays: int, rounds: int
) -> bool:
    """Return whether the rewards prove that this share of the default's reward was earned."""
    raise NotImplementedError


@kernel
def share_by_evidence(
    rules: JointRules, arms: Arms, memory: Floats, share: float, default_plays: int, rounds: int
) -> bool:
    """Return whether the evidence against every smaller share is sufficient."""
    found = found_evidence(rules, memory, 1.0 - share, rounds, default_plays)
    return bool(found >= rules.log_inverse_delta)


@kernel
def proved_share(
    rules: JointRules, arms: Arms, memory: Floats, default_plays: int, rounds: int
) -> float:
    """Return the largest share of the default's reward that the rewards prove was earned."""
    sure = 0.0
    unsure = 1.0
    while unsure < LARGEST_SHARE and proves_share(
        rules, arms, memory, unsure, default_plays, rounds
    ):
        sure = unsure
        unsure *= 2.0
    for _ in range(SHARE_HALVINGS):
        middle = 0.5 * (sure + unsure)
        if proves_share(rules, arms, memory, middle, default_plays, rounds):
            sure = middle
        else:
            unsure = middle
    return sure


@kernel
def add_gain(memory: Floats, at: int, gain: float) -> None:
    """Add a rescaled reward to the sums that begin at `at`."""
    memory[at + SPREAD] += spread_of(gain, memory[at + PLAYS], memory[at + TOTAL])
    memory[at + PLAYS] += 1.0
    memory[at + TOTAL] += gain


@kernel
def credit_sums(
    rules: JointRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Add a reward to its sum, and update the cost of mixing kept with it."""
    at = CHALLENGERS if arm > 0 else DEFAULT
    gain = (reward - rules.low) / rules.width
    add_gain(memory, at, gain)
    if not leaves_cost(gain):
        plays, total = memory[at + PLAYS], memory[at + TOTAL]
        memory[at + COST] = mixture(rules, plays, total, memory[at + SPREAD])
