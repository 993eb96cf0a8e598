"""Rewards that come late, out of order or never: what is known of an arm all the same.

Intervals hold for an arm's plays in the order of decisions. Averaging what has arrived is
not that: fast rewards come first. Two forms are valid on the same event, and the better of
the two is taken at each moment:

- the closed plays: all those before the first whose reward may still come;
- all plays, the missing rewards filled in at the worst.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import kernel, slot
from floorline.core.records import Arms, Counts, Floats, Rules
from floorline.core.steps import interval, lower_end, upper_end

NONE = -1
FRESH, CLOSED = 0, -1


class Span(NamedTuple):
    """The range of single rewards, infinite if there is none."""

    low: float
    high: float


class Book(NamedTuple):
    """The plays of each arm in the order of decisions, as far as intervals need them.

    Open plays, whose reward may still come, form a list for each arm. Each remembers the
    closed plays between itself and the next open one, so closing a play is one step.
    """

    length: Counts
    """For each arm: plays that its interval counts."""
    closed: Counts
    """For each arm: plays before the first open one."""
    closed_least: Floats
    """For each arm: the least that the closed plays have earned."""
    closed_most: Floats
    """For each arm: the most that the closed plays have earned."""
    voided: Counts
    """For each arm: plays that reached nobody; those of challengers stay charged."""
    hoped: Floats
    """For each arm: an upper end for proposers, in which open plays earn what others did."""
    stale: Counts
    """For each arm, since its interval was brought up to date: CLOSED if a play was closed, else
    how many were opened."""
    last: Counts
    """For each arm: its last open play."""
    before: Counts
    """For each open play: the open play before it."""
    after: Counts
    """For each open play: the open play after it."""
    run: Counts
    """For each open play: the closed plays that follow it."""
    run_least: Floats
    run_most: Floats


def new_book(n_arms: int, size: int) -> Book:
    """A book for `n_arms` arms with room for `size` open plays; `forget_plays` starts it."""
    arms = [np.zeros(n_arms, kind) for kind in (int, int, float, float, int, float, int, int)]
    plays = [np.zeros(size, kind) for kind in (int, int, int, float, float)]
    return Book(*arms, *plays)


def make_room(book: Book) -> range:
    """Double the room for open plays of a book in lists, and give the new places."""
    size = len(book.run)
    by_play: tuple[Any, ...] = (book.before, book.after, book.run, book.run_least, book.run_most)
    for numbers in by_play:
        numbers.extend([0] * size)
    return range(size, 2 * size)


@kernel
def forget_plays(book: Book) -> None:
    """Set the book back to the start, with no play in it."""
    for i in range(len(book.length)):
        book.length[i] = 0
        book.closed[i] = 0
        book.closed_least[i] = 0.0
        book.closed_most[i] = 0.0
        book.voided[i] = 0
        book.hoped[i] = math.inf
        book.stale[i] = CLOSED
        book.last[i] = NONE


@kernel
def open_play(book: Book, arm: int, place: int) -> None:
    """Write a play into the book at a free `place`, after all plays before it."""
    last = book.last[arm]
    book.before[place] = last
    book.after[place] = NONE
    book.run[place] = 0
    book.run_least[place] = 0.0
    book.run_most[place] = 0.0
    if last != NONE:
        book.after[last] = place
    book.last[arm] = place
    book.length[arm] += 1
    if book.stale[arm] != CLOSED:
        book.stale[arm] += 1


@kernel
def close_play(book: Book, arm: int, place: int, least: float, most: float) -> None:
    """Close the play at `place`: it has earned between `least` and `most`, for good."""
    book.run[place] += 1
    # The play comes before those that follow it: with nothing late, sums are in order.
    book.run_least[place] = least + book.run_least[place]
    book.run_most[place] = most + book.run_most[place]
    _take_out(book, arm, place)


@kernel
def skip_play(book: Book, arm: int, place: int) -> None:
    """Take the play at `place` out of its arm's plays, as if it had never been among them."""
    book.length[arm] -= 1
    _take_out(book, arm, place)


@kernel
def _take_out(book: Book, arm: int, place: int) -> None:
    """Take an open play out of its arm's list; what is closed joins what is before it."""
    before = book.before[place]
    after = book.after[place]
    if before == NONE:
        book.closed[arm] += book.run[place]
        book.closed_least[arm] += book.run_least[place]
        book.closed_most[arm] += book.run_most[place]
    else:
        book.after[before] = after
        book.run[before] += book.run[place]
        book.run_least[before] += book.run_least[place]
        book.run_most[before] += book.run_most[place]
    if after == NONE:
        book.last[arm] = before
    else:
        book.before[after] = before
    book.stale[arm] = CLOSED


