"""The book of late rewards, against a plain list of plays."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorline import Boundary
from floorline.core.compiler import compiled
from floorline.core.kernel import bind, kernel
from floorline.core.late import best_ends, late_ends, optimistic_end, receive, update_bounds
from floorline.core.pending import (
    add_slots,
    close_play,
    forget_plays,
    new_pending,
    open_play,
    skip_play,
    with_more_slots,
)
from floorline.core.records import FOREVER, in_slots, new_arms, new_memory
from floorline.core.slots import interval
from floorline.core.steps import forget
from floorline.floors.confidence_account import SURELY_EARNED
from floorline.live import CampaignSettings

OPEN, RECEIVE, VOID, SKIP = range(4)
LOW, HIGH = -1.0, 3.0
ARMS = 3
SIZE = 64

SETTINGS = CampaignSettings(arms=("a", "b", "c"), max_loss=0.1, low=LOW, high=HIGH)
POLICY = SETTINGS.to_policy().prepare(ARMS, FOREVER)
CHOICES = {**POLICY.kernels, late_ends: best_ends}
NO_MEMORY = np.zeros(0)
interval_of = bind(POLICY.kernels[interval], CHOICES)
receive_reward = bind(receive, CHOICES)


def ends_of(rules, seen, total):
    return interval_of(rules, NO_MEMORY, 0, seen, total)


class PlainBook:
    """The same by brute force: every play of every arm, in the order of decisions."""

    def __init__(self):
        self.plays = [[] for _ in range(ARMS)]
        self.at = {}

    def open(self, arm, place):
        play = {"state": "open", "arm": arm}
        self.plays[arm].append(play)
        self.at[place] = play

    def end(self, place, state, reward=math.nan):
        play = self.at.pop(place)
        play.update(state=state, reward=reward)
        return play["arm"]

    def counted(self, arm):
        return [play for play in self.plays[arm] if play["state"] != "skipped"]

    def closed(self, arm):
        found = []
        for play in self.counted(arm):
            if play["state"] == "open":
                break
            found.append(play)
        return found

    def filled(self, plays, worst):
        return sum(play["reward"] if play["state"] == "received" else worst for play in plays)

    def ends(self, arm):
        """Lower and upper end: the better of closed plays and all plays filled at the worst."""
        forms = [plays for plays in (self.counted(arm), self.closed(arm)) if plays]
        if not forms:
            return LOW, HIGH
        lower = max(ends_of(POLICY.rules.boundary, len(p), self.filled(p, LOW))[0] for p in forms)
        upper = min(ends_of(POLICY.rules.boundary, len(p), self.filled(p, HIGH))[1] for p in forms)
        return max(lower, LOW), upper


def script_of(steps):
    """Steps that can be taken: opened plays get free places, the others name an open one."""
    free, open_places, script = list(range(SIZE)), [], []
    for action, number, eighths in steps:
        if action == OPEN or not open_places:
            if not free:
                continue
            place = free.pop(number % len(free))
            open_places.append(place)
            script.append((OPEN, number % ARMS, place, 0.0))
        else:
            place = open_places.pop(number % len(open_places))
            free.append(place)
            script.append((action, -1, place, LOW + (HIGH - LOW) * eighths / 8))
    return script


def new_records():
    arms, memory, book = new_arms(ARMS), new_memory(POLICY.memory), new_pending(ARMS, SIZE)
    bind(forget, CHOICES)(POLICY.rules, arms, memory)
    forget_plays(book)
    return arms, memory, book


@kernel
def take_step(rules, arms, memory, book, action, arm, place, reward):
    if action == OPEN:
        arms.plays[arm] += 1
        open_play(book, arm, place)
    elif action == RECEIVE:
        receive(rules, arms, memory, book, arm, place, reward)
    elif action == SKIP:
        skip_play(book, arm, place)
    else:
        arms.plays[arm] -= 1
        book.voided[arm] += 1
        close_play(book, arm, place, LOW, HIGH)


@kernel
def take_steps(rules, arms, memory, book, actions, of_arm, places, rewards, found):
    for i in range(actions.size):
        take_step(rules, arms, memory, book, actions[i], of_arm[i], places[i], rewards[i])
        update_bounds(rules, arms, memory, book, LOW, HIGH)
        for arm in range(arms.plays.size):
            at = (i * arms.plays.size + arm) * 3
            found[at] = arms.lower[arm]
            found[at + 1] = arms.upper[arm]
            found[at + 2] = book.optimistic_upper[arm]


STEPS = st.lists(
    st.tuples(
        st.sampled_from([OPEN, OPEN, RECEIVE, RECEIVE, VOID, SKIP]),
        st.integers(0, 10**6),
        st.integers(0, 8),
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(STEPS)
def test_the_book_is_a_list_of_plays(steps):
    arms, memory, book = new_records()
    plain, arm_at = PlainBook(), {}
    step, fresh = bind(take_step, CHOICES), bind(update_bounds, CHOICES)
    words = {RECEIVE: "received", VOID: "voided", SKIP: "skipped"}
    for action, opened, place, reward in script_of(steps):
        arm = arm_at.setdefault(place, opened) if action == OPEN else arm_at.pop(place)
        step(POLICY.rules, arms, memory, book, action, arm, place, reward)
        if action == OPEN:
            plain.open(arm, place)
        else:
            plain.end(place, words[action], reward)
        fresh(POLICY.rules, arms, memory, book, LOW, HIGH)
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
    arm_at, script = {}, []
    for action, opened, place, reward in script_of(steps):
        arm = arm_at.setdefault(place, opened) if action == OPEN else arm_at.pop(place)
        script.append((action, arm, place, reward))
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
