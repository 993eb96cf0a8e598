"""The loop over the rounds of a run whose rewards come late, by the kernels of live campaigns."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

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
from floorline.environments.delayed import DelayedEnvironment, fate
from floorline.simulate.loop import NO_SUCH_ARM, Measure, Outcome, write_plays


class LateRoom(NamedTuple):
    """The plays of a run, each under its round counted from 0, and when they are closed."""

    book: Book
    arm: Counts
    reward: Floats
    """What each play is closed with; NaN if it is skipped."""
    first: Counts
    """For each round: the first of the plays that are closed after it."""
    after: Counts
    """For each play: the next that is closed after the same round."""


def new_late_room(n_arms: int, horizon: int) -> LateRoom:
    """Room for runs of `horizon` rounds."""
    plays = [np.zeros(horizon, kind) for kind in (int, float, int, int)]
    return LateRoom(new_book(n_arms, horizon), plays[0], plays[1], plays[2], plays[3])


@kernel
def close_due(rules: Rules, arms: Arms, room: LateRoom, round: int) -> None:
    """Close the plays that are due after `round`."""
    place = room.first[round]
    while place != NONE:
        arm = room.arm[place]
        reward = room.reward[place]
        if math.isnan(reward):
            skip_play(room.book, arm, place)
        else:
            receive(rules, arms, room.book, arm, place, reward)
        place = room.after[place]


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
            close_due(rules, arms, room, played)
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
            closed_after, counted = fate(environment, arm, played + 1, reward, side_rng)
            room.arm[played] = arm
            room.reward[played] = counted
            if closed_after < room.first.size:
                room.after[played] = room.first[closed_after]
                room.first[closed_after] = played
            received += reward if math.isnan(counted) else counted
            played += 1
            budget += measure.gains[arm]
            if budget < lowest:
                lowest = budget
                if breach == 0 and budget < -TOLERANCE * measure.default_mean * played:
                    breach = played
        outcome.lowest_budget[run, c] = lowest
        if measure.wants_rewards:
            outcome.rewards[run, c] = received
        write_plays(arms, outcome, run, c)
        regret = 0.0
        for i in range(arms.plays.size):
            regret += arms.plays[i] * measure.gaps[i]
        outcome.pseudo_regret[run, c] = regret
    outcome.first_breach[run] = breach
