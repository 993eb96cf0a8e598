"""A campaign's kernels in machine code, on arrays that Python reads and writes as views.

Each kernel finds its arguments in arrays and leaves its answer there. The methods of
`CompiledPolicy` take the arguments of the kernels that they replace, so that a campaign calls
either in the same way; they ignore the records, which are always the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import Function, bind, kernel, slot
from floorline.core.late import settle_play, start_play, update_bounds
from floorline.core.machine_code import load, path_of
from floorline.core.packing import pack, pick, picker, take_apart
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Choice, Counts, Floats, Memory, Rules
from floorline.core.slots import fallback_arm, guaranteed_budget, toss
from floorline.core.steps import refusal_probability

WHOLES = ROUND, ARM, SLOT, SIDE, NUMBER = range(5)
FLOATS = LOW, HIGH, PROBABILITY, REWARD, ANSWER = range(5)


class Call(NamedTuple):
    """The arguments of a kernel, and its answer."""

    wholes: Counts
    floats: Floats


def new_call(low: float, high: float) -> Call:
    """Return room for arguments; rewards are in [low, high]."""
    call = Call(np.zeros(len(WHOLES), np.int64), np.zeros(len(FLOATS)))
    call.floats[LOW], call.floats[HIGH] = low, high
    return call


class Records(NamedTuple):
    """Everything that the kernels read and write."""

    rules: Rules
    arms: Arms
    memory: Memory
    pending: PendingPlays
    call: Call


@slot
def step(rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, call: Call) -> None:
    """Run one kernel."""
    raise NotImplementedError


@kernel
def run_step(packed: Any) -> None:
    """Run one kernel on packed records."""
    records = pick(packed, 0)
    step(records.rules, records.arms, records.memory, records.pending, records.call)


@kernel
def update(rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, call: Call) -> None:
    """Update all intervals and the floor's accounts."""
    update_bounds(rules, arms, memory, pending, call.floats[LOW], call.floats[HIGH])


@kernel
def refuse(rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, call: Call) -> None:
    """Answer with the probability at which a candidate is refused."""
    round, candidate = call.wholes[ROUND], call.wholes[ARM]
    call.floats[ANSWER] = refusal_probability(rules, arms, memory, round, candidate)


@kernel
def state_budget(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, call: Call
) -> None:
    """Answer with the budget after an arm is played."""
    round, arm = call.wholes[ROUND], call.wholes[ARM]
    call.floats[ANSWER] = guaranteed_budget(rules.floor, arms, memory.floor, round, arm)


@kernel
def count_play(rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, call: Call) -> None:
    """Count a play."""
    arm, slot, number = call.wholes[ARM], call.wholes[SLOT], call.wholes[NUMBER]
    start_play(rules, arms, memory, pending, arm, slot, number, call.floats[PROBABILITY])


@kernel
def take_reward(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, call: Call
) -> None:
    """Record the reward of a pending play."""
    settle_play(
        rules,
        arms,
        memory,
        pending,
        call.wholes[ARM],
        call.wholes[SLOT],
        call.wholes[SIDE],
        call.wholes[NUMBER],
        call.floats[PROBABILITY],
        call.floats[REWARD],
    )


STEPS = (update, refuse, state_budget, count_play, take_reward)
"""In the order in which `CompiledPolicy` takes their machine code."""


def choices_for(kernels: Mapping[Function, Function], form: Any) -> list[dict[Function, Function]]:
    """Return the kernel for each slot of `run_step`, for each step on records of this form."""
    return [{**kernels, pick: picker(form), step: one} for one in STEPS]


def stored_code(kernels: Mapping[Function, Function], records: Records) -> tuple[Path, ...] | None:
    """Return the files of the machine code of all steps; None if it cannot be stored."""
    parts = take_apart(records)
    return _paths(frozenset(kernels.items()), parts.form) if parts.packable else None


@lru_cache(maxsize=256)
def _paths(kernels: frozenset[tuple[Function, Function]], form: Any) -> tuple[Path, ...] | None:
    paths = [path_of(run_step, choices) for choices in choices_for(dict(kernels), form)]
    return None if None in paths else tuple(path for path in paths if path is not None)


