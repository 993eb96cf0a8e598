"""Checking afterwards what was assumed about pending rewards under the randomised floor.

Decisions are replayed in order as if every reward had arrived at once. If the bound allows each
coin then, the floor has held whatever was assumed (docs/randomised-floor.md).
"""

from __future__ import annotations

import math
from typing import Any

from floorline.core.records import in_slots, new_arms
from floorline.floors.randomised.account import charge, credit, lower_bound
from floorline.floors.randomised.bound import RandomisedRules
from floorline.floors.randomised.memory import account_size

MAX_WAITING = 100_000
"""Decisions that wait for an earlier one. Beyond this, its reward is assumed to be the worst."""

UNUSED_ARMS = new_arms(1)


class CoinCheck:
    """The account as it would be had every reward arrived at once."""

    def __init__(self, rules: RandomisedRules) -> None:
        self._memory: Any = [0.0] * account_size(rules)
        self._rules = in_slots(rules)
        self._waiting: dict[int, list[Any]] = {}  # arm, probability, and the reward once settled
        self.checked = 0
        self.failures = 0

    def decided(self, arm: int, probability: float) -> None:
        """Take note of the next decision, made at a fallback `probability`."""
        self._waiting[self.checked + len(self._waiting)] = [arm, probability, None]
        if len(self._waiting) > MAX_WAITING:
            self.settled(self.checked, math.nan)

    def settled(self, number: int, reward: float) -> None:
        """Take note of the reward of the decision with this number; NaN if none will come."""
        if number not in self._waiting:  # it was assumed to be the worst
            return
        self._waiting[number][2] = reward
        while self.checked in self._waiting and self._waiting[self.checked][2] is not None:
            self._check(*self._waiting.pop(self.checked))
            self.checked += 1

    def _check(self, arm: int, probability: float, reward: float) -> None:
        rules, memory = self._rules, self._memory
        if 0.0 < probability < 1.0 and not lower_bound(rules, memory, probability) >= 0.0:
            self.failures += 1
        charge(rules, UNUSED_ARMS, memory, arm, probability)
        if not math.isnan(reward):
            credit(rules, UNUSED_ARMS, memory, arm, probability, reward, 0.0)

    def to_json(self) -> dict[str, Any]:
        """Return everything noted as plain values."""
        waiting = [
            [number, arm, chance, "never" if reward is not None and math.isnan(reward) else reward]
            for number, (arm, chance, reward) in self._waiting.items()
        ]
        return {
            "checked": self.checked,
            "failures": self.failures,
            "memory": list(self._memory),
            "waiting": waiting,
        }

    def restore(self, values: dict[str, Any]) -> None:
        """Restore what `to_json` returned."""
        self.checked, self.failures = values["checked"], values["failures"]
        self._memory[:] = values["memory"]
        self._waiting = {
            number: [arm, chance, math.nan if reward == "never" else reward]
            for number, arm, chance, reward in values["waiting"]
        }
