"""Cuts: an arm's plays before one of its decisions, while some of their rewards are missing.

Intervals hold for an arm's first plays in the order of decisions, however many. So its plays before
any past decision may be taken, with the worst value for each reward missing among them. Where to
cut is free, at each end of the interval separately: right before plays that are nearly all pending,
but after a lost reward of long ago.

Cuts are placed when a play is made or a reward arrives, not when somebody asks for an interval, so
that a replay places the same ones. That takes a walk along the pending plays; it is taken once in
about 1/64 of the arm's plays, and the ends found then are kept up to the next.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel, slot
from floorline.core.pending import NONE, PendingPlays
from floorline.core.records import Arms, Memory, Rules
from floorline.core.slots import interval, lower_end, upper_end

LEAST_PAUSE = 16
"""Plays made and closed between two walks, at the least."""

STEPS_A_PLAY = 4
"""Pending plays passed for each play made or closed, on average and at the most."""


@kernel
def is_time_for_cuts(pending: PendingPlays, arm: int) -> bool:
    """Return whether enough plays of an arm were made and closed since its cuts were placed."""
    return 2 * pending.length[arm] - pending.open[arm] >= pending.next_walk[arm]  # type: ignore[no-any-return]


@slot
def move_cuts(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
) -> None:
    """Place an arm's cuts again, after one of its plays or rewards; rewards are in [low, high]."""
    raise NotImplementedError


@kernel
def no_cuts(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
) -> None:
    """Do nothing: intervals without cuts, as in version 0.1."""


@kernel
def best_cuts(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
) -> None:
    """Place the cuts where they are best, compute the ends there, and schedule the next walk."""
    plays, open, steps = pending.length[arm], pending.open[arm], 0
    pending.cut_lower[arm] = -math.inf
    pending.cut_upper[arm] = math.inf
    known_mean = arm == 0 and not math.isnan(rules.default_mean)
    # Otherwise nothing is known about the plays after the first pending one.
    if pending.closed[arm] < plays - open and arms.seen[arm] > 0 and not known_mean:
        steps = place_cuts(rules, arms, memory, pending, low, high, arm)
    pause = LEAST_PAUSE + plays // 64 + steps // STEPS_A_PLAY
    pending.next_walk[arm] = 2 * plays - open + pause


@kernel
def place_cuts(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
) -> int:
    """Place both cuts and compute their ends; return how many pending plays were passed.

    Of n plays, one more that is known narrows an interval of radius r by about r/(2n), and a
    missing one moves an end by (distance of the average from the worst)/n. So the best place is
    about that with the most known plays, each missing one being a loss of some known ones.
    """
    average = arms.average[arm]
    lower, upper = interval(rules.boundary, memory.boundary, arm, arms.seen[arm], arms.total[arm])
    low_loss = known_plays_lost(average - low, average - lower)
    high_loss = known_plays_lost(high - average, upper - average)
    known_in_all = pending.length[arm] - pending.open[arm]
    known, missing, steps = pending.closed[arm], 0, 0
    least, most = pending.closed_least[arm], pending.closed_most[arm]
    low_best, high_best = float(known), float(known)
    low_plays, low_total, high_plays, high_total = 0, 0.0, 0, 0.0
    play = pending.first[arm]
    while play != NONE:
        missing += 1
        low_cost, high_cost = missing * low_loss, missing * high_loss
        if known_in_all - low_cost <= low_best and known_in_all - high_cost <= high_best:
            break  # no later place is better
        known += pending.run[play]
        least += pending.run_least[play]
        most += pending.run_most[play]
        if known - low_cost > low_best:
            low_best = known - low_cost
            low_plays, low_total = known + missing, least + missing * low
        if known - high_cost > high_best:
            high_best = known - high_cost
            high_plays, high_total = known + missing, most + missing * high
        play = pending.after[play]
        steps += 1
    if low_plays > 0:
        pending.cut_lower[arm] = lower_end(
            rules.boundary, memory.boundary, arm, low_plays, low_total
        )
    if high_plays > 0:
        pending.cut_upper[arm] = upper_end(
            rules.boundary, memory.boundary, arm, high_plays, high_total
        )
    return steps


@kernel
def known_plays_lost(distance: float, radius: float) -> float:
    """Return how many known plays a missing one outweighs, which itself adds to the plays."""
    if radius <= 0.0:
        return math.inf
    return max(2.0 * distance / radius - 1.0, 0.0)
