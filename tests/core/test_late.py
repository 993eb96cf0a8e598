"""The book of late rewards, against a plain list of plays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_book import (
    ARMS,
    CHOICES,
    HIGH,
    LOW,
    NO_MEMORY,
    OPEN,
    POLICY,
    RECEIVE,
    SIZE,
    SKIP,
    VOID,
    ends_of,
    new_records,
    played,
    script_of,
    take_steps,
)

from floorline import Boundary
from floorline.core.compiler import compiled
from floorline.core.kernel import bind
from floorline.core.late import optimistic_end, receive, update_bounds
from floorline.core.pending import add_slots, open_play, with_more_slots
from floorline.core.records import in_slots
from floorline.core.slots import interval
from floorline.floors.confidence_account import SURELY_EARNED

receive_reward = bind(receive, CHOICES)

STEPS = st.lists(
    st.tuples(
        st.sampled_from([OPEN, OPEN, RECEIVE, RECEIVE, VOID, SKIP]),
        st.integers(0, 10**6),
        st.integers(0, 8),
    ),
    max_size=120,
)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_the_book_is_a_list_of_plays(steps):
    for plain, arms, memory, book in played(script_of(steps)):
        for i in range(ARMS):
            counted, closed = plain.counted(i), plain.closed(i)
            assert book.length[i] == len(counted)
            assert book.closed[i] == len(closed)
            assert book.closed_least[i] == plain.filled(closed, LOW)
            assert book.closed_most[i] == plain.filled(closed, HIGH)
            assert book.voided[i] == sum(play["state"] == "voided" for play in counted)
            assert (arms.lower[i], arms.upper[i]) == pytest.approx(plain.ends(i), abs=1e-12)
        charged = sum(
            (LOW if play["state"] == "voided" else arms.lower[i])
            for i in range(1, ARMS)
            for play in plain.plays[i]
        )
        assert memory.floor[SURELY_EARNED] == pytest.approx(charged, abs=1e-12)


def test_the_better_form_is_each_of_the_two_in_turn():
    """One late reward at the front favours all plays, one at the end the closed ones."""
    rules, arms, memory, book = POLICY.rules, *new_records()
    fresh = bind(update_bounds, CHOICES)
    for place in range(40):
        open_play(book, 1, place)
    for place in range(1, 40):
        receive_reward(rules, arms, memory, book, 1, place, 2.0)
    fresh(rules, arms, memory, book, LOW, HIGH)
    assert book.closed[1] == 0
    assert arms.lower[1] == pytest.approx(ends_of(rules.boundary, 40, 78.0 + LOW)[0])
    receive_reward(rules, arms, memory, book, 1, 0, 2.0)
    assert book.closed[1] == 40
    for place in range(40, 60):
        open_play(book, 1, place)
    fresh(rules, arms, memory, book, LOW, HIGH)
    assert arms.lower[1] == pytest.approx(ends_of(rules.boundary, 40, 80.0)[0])
    assert arms.upper[1] == pytest.approx(ends_of(rules.boundary, 40, 80.0)[1])
    assert arms.lower[1] > ends_of(rules.boundary, 60, 80.0 + 20 * LOW)[0]


def test_proposers_count_open_plays_at_what_the_others_earned():
    rules, arms, memory, book = POLICY.rules, *new_records()
    for place in range(10):
        open_play(book, 2, place)
    hoped = bind(optimistic_end, CHOICES)
    assert hoped(rules, arms, memory, book, LOW, 2) == ends_of(rules.boundary, 10, 10 * LOW)[1]
    for place in range(4):
        receive_reward(rules, arms, memory, book, 2, place, 1.5)
    expected = ends_of(rules.boundary, 10, 10 * 1.5)[1]
    assert hoped(rules, arms, memory, book, LOW, 2) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["lists", "arrays"])
def test_a_fuller_book_holds_the_same_plays(kind):
    rules, (arms, memory, book) = POLICY.rules, new_records()
    if kind == "lists":
        arms, memory, book = map(in_slots, (arms, memory, book))
    for place in range(SIZE):
        open_play(book, place % ARMS, place)
    if kind == "lists":
        add_slots(book)
    else:
        book = with_more_slots(book)
    for place in range(SIZE, 2 * SIZE):
        open_play(book, place % ARMS, place)
    for place in reversed(range(2 * SIZE)):
        receive_reward(rules, arms, memory, book, place % ARMS, place, 1.0)
    assert [*book.closed] == [*book.length] == [43, 43, 42]
    assert [*book.closed_least] == [43.0, 43.0, 42.0]


def test_compiled_and_interpreted_books_agree():
    rng = np.random.default_rng(6)
    steps = zip(
        rng.choice([OPEN, OPEN, RECEIVE, RECEIVE, VOID, SKIP], 3000).tolist(),
        rng.integers(0, 10**6, 3000).tolist(),
        rng.integers(0, 9, 3000).tolist(),
        strict=True,
    )
    script = script_of(steps)
    columns = [np.array(column) for column in zip(*script, strict=True)]
    found = []
    for take in (bind(take_steps, CHOICES), compiled(take_steps, CHOICES)):
        arms, memory, book = new_records()
        ends = np.zeros(len(script) * ARMS * 3)
        take(POLICY.rules, arms, memory, book, *columns, ends)
        found.append((ends, arms, book))
    (ends, arms, book), (other_ends, other_arms, other_book) = found
    np.testing.assert_allclose(ends, other_ends, atol=1e-12)
    for one, other in zip((*arms, *book), (*other_arms, *other_book), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


BOUNDARIES = [
    *(Boundary(name, noise_scale=0.5) for name in ("stitched", "union-proved", "authors")),
    *(Boundary("beta-binomial", prior=prior) for prior in ((0.5, 0.5), (3.0, 97.0), (50.0, 2.0))),
]


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda one: f"{one.name} {one.prior}")
def test_filling_in_at_the_worst_is_the_worst(boundary):
    """What docs/guarantee.md asks of a boundary: no reward and no further play helps an end more.

    Ends are clipped to the range, outside of which no mean lies.
    """
    rules = boundary.rules_at(40.0, 400)
    ends = bind(boundary.kernels()[interval], boundary.kernels())

    def clipped(seen, total):
        lower, upper = ends(rules, NO_MEMORY, 0, seen, total)
        return max(lower, 0.0), min(upper, 1.0)

    for seen in (1, 2, 3, 7, 20, 60, 300):
        before = (0.0, 0.0)
        for total in np.linspace(0, seen, min(seen, 40) + 1):
            lower, upper = clipped(seen, total)
            assert lower >= before[0] - 1e-12
            assert upper >= before[1] - 1e-12
            assert clipped(seen + 1, total)[0] <= lower + 1e-12
            assert clipped(seen + 1, total + 1)[1] >= upper - 1e-12
            before = lower, upper
