"""The loop over the rounds of a run whose rewards come late, by the kernels of live campaigns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.kernel import kernel
from floorline.core.late import (
    NONE,
    Book,
    forget_plays,
    freshen,
    new_book,
    open_play,
    receive,
    skip_play,
)
from floorline.core.records import TOLERANCE, Arms, Counts, Floats, Rules
from floorline.core.steps import forget, nominate, permit
from floorline.environments.base import draw
from floorline.environments.fate import DelayedEnvironment, fate
from floorline.simulate.loop import NO_SUCH_ARM, Measure, Outcome, write_checkpoint


class LateRoom(NamedTuple):
    """The plays of a run, each under its round counted from 0, and the news of them.

    News has the number of its play; where a reward comes again, more by the number of rounds.
    """

    book: Book
    arm: Counts
    reward: Floats
    """What each play is closed with; NaN if it is skipped."""
    is_open: NDArray[np.bool_]
    """For each play: whether it is still to be closed."""
    first: Counts
    """For each round: the first news that comes after it."""
    after: Counts
    """For each piece of news: the next that comes after the same round."""


def new_late_room(n_arms: int, horizon: int) -> LateRoom:
    """Room for runs of `horizon` rounds."""
    return LateRoom(
        book=new_book(n_arms, horizon),
        arm=np.zeros(horizon, int),
        reward=np.zeros(horizon),
        is_open=np.zeros(horizon, bool),
        first=np.zeros(horizon, int),
        after=np.zeros(2 * horizon, int),
    )


@kernel
def take_news(rules: Rules, arms: Arms, room: LateRoom, round: int) -> None:
    """Close the plays of which news comes after `round`; a play is closed once."""
    news = room.first[round]
    while news != NONE:
        place = news if news < room.arm.size else news - room.arm.size
        if room.is_open[place]:
            room.is_open[place] = False
            arm = room.arm[place]
            reward = room.reward[place]
            if math.isnan(reward):
                skip_play(room.book, arm, place)
            else:
                receive(rules, arms, room.book, arm, place, reward)
        news = room.after[news]


@kernel
def expect_news(room: LateRoom, news: int, round: int) -> None:
    """Have `news` come after `round`, before the other news of that round."""
    if round < room.first.size:
        room.after[news] = room.first[round]
        room.first[round] = news


@kernel
def late_run(
    rules: Rules, arms: Arms, memory: Floats, room: LateRoom, environment: DelayedEnvironment,
    measure: Measure, rng: Any, side_rng: Any, outcome: Outcome, run: int,
) -> None:  # fmt: skip
    """Play one run from the start and write what comes of it into row `run` of `outcome`.

    Delays, losses and the rewards of a default arm whose mean is known come from
    `side_rng`: without delay and loss, runs are those of `stochastic_run`.
    """
    book = room.book
    forget(rules, arms, memory)
    forget_plays(book)
    for i in range(room.first.size):
        room.first[i] = NONE
    seen_by_proposer = Arms(
        arms.plays, arms.seen, arms.total, arms.average, arms.lower, book.hoped, arms.earned,
        arms.aside,
    )  # fmt: skip
    known_default = not math.isnan(rules.default_mean)
    played = 0
    budget = 0.0
    lowest = math.inf
    breach = 0
    received = 0.0
    for c in range(measure.checkpoints.size):
        while played < measure.checkpoints[c]:
            take_news(rules, arms, room, played)
            freshen(rules, arms, book, environment.span)
            for i in range(memory.size):
                memory[i] = 0.0  # upper ends change with every play, and nobody tells proposers
            candidate = nominate(rules, seen_by_proposer, memory, played + 1, rng)
            if candidate < 0 or candidate >= arms.plays.size:
                outcome.first_breach[run] = NO_SUCH_ARM
                return
            arm = permit(rules, arms, played + 1, candidate).arm
            if arm == 0 and known_default:
                reward = draw(environment.rewards, arm, side_rng)
            else:
                reward = draw(environment.rewards, arm, rng)
            arms.plays[arm] += 1
            open_play(book, arm, played)
            ahead = fate(environment, arm, played + 1, reward, side_rng)
            room.arm[played] = arm
            room.reward[played] = ahead.reward
            room.is_open[played] = True
            expect_news(room, played, ahead.closed_after)
            expect_news(room, played + room.arm.size, ahead.again_after)
            received += reward if math.isnan(ahead.reward) else ahead.reward
            played += 1
            budget += measure.gains[arm]
            if budget < lowest:
                lowest = budget
                if breach == 0 and budget < -TOLERANCE * measure.default_mean * played:
                    breach = played
        write_checkpoint(arms, measure, outcome, run, c, lowest, received)
    outcome.first_breach[run] = breach
