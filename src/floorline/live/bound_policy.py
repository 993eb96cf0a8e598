"""A live campaign's policy: its rules, its memory and its bound kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from floorline.core.cuts import best_cuts, move_cuts, no_cuts
from floorline.core.kernel import Function, bind
from floorline.core.late import (
    best_ends,
    late_ends,
    receive,
    settle_play,
    start_play,
    update_bounds,
    update_interval,
    update_optimistic_end,
)
from floorline.core.records import FOREVER, Memory, in_slots, new_memory
from floorline.core.slots import (
    await_reward,
    current_budget,
    guaranteed_budget,
    guaranteed_share,
    recount,
    take_late_reward,
)
from floorline.core.steps import answer_candidate, forget, refusal_probability
from floorline.floors import Floor, NoFloor
from floorline.live.compiled_policy import CompiledPolicy
from floorline.live.proposals import Proposals
from floorline.live.settings import CampaignSettings


class BoundPolicy:
    """A campaign's policy: the kernels of simulations, interpreted or in machine code."""

    memory: Memory

    def __init__(self, settings: CampaignSettings, numbers: Sequence[int] | None = None) -> None:
        self.settings = settings
        self.numbers = list(range(len(settings.arms)) if numbers is None else numbers)
        """The number of each arm, which determines its share of delta if arms may change."""
        self.active = list(range(len(settings.arms)))
        """The arms that may be proposed."""
        self.floor: Floor = NoFloor()
        self.prepare()

    def prepare(self) -> None:
        """Build the policy from the settings and bind its kernels; call it again when they change.

        A new proposer starts with an empty memory. A floor that stays keeps its accounts.
        """
        made = self.settings.to_policy(self.numbers)
        policy = made.prepare(len(self.settings.arms), FOREVER, late=True)
        self.kernels: dict[Function, Function] = {
            **policy.kernels,
            late_ends: best_ends,
            move_cuts: best_cuts if self.settings.late_intervals == "cut" else no_cuts,
            **policy.floor.live_kernels(),
        }
        self.plain_rules = policy.rules
        self.rules = in_slots(policy.rules)
        memory: Memory = in_slots(new_memory(policy.memory))
        if policy.floor == self.floor:
            cast(Any, memory).floor = self.memory.floor
        self.memory, self.floor = memory, policy.floor
        self._steady_means = policy.floor.assumes_steady_means
        self._counts_received = policy.floor.counts_received
        self.proposals = Proposals(
            made.proposer, self.kernels, self.rules.proposer, len(self.numbers), self.active
        )
        self.interpret()

    def interpret(self) -> None:
        """Bind the kernels for Python to interpret."""
        choices, proposer = self.kernels, self.proposals.proposer
        self._reads_upper_ends = proposer.uses_intervals
        reads_lower_ends = proposer.uses_intervals and not proposer.optimistic
        self._needs_intervals = self.floor.reads_intervals or reads_lower_ends
        self._forget = bind(forget, choices)
        self._update_bounds = bind(update_bounds, choices)
        self._update_interval = bind(update_interval, choices)
        self._update_optimistic_end = bind(update_optimistic_end, choices)
        self._recount = bind(choices[recount], choices)
        self._answer_candidate = bind(answer_candidate, choices)
        self._refusal_probability = bind(refusal_probability, choices)
        self._receive_reward = bind(receive, choices)
        self._budget_after = bind(choices[guaranteed_budget], choices)
        self._current_budget = bind(choices[current_budget], choices)
        self._guaranteed_share = bind(choices[guaranteed_share], choices)
        self._start_play = bind(start_play, choices)
        self._move_cuts = bind(choices[move_cuts], choices)
        self._settle_play = bind(settle_play, choices)
        self._await_reward = bind(choices[await_reward], choices)
        self._take_late_reward = bind(choices[take_late_reward], choices)

    def use(self, compiled: CompiledPolicy) -> None:
        """Use machine code in place of the kernels that every decision or reward needs."""
        self._update_bounds = compiled.update_bounds
        self._answer_candidate = compiled.answer_candidate
        self._refusal_probability = compiled.refusal_probability
        self._budget_after = compiled.guaranteed_budget
        self._start_play = compiled.start_play
        self._settle_play = compiled.settle_play
        self._needs_intervals = True  # all are updated in less time than Python needs to pick some
