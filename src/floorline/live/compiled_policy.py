"""A campaign's kernels in machine code, on arrays that Python reads and writes as views.

The methods of `CompiledPolicy` take the arguments of the kernels that they replace, so that a
campaign calls either in the same way. They ignore the records, which are always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floorline.core.machine_code import Native
from floorline.core.packing import pack, take_apart
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Counts, Memory
from floorline.live.coins import Coin
from floorline.live.compiled_kernels import (
    ACTED,
    ANSWER,
    ARM,
    CANDIDATE,
    COIN,
    NUMBER,
    PROBABILITY,
    REWARD,
    ROUND,
    SIDE,
    SLOT,
    USED,
    Records,
)

FAILED = "a compiled kernel failed"

Answer = tuple[int, int, bool, float, float]
"""The candidate, the arm to play, whether it is the candidate, the probability with which the
candidate was to be refused, and a lower bound on the budget after the decision."""


class CompiledPolicy:
    """The kernels of one campaign in machine code, and views of the arrays they work on."""

    def __init__(self, records: Records, code: Sequence[Native]) -> None:
        parts = take_apart(records)
        self._packed = packed = pack([parts])
        self._addresses = np.array([array.ctypes.data for array in packed])
        self._table = self._addresses.ctypes.data
        views = {
            **_views(parts.float_arrays, packed.float_bounds, packed.float_arrays),
            **_views(parts.whole_arrays, packed.whole_bounds, packed.whole_arrays),
        }
        self.arms = Arms(*(views[id(array)] for array in records.arms))
        self.memory = Memory(*(views[id(array)] for array in records.memory))
        self.pending = PendingPlays(*(views[id(array)] for array in records.pending))
        self._wholes: Any = views[id(records.given.wholes)]
        self._floats: Any = views[id(records.given.floats)]
        update, propose, decide, refuse, state_budget, count_play, take_reward = code
        self._update, self._propose_and_decide, self._decide = update, propose, decide
        self._refuse, self._state_budget = refuse, state_budget
        self._count_play, self._take_reward = count_play, take_reward

    # In place of the kernels of the same names.

    def update_bounds(self, *_: Any) -> None:
        """Update all intervals and the floor's accounts."""
        if self._update(self._table):
            raise ArithmeticError(FAILED)

    def refusal_probability(
        self, rules: Any, arms: Any, memory: Any, round: int, candidate: int
    ) -> float:
        """Return the probability with which a candidate is refused, including the holdback."""
        wholes = self._wholes
        wholes[ROUND], wholes[CANDIDATE] = round, candidate
        if self._refuse(self._table):
            raise ArithmeticError(FAILED)
        return self._floats[ANSWER]  # type: ignore[no-any-return]

    def answer_candidate(
        self, rules: Any, arms: Any, memory: Any, round: int, candidate: int, coin: Coin
    ) -> Answer:
        """Return the choice between a candidate and the fallback arm, and the budget after it."""
        self._wholes[CANDIDATE] = candidate
        return self._answer(self._decide, round, coin)

    def answer_leader(self, round: int, coin: Coin) -> Answer:
        """Update everything, and return the answer to the arm with the largest upper end."""
        return self._answer(self._propose_and_decide, round, coin)

    def _answer(self, step: Native, round: int, coin: Coin) -> Answer:
        wholes, floats = self._wholes, self._floats
        wholes[ROUND], floats[COIN] = round, coin.ahead
        if step(self._table):
            raise ArithmeticError(FAILED)
        if floats[COIN] == USED:
            coin.random()
        acted, probability = wholes[ACTED] == 1, floats[PROBABILITY]
        return wholes[CANDIDATE], wholes[ARM], acted, probability, floats[ANSWER]

    def guaranteed_budget(self, rules: Any, arms: Any, memory: Any, round: int, arm: int) -> float:
        """Return the budget still guaranteed if `arm` is played now."""
        wholes = self._wholes
        wholes[ROUND], wholes[ARM] = round, arm
        if self._state_budget(self._table):
            raise ArithmeticError(FAILED)
        return self._floats[ANSWER]  # type: ignore[no-any-return]

    def start_play(
        self,
        rules: Any,
        arms: Any,
        memory: Any,
        pending: Any,
        low: float,
        high: float,
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
            raise ArithmeticError(FAILED)

    def settle_play(
        self,
        rules: Any,
        arms: Any,
        memory: Any,
        pending: Any,
        low: float,
        high: float,
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
            raise ArithmeticError(FAILED)


def _views(arrays: Sequence[Any], bounds: Counts, joined: Any) -> dict[int, Any]:
    """Return a view of each packed array by its id: Python reads those faster than arrays."""
    places = bounds.reshape(-1, 2).tolist()
    return {
        id(array): joined.data[start:end]
        for array, (start, end) in zip(arrays, places, strict=True)
    }
