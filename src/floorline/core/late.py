"""Late rewards: what is known about an arm while some of its rewards have not arrived.

Intervals hold for an arm's plays in the order of decisions, not for an average of what has
arrived, in which fast rewards come first. Three forms are valid on the same event, and the
best of the three is used at each moment:

- the closed plays: all those before the first whose reward may still come;
- all plays, with the worst value for each missing reward;
- the plays before a past decision, likewise (cuts.py).
"""

from __future__ import annotations

import math

from floorline.core.cuts import move_cuts
from floorline.core.kernel import kernel, slot
from floorline.core.pending import FRESH, PendingPlays, close_play, open_play
from floorline.core.records import Arms, Memory, Rules
from floorline.core.slots import (
    await_reward,
    interval,
    learn,
    lower_end,
    recount,
    take_late_reward,
    upper_end,
)


@kernel
def receive(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    arm: int,
    slot: int,
    reward: float,
) -> None:
    """Record the reward of a pending play.

    As in `observe`, a reward of a default arm whose mean is known counts as that mean.
    """
    arms.seen[arm] += 1
    if arm == 0 and not math.isnan(rules.default_mean):
        arms.total[0] += rules.default_mean
        arms.average[0] = rules.default_mean
    else:
        arms.total[arm] += reward
        arms.average[arm] = arms.total[arm] / arms.seen[arm]
    close_play(pending, arm, slot, reward, reward)
    if not rules.caches:
        learn(rules.proposer, arms, memory.proposer, arm, reward)


@kernel
def start_play(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
    slot: int,
    decision: int,
    probability: float,
) -> None:
    """Count a play whose reward may come late."""
    arms.plays[arm] += 1
    await_reward(rules.floor, arms, memory.floor, arm, decision, probability)
    open_play(pending, arm, slot)
    # This is `is_time_for_cuts`, without the price of a call in Python.
    if 2 * pending.length[arm] - pending.open[arm] >= pending.next_walk[arm]:
        move_cuts(rules, arms, memory, pending, low, high, arm)


@kernel
def settle_play(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
    slot: int,
    side: int,
    decision: int,
    probability: float,
    reward: float,
) -> None:
    """Record the reward of a pending play, also with the floor: there, it was one of arm `side`."""
    receive(rules, arms, memory, pending, arm, slot, reward)
    if 2 * pending.length[arm] - pending.open[arm] >= pending.next_walk[arm]:
        move_cuts(rules, arms, memory, pending, low, high, arm)
    take_late_reward(rules.floor, arms, memory.floor, side, decision, probability, reward)


@slot
def late_ends(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
) -> tuple[float, float]:
    """Return both ends of an arm's interval while some of its rewards are missing."""
    raise NotImplementedError


@kernel
def best_ends(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
) -> tuple[float, float]:
    """Return the best of the three forms at each end; single rewards are in [low, high]."""
    seen = arms.seen[arm]
    closed = pending.closed[arm]
    if 0 < closed == seen and pending.closed_least[arm] == pending.closed_most[arm]:
        # Nothing is known about later plays, and filling in the worst never improves an end.
        if pending.stale[arm] > 0:
            return arms.lower[arm], arms.upper[arm]
        return interval(rules.boundary, memory.boundary, arm, closed, arms.total[arm])
    plays = pending.length[arm]
    total = arms.total[arm]
    missing = plays - seen
    lower = lower_end(rules.boundary, memory.boundary, arm, plays, total + missing * low)
    upper = upper_end(rules.boundary, memory.boundary, arm, plays, total + missing * high)
    if closed > 0:
        least, most = pending.closed_least[arm], pending.closed_most[arm]
        lower = max(lower, lower_end(rules.boundary, memory.boundary, arm, closed, least))
        upper = min(upper, upper_end(rules.boundary, memory.boundary, arm, closed, most))
    return max(lower, pending.cut_lower[arm]), min(upper, pending.cut_upper[arm])


@kernel
def optimistic_end(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, low: float, arm: int
) -> float:
    """Return an upper end for proposers: pending plays count, so that they do not all pick one arm.

    Missing rewards are assumed to be like those of the closed plays, but no better than those
    seen, and the lowest before the first: where only clicks are reported, all rewards seen are
    clicks. The floor does not use it.
    """
    plays = pending.length[arm]
    counted = plays if plays < 128 else plays - plays % (plays // 64)  # changes seldom
    opened = pending.stale[arm]
    if opened > 0 and plays - opened >= counted:  # as many were counted before these
        return pending.optimistic_upper[arm]  # type: ignore[no-any-return]
    seen = arms.seen[arm]
    if pending.closed[arm] > 0:
        guess = min(arms.average[arm], pending.closed_least[arm] / pending.closed[arm])
    else:
        guess = low if math.isfinite(low) else 0.0
    counted = max(counted, seen)
    total = arms.total[arm] + (counted - seen) * guess
    return upper_end(rules.boundary, memory.boundary, arm, counted, total)


@kernel
def update_optimistic_end(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, low: float, arm: int
) -> None:
    """Update an arm's upper end for proposers, and not its interval."""
    plays = pending.length[arm]
    if arm == 0 and not math.isnan(rules.default_mean):
        upper = rules.default_mean
    elif plays == 0:
        upper = math.inf
    elif arms.seen[arm] == plays:
        upper = upper_end(rules.boundary, memory.boundary, arm, plays, arms.total[arm])
    else:
        upper = optimistic_end(rules, arms, memory, pending, low, arm)
    pending.optimistic_upper[arm] = upper


@kernel
def update_bounds(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, low: float, high: float
) -> None:
    """Update the intervals of all arms, and the floor's accounts, before a decision.

    Earlier ends are not kept, so that a challenger that gets worse is still covered.
    """
    stale = pending.stale
    for i in range(len(stale)):
        if stale[i] != FRESH:
            update_interval(rules, arms, memory, pending, low, high, i)
            stale[i] = FRESH
    recount(rules.floor, arms, memory.floor, pending, low)


@kernel
def update_interval(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    pending: PendingPlays,
    low: float,
    high: float,
    arm: int,
) -> None:
    """Update an arm's interval, and its upper end for proposers."""
    if arm == 0 and not math.isnan(rules.default_mean):
        pending.optimistic_upper[0] = rules.default_mean
        return
    plays = pending.length[arm]
    if plays == 0:
        arms.lower[arm] = rules.low
        arms.upper[arm] = high
        pending.optimistic_upper[arm] = math.inf
        return
    if arms.seen[arm] == plays:
        lower, upper = interval(rules.boundary, memory.boundary, arm, plays, arms.total[arm])
        pending.optimistic_upper[arm] = upper
    else:
        lower, upper = late_ends(rules, arms, memory, pending, low, high, arm)
        pending.optimistic_upper[arm] = optimistic_end(rules, arms, memory, pending, low, arm)
    arms.lower[arm] = lower if lower > rules.low else rules.low
    arms.upper[arm] = upper
