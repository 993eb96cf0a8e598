"""Cuts: against plain lists of plays, and against all rewards that may still come."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_book import (
    ARMS,
    CHOICES,
    HIGH,
    LOW,
    OPEN,
    POLICY,
    RECEIVE,
    SKIP,
    VOID,
    end_of,
    new_records,
    played,
    script_of,
)

from floorline.core.cuts import best_cuts, move_cuts, no_cuts
from floorline.core.kernel import bind
from floorline.core.late import receive, update_bounds
from floorline.core.pending import open_play

RATHER_LATE = st.lists(
    st.tuples(
        st.sampled_from([OPEN, OPEN, OPEN, RECEIVE, RECEIVE, VOID, SKIP]),
        st.integers(0, 10**6).map(lambda number: number - number % 5 * (number % 7 > 0)),
        st.integers(0, 8),
    ),
    min_size=30,
    max_size=150,
)


def late_story(rng, steps=400, delay=40):
    """One arm whose rewards come after `delay` steps, one in 25 never, another one in 25 void."""
    waiting, free, script = [], list(range(64)), []
    for _ in range(steps):
        place = free.pop()
        script.append((OPEN, 1, place, 0.0))
        outcome = rng.choice([RECEIVE, VOID, OPEN], p=[0.92, 0.04, 0.04])
        if outcome != OPEN:
            waiting.append((outcome, 1, place, LOW + (HIGH - LOW) * rng.integers(3, 7) / 8))
        if len(waiting) == delay:
            script.append(waiting.pop(0))
            free.append(script[-1][2])
        if not free:
            break
    return script


@settings(max_examples=100, deadline=None)
@given(RATHER_LATE)
def test_cuts_are_those_of_a_plain_list(steps):
    for plain, _, _, book in played(script_of(steps)):
        for arm, cuts in enumerate(plain.cuts):
            found = book.cut_lower[arm], book.cut_upper[arm]
            assert book.next_walk[arm] == cuts.next_walk
            assert found == pytest.approx((cuts.lower, cuts.upper), abs=1e-12)


def test_cuts_are_those_of_a_plain_list_where_rewards_are_late_and_lost():
    """And better than the other two forms most of the time."""
    better, moments = 0, 0
    script = late_story(np.random.default_rng(1))
    for (plain, arms, _, book), (_, others, _, _) in zip(
        played(script), played(script, {**CHOICES, move_cuts: no_cuts}), strict=True
    ):
        cuts = plain.cuts[1]
        assert (book.cut_lower[1], book.cut_upper[1]) == pytest.approx((cuts.lower, cuts.upper))
        assert book.next_walk[1] == cuts.next_walk
        assert arms.lower[1] >= others.lower[1]
        assert arms.upper[1] <= others.upper[1]
        better += arms.lower[1] > others.lower[1] and arms.upper[1] < others.upper[1]
        moments += 1
    assert better > moments / 2


@settings(max_examples=60, deadline=None)
@given(RATHER_LATE, st.randoms(use_true_random=False))
def test_no_end_rules_out_a_mean_that_the_rewards_to_come_may_leave(steps, random):
    """Of all ways to fill in what is missing, none leaves a mean outside the interval.

    Intervals hold for the first n plays, for all n at once: the means that are left are those in
    all of them.
    """
    *_, (plain, arms, _, _) = played(script_of(steps))
    for arm in range(ARMS):
        plays = plain.counted(arm)
        known = [play.get("reward") if play["state"] == "received" else None for play in plays]
        missing = known.count(None)
        few = itertools.product((LOW, 1.0, HIGH), repeat=missing) if missing <= 3 else ()
        some = [[random.choice((LOW, 1.0, HIGH)) for _ in range(missing)] for _ in range(4)]
        for filling in [*few, *some, [LOW] * missing, [HIGH] * missing]:
            values = iter(filling)
            rewards = [next(values) if reward is None else reward for reward in known]
            sums = list(itertools.accumulate(rewards))
            lowers = [end_of(n, total, 0) for n, total in enumerate(sums, 1)]
            uppers = [end_of(n, total, 1) for n, total in enumerate(sums, 1)]
            assert arms.lower[arm] <= max([LOW, *lowers]) + 1e-9
            assert arms.upper[arm] >= min([HIGH, *uppers]) - 1e-9


def test_a_lost_reward_and_late_ones_leave_the_plays_between():
    arms, memory, book = new_records()
    take, move = bind(receive, CHOICES), bind(best_cuts, CHOICES)
    for place in range(60):
        open_play(book, 1, place)
    for place in range(1, 40):
        take(POLICY.rules, arms, memory, book, 1, place, 1.0)
    move(POLICY.rules, arms, memory, book, LOW, HIGH, 1)
    bind(update_bounds, CHOICES)(POLICY.rules, arms, memory, book, LOW, HIGH)
    assert arms.lower[1] == pytest.approx(end_of(40, 39.0 + LOW, 0))
    assert arms.upper[1] == pytest.approx(end_of(40, 39.0 + HIGH, 1))
    assert arms.lower[1] > end_of(60, 39.0 + 21 * LOW, 0)


def test_without_a_worst_reward_there_are_no_cuts():
    arms, memory, book = new_records()
    take, move = bind(receive, CHOICES), bind(best_cuts, CHOICES)
    for place in range(60):
        open_play(book, 1, place)
    for place in range(1, 40):
        take(POLICY.rules, arms, memory, book, 1, place, 1.0)
    move(POLICY.rules, arms, memory, book, -np.inf, np.inf, 1)
    assert (book.cut_lower[1], book.cut_upper[1]) == (-np.inf, np.inf)


def test_cuts_are_placed_once_in_sixteen_plays_and_rewards_at_the_most():
    walks, before = 0, 0
    script = late_story(np.random.default_rng(2), 300)
    for *_, book in played(script):
        walks += book.next_walk[1] != before
        before = book.next_walk[1]
    assert 5 < walks <= len(script) / 16 + 1
