"""The account of the joint floor where the default may change.

The plays of each default while it was the default form a group, and those of challengers at any
time form another (docs/joint-floor.md, point 19). A tenure is the time in which an arm is the
default. Former tenures are kept as sums, so cuts begin with the current one.
"""

from __future__ import annotations

from floorline.core.kernel import kernel
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Floats
from floorline.floors.joint.account import (
    proved_budget,
    proved_budget_now,
    refuse_unless_proved,
    share_by_evidence,
)
from floorline.floors.joint.cuts import EARNED, FIELDS, PLAYED, SEEN, add_reward
from floorline.floors.joint.evidence import default_deficit
from floorline.floors.joint.forms import JointRules, Tally
from floorline.floors.joint.groups import GROUP, least_sum, put_group
from floorline.floors.joint.late import (
    ALL,
    BASE,
    CUT,
    CUTS,
    DECISIONS,
    GROUPS,
    GUESSES,
    LATE_MEMORY,
    NEWS,
    START,
    best_tally,
    count_play,
    count_reward,
    forget_cut,
)
from floorline.floors.joint.memory import MEMORY, VOIDED
from floorline.floors.joint.sums import count_voided, proof_learned, recount_learned

MAX_PROMOTIONS = 16
"""In an epoch. Each makes the test harder; long before this limit a new epoch is better."""

TENURES = MEMORY + LATE_MEMORY
"""How many former tenures there are."""
LED = TENURES + 1
"""Plays of the current default in its tenure, including lost ones."""
FORMER = LED + 1
"""The former tenures, the first one first."""

ARM, ENDED, ROUNDS, PLAYS, TALLY = range(5)
"""Of a tenure: its arm, the decisions before its end, those of them within it, plays of the default
in these, including lost ones, and the tally of its plays."""

TENURE = TALLY + FIELDS

GROUPS_AT = FORMER + TENURE * (MAX_PROMOTIONS + 1)
"""Scratch space for the groups of a test; not part of the account. There is room for one more
tenure, because the default may also change with a new epoch, which forgets them all."""

SUCCESSION_MEMORY = GROUPS_AT + GROUP * (MAX_PROMOTIONS + 3)


def close_tenure(memory: list[float], arm: int) -> None:
    """End the current tenure: the plays of its default, now `arm`, become a group of their own."""
    place = FORMER + TENURE * int(memory[TENURES])
    memory[place + ARM] = arm
    memory[place + ENDED] = memory[DECISIONS]
    memory[place + ROUNDS] = memory[DECISIONS] - memory[START]
    memory[place + PLAYS] = memory[LED]
    for i in range(FIELDS):
        memory[place + TALLY + i] = memory[ALL + i]
        memory[ALL + i] = 0.0
    memory[TENURES] += 1.0
    memory[LED] = 0.0
    memory[START] = memory[DECISIONS]
    for i in range(GROUPS * FIELDS):
        memory[BASE + i] = memory[ALL + i]
    for i in range(CUTS + 1, GUESSES):
        memory[i] = 0.0
    forget_cut(memory)  # type: ignore[arg-type]


@kernel
def await_by_groups(
    rules: JointRules, arms: Arms, memory: Floats, arm: int, decision: int, probability: float
) -> None:
    """Count a play, and a round of the current tenure."""
    if arm == 0:
        memory[LED] += 1.0
    count_play(rules, arms, memory, arm, decision, probability)


@kernel
def reward_by_groups(
    rules: JointRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    decision: int,
    probability: float,
    reward: float,
) -> None:
    """Add a reward to all sums that its play is in."""
    if decision >= memory[START]:
        count_reward(rules, arms, memory, arm, decision, probability, reward)
        return
    memory[NEWS] += 1.0
    gain = (reward - rules.low) / rules.width
    if arm > 0:
        for tally in (ALL, CUT, BASE):
            add_reward(memory, tally + FIELDS, gain, 0.0)
        return
    place = FORMER
    while decision >= memory[place + ENDED]:
        place += TENURE
    add_reward(memory, place + TALLY, gain, 0.0)


@kernel
def recount_by_groups(
    rules: JointRules, arms: Arms, memory: Floats, pending: PendingPlays, low: float
) -> None:
    """Set the sums that the test uses; only plays of challengers can be voided."""
    if not memory[TENURES] > 0.0:
        recount_learned(rules, arms, memory, pending, low)
        return
    count_voided(memory, pending, 0)  # a former default may have been a challenger then


