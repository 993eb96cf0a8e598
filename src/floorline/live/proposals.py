"""What a campaign's proposer proposes among the active arms, and with what probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from floorline.core.kernel import Function, bind
from floorline.core.records import Arms
from floorline.core.slots import chance, propose
from floorline.proposers import Proposer
from floorline.proposers.base import sure_chance
from floorline.proposers.optimistic import most_promising


class Proposals:
    """The proposals of one proposer, by the kernels of simulations."""

    def __init__(
        self,
        proposer: Proposer,
        kernels: Mapping[Function, Function],
        rules: Any,
        n_arms: int,
        active: Sequence[int],
    ) -> None:
        self.is_sure = proposer.chance is sure_chance
        """Whether its proposals are deterministic, given the past."""
        self.learns = not (proposer.caches or proposer.keeps_draws)
        """Whether its memory follows from the events and not from the counts alone."""
        self.proposer = proposer
        self._propose = bind(kernels[propose], kernels)
        self._chance = bind(kernels[chance], kernels)
        self._rules = rules
        self._n_arms = n_arms
        self.set_active(active)

    def set_active(self, arms: Sequence[int]) -> None:
        """Let the proposer choose among these arms only."""
        self.active = list(arms)
        self._place = {arm: place for place, arm in enumerate(self.active)}
        self._all_active = len(self.active) == self._n_arms
        self.names_largest_end = self._all_active and self.proposer.propose is most_promising
        """Whether the arm with the largest upper end for proposers is proposed."""
        self._draws: Any = []
        """The proposer's memory in its last proposal; it may keep its draws for the next one."""

    def propose(self, seen: Any, memory: Any, round: int, rng: Any) -> int:
        """Return the arm that the proposer would play in this round."""
        arm: int
        if self.names_largest_end:  # Python finds it faster than the kernel
            upper = list(seen.upper)
            arm = upper.index(max(upper))
            return arm
        if not (self._draws and self.proposer.keeps_draws):
            # On a copy of its memory: the state must follow from the events alone.
            self._draws = list(memory)
            if not self._all_active:
                self._draws = self.proposer.rearranged(self._draws, self._n_arms, self.active)
        if not self._all_active:  # it sees only the active arms
            seen = _selected(seen, self.active)
        self._seen = seen
        arm = self._propose(self._rules, seen, self._draws, round, rng)
        return self.active[int(arm)]

    def chances(self, candidate: int) -> list[float]:
        """Return how likely each arm was to be the last proposal, which was `candidate`."""
        proposed, chances = self._place[candidate], [0.0] * self._n_arms
        for place, arm in enumerate(self.active):
            chances[arm] = self._chance(self._rules, self._seen, self._draws, proposed, place)
        return chances


def _selected(seen: Any, places: Sequence[int]) -> Any:
    """Return a copy of the records with only the arms at these indices."""
    some = copy(seen)
    for name in Arms._fields:
        values = getattr(seen, name)
        setattr(some, name, [values[place] for place in places])
    return some
