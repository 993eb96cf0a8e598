"""The book of plays against lists that are looked through, and what filling at the worst needs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorline import Boundary, ConfidenceFloor, Policy, optimistic
from floorline.core.kernel import bind
from floorline.core.late import (
    Span,
    best_ends,
    close_play,
    forget_plays,
    freshen,
    late_ends,
    more_room,
    new_book,
    open_play,
    receive,
    skip_play,
)
from floorline.core.records import new_arms
from floorline.core.steps import forget, interval

LOW, HIGH = -1.0, 2.0
STEPS = st.lists(
    st.tuples(st.sampled_from(["open", "open", "reward", "skip", "void"]), st.integers(0, 2**16)),
    max_size=60,
)


@given(STEPS)
@settings(max_examples=200, deadline=None)
def test_ends_are_those_of_the_plays_looked_through(steps):
    boundary = Boundary(noise_scale=(HIGH - LOW) / 2, lowest_reward=LOW)
    policy = Policy(optimistic(), ConfidenceFloor(0.1), boundary).prepare(2, 100)
    ends = bind(policy.kernels[interval], policy.kernels)
    arms, memory, book = new_arms(2), np.zeros(policy.memory), new_book(2, 1)
    forget(policy.rules, arms, memory)
    forget_plays(book)
    plays = []  # of arm 1, in order: [place, least, most], and no end while it is open
    for place, (step, dice) in enumerate(steps):
        opened = [play for play in plays if len(play) == 1]
        if step == "open":
            while place >= book.run.size:
                book = more_room(book)
            arms.plays[1] += 1
            open_play(book, 1, place)
            plays.append([place])
        elif opened:
            play = opened[dice % len(opened)]
            if step == "reward":
                reward = LOW + (dice % 4)
                receive(policy.rules, arms, book, 1, play[0], reward)
                play += [reward, reward]
            elif step == "void":
                arms.plays[1] -= 1
                book.voided[1] += 1
                close_play(book, 1, play[0], LOW, HIGH)
                play += [LOW, HIGH]
            else:
                skip_play(book, 1, play[0])
                plays.remove(play)
    bind(freshen, {**policy.kernels, late_ends: best_ends})(
        policy.rules, arms, book, Span(LOW, HIGH)
    )
    closed = next((i for i, play in enumerate(plays) if len(play) == 1), len(plays))
    assert book.length[1] == len(plays)
    assert book.closed[1] == closed
    lower, upper = LOW, math.inf
    for part in (plays, plays[:closed]):
        if part:
            least = math.fsum(play[1] if len(play) > 1 else LOW for play in part)
            most = math.fsum(play[2] if len(play) > 1 else HIGH for play in part)
            lower = max(lower, ends(policy.rules.boundary, len(part), least)[0])
            upper = min(upper, ends(policy.rules.boundary, len(part), most)[1])
    assert arms.lower[1] == pytest.approx(lower, abs=1e-12)
    assert arms.upper[1] == pytest.approx(upper if plays else HIGH, abs=1e-12)
    assert arms.earned[0] == pytest.approx(arms.plays[1] * lower + book.voided[1] * LOW)


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
        lower, upper = ends(rules, seen, total)
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