@kernel
def receive(rules: Rules, arms: Arms, book: Book, arm: int, place: int, reward: float) -> None:
    """Take in the reward of the open play at `place`.

    As in `observe`, a reward of a default arm whose mean is known counts as that mean.
    """
    arms.seen[arm] += 1
    if arm == 0 and not math.isnan(rules.default_mean):
        arms.total[0] += rules.default_mean
        arms.average[0] = rules.default_mean
    else:
        arms.total[arm] += reward
        arms.average[arm] = arms.total[arm] / arms.seen[arm]
    close_play(book, arm, place, reward, reward)


@slot
def late_ends(rules: Rules, arms: Arms, book: Book, span: Span, arm: int) -> tuple[float, float]:
    """Lower and upper end of an arm's interval, of whose plays some are not known."""
    raise NotImplementedError


@kernel
def best_ends(rules: Rules, arms: Arms, book: Book, span: Span, arm: int) -> tuple[float, float]:
    """The better of the two forms at each end: closed plays, or all plays filled at the worst."""
    seen = arms.seen[arm]
    closed = book.closed[arm]
    if 0 < closed == seen and book.voided[arm] == 0:
        # Nothing is known of later plays, and a play at the worst never improves an end.
        if book.stale[arm] > 0:
            return arms.lower[arm], arms.upper[arm]
        return interval(rules.boundary, closed, arms.total[arm])
    plays = book.length[arm]
    total = arms.total[arm]
    missing = plays - seen
    lower = lower_end(rules.boundary, plays, total + missing * span.low)
    upper = upper_end(rules.boundary, plays, total + missing * span.high)
    if closed > 0:
        lower = max(lower, lower_end(rules.boundary, closed, book.closed_least[arm]))
        upper = min(upper, upper_end(rules.boundary, closed, book.closed_most[arm]))
    return lower, upper


@kernel
def hoped_end(rules: Rules, arms: Arms, book: Book, span: Span, arm: int) -> float:
    """An upper end for proposers: open plays count, so that they do not flock to one arm.

    Missing rewards are taken to be like those of the closed plays, but no better than those
    seen, and the lowest before the first: where only clicks are reported, all seen are clicks.
    It plays no part in the floor.
    """
    plays = book.length[arm]
    counted = plays if plays < 128 else plays - plays % (plays // 64)  # changes seldom
    opened = book.stale[arm]
    if opened > 0 and plays - opened >= counted:  # as many were counted before these
        return book.hoped[arm]  # type: ignore[no-any-return]
    seen = arms.seen[arm]
    if book.closed[arm] > 0:
        guess = min(arms.average[arm], book.closed_least[arm] / book.closed[arm])
    else:
        guess = span.low if math.isfinite(span.low) else 0.0
    counted = max(counted, seen)
    return upper_end(rules.boundary, counted, arms.total[arm] + (counted - seen) * guess)


@kernel
def freshen(rules: Rules, arms: Arms, book: Book, span: Span) -> None:
    """Bring intervals, and what challengers have earned for sure, up to date.

    No end is kept from before: a challenger that gets worse is then still covered.
    """
    earned = 0.0
    for i in range(len(arms.plays)):
        if book.stale[i] != FRESH:
            _freshen_arm(rules, arms, book, span, i)
            book.stale[i] = FRESH
        if i > 0:
            earned += arms.plays[i] * arms.lower[i]
            if book.voided[i] > 0:
                earned += book.voided[i] * span.low
    arms.earned[0] = earned


@kernel
def _freshen_arm(rules: Rules, arms: Arms, book: Book, span: Span, arm: int) -> None:
    """Bring one arm's interval up to date."""
    if arm == 0 and not math.isnan(rules.default_mean):
        book.hoped[0] = rules.default_mean
        return
    plays = book.length[arm]
    if plays == 0:
        arms.lower[arm] = rules.lowest_reward
        arms.upper[arm] = span.high
        book.hoped[arm] = math.inf
        return
    if arms.seen[arm] == plays:
        lower, upper = interval(rules.boundary, plays, arms.total[arm])
        book.hoped[arm] = upper
    else:
        lower, upper = late_ends(rules, arms, book, span, arm)
        book.hoped[arm] = hoped_end(rules, arms, book, span, arm)
    arms.lower[arm] = lower if lower > rules.lowest_reward else rules.lowest_reward
    arms.upper[arm] = upper
