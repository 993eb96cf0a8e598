"""The interface of proposers: a kernel that names an arm, and what that kernel needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from floorline.core import slots
from floorline.core.checks import require, whole
from floorline.core.kernel import Function, is_kernel, kernel
from floorline.core.part import Part
from floorline.core.records import Arms, Floats, NoRules


@kernel
def learn_nothing(rules: Any, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Do nothing: this proposer needs only the arms' records."""


@kernel
def look_at_nobody(rules: Any, memory: Floats, visitors: Any, kind: int) -> None:
    """Do nothing: this proposer ignores the visitor."""


@kernel
def sure_chance(rules: Any, arms: Arms, memory: Floats, candidate: int, arm: int) -> float:
    """Return 1 for the candidate, else 0, for proposers that draw nothing."""
    return 1.0 if arm == candidate else 0.0


@kernel
def unknown_chance(rules: Any, arms: Arms, memory: Floats, candidate: int, arm: int) -> float:
    """Return NaN, for proposers whose chances cannot be computed."""
    return math.nan


@dataclass(frozen=True, eq=False)
class Proposer(Part):
    """Names the arm it would like to play. It knows nothing of safety.

    Args:
        propose: kernel `(rules, arms, memory, round, rng) -> arm`, rounds counted from 1.
        learn: kernel `(rules, arms, memory, arm, reward)`, called after each reward, once
            `arms` includes it.
        rules: a named tuple of numbers and arrays, passed to every kernel.
        memory: how many numbers the proposer keeps for each arm; they start at 0.
        shared_memory: how many further numbers it keeps; they come after those of the arms.
        uses_intervals: whether it reads `arms.lower` or `arms.upper`, which need a boundary.
        chance: kernel `(rules, arms, memory, candidate, arm) -> probability`: how likely `arm`
            was to be proposed. A proposer that draws from `rng` must give it, or
            `unknown_chance`; an adaptive adversary sees it.
        index: kernel `(rules, arms, memory, log_round, arm) -> float`, for `propose` kernels that
            search for the largest (`largest_index`); None for others.
        unit_rewards: whether rewards must lie within 0 and 1.
        n_arms: the number of arms that `rules` were made for; None for any number.
        steady: whether playing a default arm of known mean never changes what it proposes.
            Then consecutive default rounds are simulated in one step. False is always correct.
        optimistic: whether it proposes the arm with the largest upper end. Some warm-ups are safe
            only then, and require it.
        caches: whether its memory only caches what `arms` holds. Where rewards come late, the
            memory is then cleared before each proposal, and `learn` is not called.
        keeps_draws: whether its memory holds draws for several proposals, and nothing learned. The
            memory may be cleared between any two proposals; the proposer then draws again. A live
            campaign keeps it while it is open and its arms do not change.
        learns_late: whether `learn` may be called after later proposals have been made.
        look: kernel `(rules, memory, visitors, kind)`, called before each proposal; it writes the
            features that it needs, `feature(visitors, kind, index)`, into the memory. Only the
            randomised floor holds with such a proposer.
        n_features: how many features `look` reads; 0 if it reads none.
        gaussian_by_default: whether its posteriors are Gaussian only because nothing was said about
            the rewards. With rewards in [0, 1], where Beta posteriors lose less, a simulation then
            warns.
    """

    propose: Function
    learn: Function = learn_nothing
    rules: Any = field(default_factory=NoRules)
    memory: int = 0
    shared_memory: int = 0
    uses_intervals: bool = False
    chance: Function = sure_chance
    index: Function | None = None
    unit_rewards: bool = False
    n_arms: int | None = None
    steady: bool = False
    optimistic: bool = False
    caches: bool = False
    keeps_draws: bool = False
    learns_late: bool = True
    look: Function = look_at_nobody
    n_features: int = 0
    gaussian_by_default: bool = False

    def __post_init__(self) -> None:
        for name in ("propose", "learn", "chance", "look", "index"):
            value = getattr(self, name)
            fits = is_kernel(value) or (name == "index" and value is None)
            require(fits, name, "a function marked with @kernel", value)
        named = isinstance(self.rules, tuple) and hasattr(self.rules, "_fields")
        require(named, "rules", "a named tuple of numbers and arrays", self.rules)
        fits = self.learn is learn_nothing or not self.keeps_draws
        require(fits, "learn", "left out where keeps_draws is set", self.learn)
        for name in ("memory", "shared_memory", "n_features"):
            object.__setattr__(self, name, whole(name, getattr(self, name), 0))

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        kernels: dict[Function, Function] = {
            slots.propose: self.propose,
            slots.learn: self.learn,
            slots.chance: self.chance,
            slots.look: self.look,
        }
        return kernels if self.index is None else {**kernels, slots.index: self.index}
