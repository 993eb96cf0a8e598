"""The kernels of a decision and its reward, in a form that can be called as machine code.

Machine code takes one argument: where its arrays are. So these kernels find their arguments in
arrays, and leave their answer there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import Function, kernel, slot
from floorline.core.late import settle_play, start_play, update_bounds
from floorline.core.machine_code import path_of
from floorline.core.packing import pick, picker
from floorline.core.pending import PendingPlays
from floorline.core.random import uniform
from floorline.core.records import Arms, Counts, Floats, Memory, Rules
from floorline.core.slots import guaranteed_budget
from floorline.core.steps import answer_candidate, refusal_probability
from floorline.proposers.optimistic import LEADER, most_promising

WHOLES = ROUND, CANDIDATE, ARM, ACTED, SLOT, SIDE, NUMBER = range(7)
FLOATS = LOW, HIGH, PROBABILITY, REWARD, ANSWER, COIN = range(6)
USED = 2.0
"""Replaces the coin's number once it was used."""


class Arguments(NamedTuple):
    """The arguments of a kernel, and its answer."""

    wholes: Counts
    floats: Floats
    search: Floats
    """Scratch memory for the search for the largest upper end, cleared before each search."""


def new_arguments(low: float, high: float) -> Arguments:
    """Return room for arguments; rewards are in [low, high]."""
    given = Arguments(np.zeros(len(WHOLES), np.int64), np.zeros(len(FLOATS)), np.zeros(2))
    given.floats[LOW], given.floats[HIGH] = low, high
    return given


class Records(NamedTuple):
    """Everything that the kernels read and write."""

    rules: Rules
    arms: Arms
    memory: Memory
    pending: PendingPlays
    given: Arguments


@slot
def step(rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments) -> None:
    """Run one kernel."""
    raise NotImplementedError


@kernel
def run_step(packed: Any) -> None:
    """Run one kernel on packed records."""
    records = pick(packed, 0)
    step(records.rules, records.arms, records.memory, records.pending, records.given)


@kernel
def update(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments
) -> None:
    """Update all intervals and the floor's accounts."""
    update_bounds(rules, arms, memory, pending, given.floats[LOW], given.floats[HIGH])


@kernel
def propose_and_decide(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments
) -> None:
    """Update all intervals and accounts, then decide on the arm that UCB proposes."""
    update(rules, arms, memory, pending, given)
    seen = Arms(
        arms.plays, arms.seen, arms.total, arms.average, arms.lower, pending.optimistic_upper
    )
    given.search[LEADER] = 0
    given.wholes[CANDIDATE] = most_promising(0, seen, given.search, given.wholes[ROUND], 0)
    decide(rules, arms, memory, pending, given)


@kernel
def decide(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments
) -> None:
    """Answer with the arm to play for a candidate, and with the budget after it."""
    wholes, floats = given.wholes, given.floats
    _, arm, acted, probability, budget = answer_candidate(
        rules, arms, memory, wholes[ROUND], wholes[CANDIDATE], floats
    )
    wholes[ARM], wholes[ACTED] = arm, acted
    floats[PROBABILITY], floats[ANSWER] = probability, budget


@kernel
def drawn_ahead(rng: Floats) -> float:
    """Return the coin's number, drawn ahead, and mark it as used."""
    number = rng[COIN]
    rng[COIN] = USED
    return number  # type: ignore[no-any-return]


@kernel
def refuse(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments
) -> None:
    """Answer with the probability at which a candidate is refused."""
    round, candidate = given.wholes[ROUND], given.wholes[CANDIDATE]
    given.floats[ANSWER] = refusal_probability(rules, arms, memory, round, candidate)


@kernel
def state_budget(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments
) -> None:
    """Answer with the budget after an arm is played."""
    round, arm = given.wholes[ROUND], given.wholes[ARM]
    given.floats[ANSWER] = guaranteed_budget(rules.floor, arms, memory.floor, round, arm)


@kernel
def count_play(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments
) -> None:
    """Count a play."""
    start_play(
        rules,
        arms,
        memory,
        pending,
        given.floats[LOW],
        given.floats[HIGH],
        given.wholes[ARM],
        given.wholes[SLOT],
        given.wholes[NUMBER],
        given.floats[PROBABILITY],
    )


@kernel
def take_reward(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, given: Arguments
) -> None:
    """Record the reward of a pending play."""
    settle_play(
        rules,
        arms,
        memory,
        pending,
        given.floats[LOW],
        given.floats[HIGH],
        given.wholes[ARM],
        given.wholes[SLOT],
        given.wholes[SIDE],
        given.wholes[NUMBER],
        given.floats[PROBABILITY],
        given.floats[REWARD],
    )


STEPS = (update, propose_and_decide, decide, refuse, state_budget, count_play, take_reward)
"""In the order in which `CompiledPolicy` takes their machine code."""


def choices_for(kernels: Mapping[Function, Function], form: Any) -> list[dict[Function, Function]]:
    """Return the kernel for each slot of `run_step`, for each step on records of this form."""
    given: dict[Function, Function] = {pick: picker(form), uniform: drawn_ahead}
    return [{**kernels, **given, step: one} for one in STEPS]


def code_paths(kernels: Mapping[Function, Function], form: Any) -> list[Path]:
    """Return the files of the machine code of all steps; none if it cannot be stored."""
    paths = [path_of(run_step, choices) for choices in choices_for(kernels, form)]
    found = [path for path in paths if path is not None]
    return found if len(found) == len(paths) else []
