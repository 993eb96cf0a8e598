"""Pending plays: decisions whose reward may still come, in the order of decisions.

Intervals hold for an arm's plays in the order of decisions, so the closed plays that matter most
are those before the first pending one. The pending plays of each arm form a linked list, and each
remembers the closed plays between itself and the next: closing a play takes constant time.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import kernel
from floorline.core.records import Counts, Floats

NONE = -1
FRESH, CLOSED = 0, -1


class PendingPlays(NamedTuple):
    """The plays of each arm in the order of decisions, as far as intervals need them."""

    length: Counts
    """For each arm: plays that its interval counts."""
    closed: Counts
    """For each arm: plays before the first pending one."""
    closed_least: Floats
    """For each arm: the least that those plays have earned."""
    closed_most: Floats
    """For each arm: the most that those plays have earned."""
    open: Counts
    """For each arm: plays whose reward may still come."""
    voided: Counts
    """For each arm: plays that reached nobody; those of challengers stay charged."""
    optimistic_upper: Floats
    """For each arm: an upper end for proposers, in which pending plays earn what others did."""
    stale: Counts
    """For each arm, since its interval was updated: CLOSED if a play was closed, else how many
    were made."""
    cut_lower: Floats
    """For each arm: the lower end of its plays before a cut (cuts.py); -inf if there is none."""
    cut_upper: Floats
    """For each arm: the upper end of its plays before a cut; inf if there is none."""
    next_walk: Counts
    """For each arm: the number of plays made and closed at which its cuts are placed again."""
    first: Counts
    """For each arm: its first pending play."""
    last: Counts
    """For each arm: its last pending play."""
    before: Counts
    """For each pending play: the pending play before it."""
    after: Counts
    """For each pending play: the pending play after it."""
    run: Counts
    """For each pending play: the closed plays that follow it."""
    run_least: Floats
    run_most: Floats


def new_pending(n_arms: int, size: int) -> PendingPlays:
    """Return records for `n_arms` arms with `size` slots; `forget_plays` initialises them."""
    kinds = {name: float if name in FLOATS else int for name in PendingPlays._fields}
    sizes = {name: size if name in BY_PLAY else n_arms for name in kinds}
    return PendingPlays(**{name: np.zeros(sizes[name], kind) for name, kind in kinds.items()})


BY_PLAY = ("before", "after", "run", "run_least", "run_most")
"""The fields with a number for each pending play."""

FLOATS = (
    *("closed_least", "closed_most", "optimistic_upper", "cut_lower", "cut_upper"),
    *("run_least", "run_most"),
)
"""The fields whose numbers are not counts."""


def add_slots(pending: PendingPlays) -> None:
    """Double the slots of records that are lists."""
    for name in BY_PLAY:
        numbers: Any = getattr(pending, name)
        numbers.extend([0] * len(numbers))


def with_more_slots(pending: PendingPlays) -> PendingPlays:
    """Return a copy of records that are arrays, with twice the slots."""
    doubled = {name: getattr(pending, name).repeat(2) for name in BY_PLAY}
    for name, numbers in doubled.items():
        numbers[: numbers.size // 2] = getattr(pending, name)
    return pending._replace(**doubled)


@kernel
def forget_plays(pending: PendingPlays) -> None:
    """Reset the records to no plays."""
    for i in range(len(pending.length)):
        pending.length[i] = 0
        pending.closed[i] = 0
        pending.closed_least[i] = 0.0
        pending.closed_most[i] = 0.0
        pending.open[i] = 0
        pending.voided[i] = 0
        pending.optimistic_upper[i] = math.inf
        pending.stale[i] = CLOSED
        pending.cut_lower[i] = -math.inf
        pending.cut_upper[i] = math.inf
        pending.next_walk[i] = 0
        pending.first[i] = NONE
        pending.last[i] = NONE


@kernel
def open_play(pending: PendingPlays, arm: int, slot: int) -> None:
    """Add a play in a free slot, after all earlier plays."""
    last = pending.last[arm]
    pending.before[slot] = last
    pending.after[slot] = NONE
    pending.run[slot] = 0
    pending.run_least[slot] = 0.0
    pending.run_most[slot] = 0.0
    if last == NONE:
        pending.first[arm] = slot
    else:
        pending.after[last] = slot
    pending.last[arm] = slot
    pending.length[arm] += 1
    pending.open[arm] += 1
    if pending.stale[arm] != CLOSED:
        pending.stale[arm] += 1


@kernel
def close_play(pending: PendingPlays, arm: int, slot: int, least: float, most: float) -> None:
    """Close a pending play, whose reward is finally between `least` and `most`."""
    pending.run[slot] += 1
    # Added before the plays that follow it, so that with nothing late the sums are in order.
    pending.run_least[slot] = least + pending.run_least[slot]
    pending.run_most[slot] = most + pending.run_most[slot]
    _unlink(pending, arm, slot)


@kernel
def skip_play(pending: PendingPlays, arm: int, slot: int) -> None:
    """Remove a pending play from its arm's plays, as if it had never been among them."""
    pending.length[arm] -= 1
    _unlink(pending, arm, slot)


@kernel
def _unlink(pending: PendingPlays, arm: int, slot: int) -> None:
    """Unlink a pending play; the closed plays after it join those before it."""
    before = pending.before[slot]
    after = pending.after[slot]
    pending.open[arm] -= 1
    if before == NONE:
        pending.first[arm] = after
        pending.closed[arm] += pending.run[slot]
        pending.closed_least[arm] += pending.run_least[slot]
        pending.closed_most[arm] += pending.run_most[slot]
    else:
        pending.after[before] = after
        pending.run[before] += pending.run[slot]
        pending.run_least[before] += pending.run_least[slot]
        pending.run_most[before] += pending.run_most[slot]
    if after == NONE:
        pending.last[arm] = before
    else:
        pending.before[after] = before
    pending.stale[arm] = CLOSED
