"""What every engine offers, and what engines share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from floorline.core.kernel import Function
from floorline.environments import Delayed, Environment
from floorline.simulate.adversarial import adversarial_run
from floorline.simulate.late import late_run, new_late_room
from floorline.simulate.loop import Outcome, stochastic_run


class Engine(Protocol):
    """Plays runs of one policy in one environment.

    The result of a run depends on the seed and its number alone.
    """

    @property
    def chunk(self) -> int:
        """How many runs to ask for at a time when only a summary is wanted."""

    def compile(self) -> None:
        """Have the code compiled, or loaded, without playing anything that counts."""

    def outcome(self, runs: int) -> Outcome:
        """Room for the results of `runs` runs."""

    def play(self, outcome: Outcome, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`; `tick` takes how many are done."""


def loop_for(environment: Environment) -> Function:
    """The loop over the rounds of a run that fits the environment."""
    if isinstance(environment, Delayed):
        return late_run
    return adversarial_run if environment.adversarial else stochastic_run


def new_room(environment: Environment, horizon: int) -> Any:
    """What that loop needs for its own use."""
    n_arms = len(environment.means)
    if isinstance(environment, Delayed):
        return new_late_room(n_arms, horizon)
    return np.zeros(3 * n_arms)


def new_outcome(runs: int, points: int, n_arms: int, *, regret: bool, rewards: bool) -> Outcome:
    """Room for the results of `runs` runs at `points` checkpoints."""
    return Outcome(
        pseudo_regret=np.empty((runs, points)),
        regret=np.empty((runs if regret else 0, points)),
        lowest_budget=np.empty((runs, points)),
        plays=np.empty((runs, points, n_arms), np.int64),
        rewards=np.empty((runs if rewards else 0, points)),
        first_breach=np.empty(runs, np.int64),
    )
