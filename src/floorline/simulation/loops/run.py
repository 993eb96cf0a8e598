"""What all loops share: how runs are measured, their results, and the loop over runs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.kernel import kernel, slot
from floorline.core.records import Arms, Counts, Floats, Memory, Rules

NO_SUCH_ARM = -1
"""Written in place of the first breach when a proposer names an arm that does not exist."""


NO_RUN = -1
"""Stands for the number of a run when none is left."""


class Measure(NamedTuple):
    """How a run is measured; the policy does not see it."""

    checkpoints: Counts
    gaps: Floats
    """How much less than the best arm each arm pays in expectation."""
    gains: Floats
    """What a play of each arm adds to the budget in expectation."""
    means: Floats
    default_mean: float
    wants_rewards: bool
    wants_misses: bool
    """Whether every interval is compared with its arm's mean."""
    wants_quantiles: bool = True
    keep: float = 1.0
    """The share of the default's reward that must be earned."""
    received: bool = False
    """Whether the budget compares rewards received with the default's own in the same rounds."""


class RunRecords(NamedTuple):
    """The results of each run, at every checkpoint; results that are not wanted have no rows."""

    pseudo_regret: NDArray[np.float64]
    regret: NDArray[np.float64]
    lowest_budget: NDArray[np.float64]
    plays: NDArray[np.int64]
    rewards: NDArray[np.float64]
    first_breach: Counts
    first_miss: Counts
    """The first round after which an interval did not contain its arm's mean; 0: none."""


class Scratch(NamedTuple):
    """Working memory of a loop: three numbers for each arm.

    Arrays of their own, not parts of one: on a GPU the totals are then in registers.
    """

    rewards: Floats
    totals: Floats
    chances: Floats


def rows(outcome: RunRecords, start: int, stop: int) -> RunRecords:
    """Return some of the runs, as views."""
    part: Any = (array[start:stop] for array in outcome)
    return RunRecords(*part)


@slot
def one_run(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    scratch: Any,
    environment: Any,
    measure: Measure,
    rng: Any,
    side_rng: Any,
    outcome: RunRecords,
    run: int,
) -> None:
    """Play one run from the start and write its results into row `run` of `outcome`.

    `scratch` is the loop's working memory: a `Scratch`, or as `new_scratch` returns.
    """
    raise NotImplementedError


@slot
def next_run(rng: Any, side_rng: Any, run: int) -> int:
    """Return the run to play after `run`, with its streams started, or NO_RUN."""
    raise NotImplementedError


@kernel
def no_next_run(rng: Any, side_rng: Any, run: int) -> int:
    """Return NO_RUN, where `many_runs` is the loop over runs."""
    return NO_RUN


@slot
def missed(measure: Measure, arms: Arms, arm: int) -> bool:
    """Return whether an arm's interval misses its mean; False where that is not wanted."""
    raise NotImplementedError


@kernel
def not_watched(measure: Measure, arms: Arms, arm: int) -> bool:
    """Return False, so that the compiler drops the check."""
    return False


@kernel
def misses_mean(measure: Measure, arms: Arms, arm: int) -> bool:
    """Return whether an arm's interval misses its mean."""
    return not arms.lower[arm] <= measure.means[arm] <= arms.upper[arm]


@kernel
def write_checkpoint(
    arms: Arms,
    measure: Measure,
    outcome: RunRecords,
    run: int,
    checkpoint: int,
    lowest: float,
    received: float,
) -> None:
    """Write a run's results so far in a stochastic environment, with late rewards or without."""
    outcome.lowest_budget[run, checkpoint] = lowest
    if measure.wants_rewards:
        outcome.rewards[run, checkpoint] = received
    write_plays(arms, outcome, run, checkpoint, 0)
    regret = 0.0
    for i in range(len(arms.plays)):
        regret += outcome.plays[run, checkpoint, i] * measure.gaps[i]
    outcome.pseudo_regret[run, checkpoint] = regret


@kernel
def write_plays(arms: Arms, outcome: RunRecords, run: int, checkpoint: int, hidden: int) -> None:
    """Write how often each arm was played so far, including `hidden` default plays."""
    for i in range(len(arms.plays)):
        outcome.plays[run, checkpoint, i] = arms.plays[i]
    outcome.plays[run, checkpoint, 0] += hidden


@kernel
def many_runs(
    rules: Rules,
    arms: Arms,
    memory: Memory,
    scratch: Any,
    environment: Any,
    measure: Measure,
    rng: Any,
    side_rng: Any,
    outcome: RunRecords,
    stop: Counts,
) -> None:
    """Play one run after another, all from one stream of random numbers."""
    for run in range(outcome.first_breach.size):
        if stop[0] != 0:
            return
        one_run(rules, arms, memory, scratch, environment, measure, rng, side_rng, outcome, run)
