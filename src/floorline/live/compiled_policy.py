"""A campaign's kernels in machine code, on arrays that Python reads and writes as views.

The methods of `CompiledPolicy` take the arguments of the kernels that they replace, so that a
campaign calls either in the same way. They ignore the records, which are always the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from floorline.core.kernel import Function, bind
from floorline.core.machine_code import load
from floorline.core.packing import pack, take_apart
from floorline.core.records import Choice
from floorline.core.slots import fallback_arm, toss
from floorline.live.compiled_kernels import (
    ANSWER,
    ARM,
    NUMBER,
    PROBABILITY,
    REWARD,
    ROUND,
    SIDE,
    SLOT,
    Records,
)


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