def failure() -> ArithmeticError:
    """Return the error for a kernel that failed."""
    return ArithmeticError("a compiled kernel failed")


class CompiledPolicy:
    """The kernels of one campaign in machine code, and the arrays they work on."""

    def __init__(
        self, records: Records, kernels: Mapping[Function, Function], code: Sequence[Path]
    ) -> None:
        self._parts = take_apart(records)
        self._packed = pack([self._parts])
        self._addresses = np.array([array.ctypes.data for array in self._packed])
        self._table = self._addresses.ctypes.data
        self._toss = bind(kernels[toss], kernels)
        self._fallback_arm = bind(kernels[fallback_arm], kernels)
        self._wholes: Any = self.view(records.call.wholes)
        self._floats: Any = self.view(records.call.floats)
        update, refuse, state_budget, count_play, take_reward = map(load, code)
        self._update, self._refuse, self._state_budget = update, refuse, state_budget
        self._count_play, self._take_reward = count_play, take_reward

    def view(self, array: Any) -> Any:
        """Return the view of one array of the records: Python reads it faster than an array."""
        parts, packed = self._parts, self._packed
        for arrays, bounds, joined in (
            (parts.float_arrays, packed.float_bounds, packed.float_arrays),
            (parts.whole_arrays, packed.whole_bounds, packed.whole_arrays),
        ):
            for place, one in enumerate(arrays):
                if one is array:
                    start, end = bounds[0, 2 * place : 2 * place + 2]
                    return joined.data[start:end]
        raise LookupError("not an array of these records")

    # In place of the kernels of the same names.

    def update_bounds(self, *_: Any) -> None:
        """Update all intervals and the floor's accounts."""
        if self._update(self._table):
            raise failure()

    def refusal_probability(
        self, rules: Any, arms: Any, memory: Any, round: int, candidate: int
    ) -> float:
        """Return the probability with which a candidate is refused, including the holdback."""
        wholes = self._wholes
        wholes[ROUND], wholes[ARM] = round, candidate
        if self._refuse(self._table):
            raise failure()
        return self._floats[ANSWER]  # type: ignore[no-any-return]

    def decide_on(
        self, rules: Any, arms: Any, memory: Any, round: int, candidate: int, coin: Any
    ) -> Choice:
        """Return the choice between a candidate and the fallback arm."""
        probability = self.refusal_probability(rules, arms, memory, round, candidate)
        granted = self._toss(probability, coin)
        arm = candidate if granted else self._fallback_arm(rules.floor, arms, memory.floor)
        return Choice(candidate, arm, granted, probability)

    def guaranteed_budget(self, rules: Any, arms: Any, memory: Any, round: int, arm: int) -> float:
        """Return the budget still guaranteed if `arm` is played now."""
        wholes = self._wholes
        wholes[ROUND], wholes[ARM] = round, arm
        if self._state_budget(self._table):
            raise failure()
        return self._floats[ANSWER]  # type: ignore[no-any-return]

    def start_play(
        self,
        rules: Any,
        arms: Any,
        memory: Any,
        pending: Any,
        arm: int,
        slot: int,
        number: int,
        probability: float,
    ) -> None:
        """Count a play whose reward may come late."""
        wholes = self._wholes
        wholes[ARM], wholes[SLOT], wholes[NUMBER] = arm, slot, number
        self._floats[PROBABILITY] = probability
        if self._count_play(self._table):
            raise failure()

    def settle_play(
        self,
        rules: Any,
        arms: Any,
        memory: Any,
        pending: Any,
        arm: int,
        slot: int,
        side: int,
        number: int,
        probability: float,
        reward: float,
    ) -> None:
        """Record the reward of a pending play, also with the floor."""
        wholes, floats = self._wholes, self._floats
        wholes[ARM], wholes[SLOT], wholes[SIDE], wholes[NUMBER] = arm, slot, side, number
        floats[PROBABILITY], floats[REWARD] = probability, reward
        if self._take_reward(self._table):
            raise failure()