@kernel
def lead_of(memory: Floats, tenure: int, max_loss: float, rounds: int, led: float) -> float:
    """Return by how many plays the default of a tenure is ahead of what it is owed.

    It is computed after `rounds` decisions, with `led` default plays in the present tenure.
    """
    if tenure < memory[TENURES]:
        place = FORMER + TENURE * tenure
        return -default_deficit(max_loss, memory[place + ROUNDS], memory[place + PLAYS])
    return -default_deficit(max_loss, rounds - memory[START], led)


@kernel
def proved_by_groups(
    rules: JointRules, memory: Floats, max_loss: float, rounds: int, led: float, tally: Tally
) -> float:
    """Return the least rescaled budget that the rewards do not refute, had no play been voided.

    It is from the plays of `tally` and those of former tenures.
    """
    missing = tally.challenger_plays - tally.challenger_seen
    put_group(memory, GROUPS_AT, 1.0, tally.challenger_total, missing, tally.challenger_plays)
    count = 1
    sure = max_loss * rules.low / rules.width * rounds  # whatever was earned
    tenures = int(memory[TENURES])
    for i in range(tenures + 1):
        lead = lead_of(memory, i, max_loss, rounds, led)
        if i < tenures:
            place = FORMER + TENURE * i + TALLY
            plays, seen, total = (
                memory[place + PLAYED],
                memory[place + SEEN],
                memory[place + EARNED],
            )
        else:
            plays, seen, total = tally.default_plays, tally.default_seen, tally.default_total
        if plays > 0.0:
            put_group(memory, GROUPS_AT + GROUP * count, lead / plays, total, plays - seen, plays)
            count += 1
        else:
            sure += min(lead, 0.0)
    return sure + least_sum(memory, GROUPS_AT, count, rules.log_inverse_delta, rules.weight)


@kernel
def least_by_groups(
    rules: JointRules, memory: Floats, max_loss: float, rounds: int, led: float, tally: Tally
) -> float:
    """Return the least rescaled budget that rewards do not refute, or plays alone guarantee."""
    proved = proved_by_groups(rules, memory, max_loss, rounds, led, tally) - memory[VOIDED]
    counted = max_loss * rules.low / rules.width * rounds
    for i in range(int(memory[TENURES]) + 1):
        counted += min(lead_of(memory, i, max_loss, rounds, led), 0.0)
    return max(proved, counted)  # type: ignore[no-any-return]


@kernel
def proof_by_groups(
    rules: JointRules, arms: Arms, memory: Floats, rounds: int, tally: Tally
) -> float:
    """Return what a cut proves; voided plays, the same at every cut, are left out.

    `recount` alone sets how many there are, and the choice must not depend on who asked when.
    """
    if not memory[TENURES] > 0.0:
        return proof_learned(rules, arms, memory, rounds, tally)
    return proved_by_groups(rules, memory, rules.max_loss, rounds, memory[LED], tally)


@kernel
def refuse_by_groups(
    rules: JointRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 0 if the rewards refute every negative budget, else 1."""
    if not memory[TENURES] > 0.0 or candidate == 0:
        return refuse_unless_proved(rules, arms, memory, round, candidate)
    return 0.0 if budget_by_groups(rules, arms, memory, round, candidate) >= 0.0 else 1.0


@kernel
def budget_by_groups(rules: JointRules, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return the least budget that the rewards do not refute if `arm` is played now."""
    if not memory[TENURES] > 0.0:
        return proved_budget(rules, arms, memory, round, arm)
    led = memory[LED] + 1.0 if arm == 0 else memory[LED]
    tally = best_tally(memory)
    return rules.width * least_by_groups(rules, memory, rules.max_loss, round, led, tally)


@kernel
def budget_by_groups_now(rules: JointRules, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return the least budget that the rewards do not refute after `rounds` decisions."""
    if not memory[TENURES] > 0.0:
        return proved_budget_now(rules, arms, memory, rounds)
    return budget_by_groups(rules, arms, memory, rounds, 1)


@kernel
def share_by_groups(
    rules: JointRules, arms: Arms, memory: Floats, share: float, default_plays: int, rounds: int
) -> bool:
    """Return whether the rewards refute every smaller share of what defaults would have earned."""
    if not memory[TENURES] > 0.0:
        return share_by_evidence(rules, arms, memory, share, default_plays, rounds)
    tally = best_tally(memory)
    return least_by_groups(rules, memory, 1.0 - share, rounds, memory[LED], tally) >= 0.0
