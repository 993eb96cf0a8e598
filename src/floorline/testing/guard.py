"""A run of a policy that detects parts that access memory other than their own."""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple, Self

from floorline.core import slots
from floorline.core.kernel import Function, bind
from floorline.core.records import Arms, Choice, Memory, new_arms, new_memory
from floorline.core.steps import decide_on, fast_forward, forget, observe, play
from floorline.floors.base import charge_nothing, credit_nothing
from floorline.policy import Policy
from floorline.proposers.base import learn_nothing

PART_SLOTS = (
    slots.propose,
    slots.learn,
    slots.chance,
    slots.fallback_probability,
    slots.fallback_arm,
    slots.guaranteed_budget,
    slots.default_rounds,
    slots.charge,
    slots.credit,
)


class Guarded:
    """An array for interpreted kernels that rejects indices out of range.

    Compiled code checks no index, and NumPy accepts negative ones, so neither reveals a mistake.
    """

    def __init__(self, cells: Any, name: str, *, read_only: bool = False) -> None:
        self.cells = cells
        self._name = name
        self._read_only = read_only

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: int) -> Any:
        self._check(index)
        return self.cells[index]

    def __setitem__(self, index: int, value: float) -> None:
        assert not self._read_only, f"{self._name} was written to; it may only be read"
        self._check(index)
        self.cells[index] = value

    def _check(self, index: int) -> None:
        size = len(self.cells)
        assert 0 <= index < size, f"{self._name} has {size} numbers, but number {index} was used"


def read_only(arms: Arms) -> Any:
    """Return a read-only view of the arms for the parts."""
    guarded: Any = {
        name: Guarded(array, f"arms.{name}", read_only=True)
        for name, array in arms._asdict().items()
    }
    return arms._replace(**guarded)


class GuardState(NamedTuple):
    """The state of a run."""

    arms: Arms
    memory: Memory


class GuardedRun:
    """A run of a policy, interpreted and in guarded memory; parts can only read the arms."""

    def __init__(self, policy: Policy, n_arms: int, horizon: int) -> None:
        prepared = policy.prepare(n_arms, horizon)
        kernels = prepared.kernels
        self.n_arms = n_arms
        self.rules = prepared.rules
        self._part = {slot: bind(kernels.get(slot, slot), kernels) for slot in PART_SLOTS}
        # `play` and `observe` below call these kernels themselves, with guarded arms.
        bare: dict[Function, Function] = {
            **kernels,
            slots.charge: charge_nothing,
            slots.credit: credit_nothing,
            slots.learn: learn_nothing,
        }
        self._play, self._observe = bind(play, bare), bind(observe, bare)
        self._decide_on = bind(decide_on, kernels)
        self._fast_forward = bind(fast_forward, kernels)
        self._use(GuardState(new_arms(n_arms), new_memory(prepared.memory)))
        bind(forget, {})(self.rules, self.arms, self.memory)

    def _use(self, state: GuardState) -> None:
        self.arms = state.arms
        self.guarded_arms = read_only(state.arms)
        guarded: Any = {
            name: Guarded(array, f"the memory of the {name}")
            for name, array in state.memory._asdict().items()
        }
        self.memory: Any = state.memory._replace(**guarded)

    @property
    def known_default(self) -> bool:
        """Whether the default arm's mean is known."""
        return not math.isnan(self.rules.default_mean)

    def copy(self) -> Self:
        """Return an independent copy of the run."""
        copied = copy.copy(self)
        cells = Memory(*(guarded.cells.copy() for guarded in self.memory))
        copied._use(GuardState(copy.deepcopy(self.arms), cells))
        return copied

    def propose(self, round: int, rng: Any) -> int:
        """Return the candidate, which must be an arm that exists."""
        arm = self._proposer(slots.propose, round, rng)
        exists = 0 <= arm < self.n_arms and arm == int(arm)
        assert exists, f"the proposer named arm {arm}; arms are 0 to {self.n_arms - 1}"
        return int(arm)

    def chances(self, candidate: int) -> list[float]:
        """Return each arm's chance, according to the proposer."""
        return [float(self._proposer(slots.chance, candidate, arm)) for arm in range(self.n_arms)]

    def decide_on(self, round: int, candidate: int, coin: Any) -> Choice:
        """Return the decision between a candidate and the fallback arm."""
        decision: Choice = self._decide_on(
            self.rules, self.guarded_arms, self.memory, round, candidate, coin
        )
        return decision

    def fallback_probability(self, round: int, candidate: int) -> float:
        """Return the floor's answer to a candidate."""
        return float(self._floor(slots.fallback_probability, round, candidate))

    def default_rounds(self, round: int, candidate: int) -> int:
        """Return how many default rounds the floor would skip."""
        return int(self._floor(slots.default_rounds, round, candidate))

    def guaranteed_budget(self, round: int, arm: int) -> float:
        """Return the budget that the floor guarantees if `arm` is played."""
        return float(self._floor(slots.guaranteed_budget, round, arm))

    def play(self, arm: int, probability: float) -> None:
        """Count a play."""
        self._play(self.rules, self.arms, self.memory, arm, probability)
        self._floor(slots.charge, arm, probability)

    def observe(self, arm: int, probability: float, reward: float) -> None:
        """Record the reward of a play."""
        if arm == 0 and self.known_default:
            reward = self.rules.default_mean
        before = float(self.arms.lower[arm])
        self._observe(self.rules, self.arms, self.memory, arm, probability, reward)
        self._floor(slots.credit, arm, probability, reward, before)
        self._proposer(slots.learn, arm, reward)

    def play_default(self, rounds: int) -> None:
        """Play a default arm of known mean `rounds` times, one by one."""
        for _ in range(rounds):
            self.play(0, 1.0)
            self.observe(0, 1.0, self.rules.default_mean)

    def fast_forward(self, rounds: int) -> None:
        """Play a default arm of known mean `rounds` times in one step."""
        self._fast_forward(self.rules, self.arms, self.memory, rounds)

    def _proposer(self, slot: Function, *values: Any) -> Any:
        return self._part[slot](
            self.rules.proposer, self.guarded_arms, self.memory.proposer, *values
        )

    def _floor(self, slot: Function, *values: Any) -> Any:
        return self._part[slot](self.rules.floor, self.guarded_arms, self.memory.floor, *values)
