"""The interface of engines, and the functions that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from floorline.core.cuts import best_cuts, move_cuts
from floorline.core.kernel import Function
from floorline.core.late import best_ends, late_ends
from floorline.environments import Environment
from floorline.environments.moments import changes, click_now, only_kind, visitor_kind
from floorline.simulation.digest import PartialSums
from floorline.simulation.loops.adversarial import adversarial_run
from floorline.simulation.loops.late import late_run, new_late_scratch
from floorline.simulation.loops.late_received import late_received_run, new_decision_scratch
from floorline.simulation.loops.learners import learner_choices
from floorline.simulation.loops.round_by_round import (
    changing_mean_at,
    mean_at,
    reward_at,
    round_by_round_run,
    steady_mean,
    steady_reward,
)
from floorline.simulation.loops.run import (
    Measure,
    RunRecords,
    Scratch,
    missed,
    misses_mean,
    next_run,
    no_next_run,
    not_watched,
    one_run,
)
from floorline.simulation.loops.stochastic import stochastic_run


class Engine(Protocol):
    """Plays runs of one policy in one environment.

    The result of a run depends only on the seed and its number.
    """

    def compile(self) -> None:
        """Compile or load the code, without playing a run that counts."""

    def outcome(self, runs: int) -> RunRecords:
        """Return empty arrays for the results of `runs` runs."""

    def play(self, outcome: RunRecords, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`; call `tick` with how many are done."""

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[PartialSums]:
        """Yield the sums over the runs, part by part, in the order of their numbers."""


def loop_choices(environment: Environment, measure: Measure) -> dict[Function, Function]:
    """Return the kernels of the loop for an environment, and of what is measured."""
    watched = {missed: misses_mean if measure.wants_misses else not_watched}
    if environment.adversarial:
        return {one_run: adversarial_run, **watched}
    if environment.late:
        run = late_received_run if measure.received else late_run
        return {one_run: run, late_ends: best_ends, move_cuts: best_cuts, **watched}
    if changes(environment):
        return {
            one_run: round_by_round_run,
            mean_at: changing_mean_at,
            reward_at: click_now,
            **learner_choices(environment),
        }
    if measure.received:
        return {
            one_run: round_by_round_run,
            mean_at: steady_mean,
            reward_at: steady_reward,
            visitor_kind: only_kind,
            **learner_choices(environment),
        }
    return {one_run: stochastic_run, next_run: no_next_run, **watched}


def new_scratch(environment: Environment, measure: Measure) -> Any:
    """Return the working memory of that loop."""
    n_arms, horizon = len(environment.means), int(measure.checkpoints[-1])
    if environment.late:
        return (
            new_decision_scratch(horizon) if measure.received else new_late_scratch(n_arms, horizon)
        )
    return Scratch(*np.zeros((3, n_arms)))


def new_outcome(runs: int, n_arms: int, measure: Measure, *, adversarial: bool) -> RunRecords:
    """Return empty arrays for the results of `runs` runs."""
    points = measure.checkpoints.size
    return RunRecords(
        pseudo_regret=np.empty((runs, points)),
        regret=np.empty((runs if adversarial else 0, points)),
        lowest_budget=np.empty((runs, points)),
        plays=np.empty((runs, points, n_arms), np.int64),
        rewards=np.empty((runs if measure.wants_rewards else 0, points)),
        first_breach=np.empty(runs, np.int64),
        first_miss=np.empty(runs if measure.wants_misses else 0, np.int64),
    )
