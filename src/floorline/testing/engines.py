"""The suite for simulation engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from floorline.boundaries import Boundary
from floorline.environments import Adaptive, Bernoulli, Delayed, Environment
from floorline.floors import ConfidenceFloor, NoFloor
from floorline.policy import Policy, Prepared
from floorline.proposers import beta_thompson, exp3_ix, optimistic
from floorline.simulation.digest import Digest
from floorline.simulation.engines.base import Engine
from floorline.simulation.engines.cpu import BLOCK, CpuEngine
from floorline.simulation.loops.run import Measure, RunRecords, rows
from floorline.testing.odds import distributions_differ

MakeEngine = Callable[[Prepared, Environment, Measure, int], Engine]
"""Builds an engine from a policy, an environment, a measure and a seed."""

HORIZON = 40


def check_engine(make: MakeEngine, *, runs: int = 256, late: bool = True, seed: int = 1) -> None:
    """Raise AssertionError unless the engine plays runs as engines must.

    With a known and a learned default mean, against an adversary and, unless `late` is False,
    with late rewards:

    - a run's outcome depends on the seed and its number alone: not on how many runs are played,
      nor in how many parts, nor on what was played before;
    - runs with different seeds differ, and so do runs with different numbers;
    - the plays add up to the rounds, and every cell of the outcome is written;
    - `parts` yields the sums of the runs of `play`;
    - the last `tick` reports that all runs are done;
    - plays and lowest budgets agree in distribution with those of the CPU (false alarm: below
      1e-6 in total).

    Args:
        make: called as `make(prepared, environment, measure, seed)`.
        runs: how many runs, a multiple of 64.
        late: whether the engine accepts environments whose rewards come late.
        seed: any whole number from 0.
    """
    for policy, environment in _cases(late):
        measure = _measure(policy, environment)
        prepared = policy.prepare(len(environment.means), HORIZON)
        _check_case(make, prepared, environment, measure, runs, seed)


def _cases(late: bool) -> Iterator[tuple[Policy, Environment]]:
    """Yield a policy and an environment for each kind of loop."""
    arms = Bernoulli([0.5, 0.7, 0.2])
    boundary = Boundary(noise_scale=0.5)
    yield Policy(optimistic(), ConfidenceFloor(0.3, 0.5), boundary), arms
    yield Policy(beta_thompson(), ConfidenceFloor(0.3), boundary), arms
    yield Policy(exp3_ix(3), NoFloor()), Adaptive([0.5, 0.7, 0.2])
    if late:
        floored = Policy(optimistic(), ConfidenceFloor(0.3), boundary)
        yield floored, Delayed(arms, delay=[0, 5], lost=0.1)


def _measure(policy: Policy, environment: Environment) -> Measure:
    """Return how runs are measured."""
    means = np.array(environment.means)
    max_loss = 0.1 if policy.floor.max_loss is None else policy.floor.max_loss
    return Measure(
        checkpoints=np.array([7, HORIZON]),
        gaps=means.max() - means,
        gains=means - (1 - max_loss) * means[0],
        means=means,
        default_mean=float(means[0]),
        wants_rewards=True,
        wants_misses=False,
    )


def _check_case(
    make: MakeEngine,
    prepared: Prepared,
    environment: Environment,
    measure: Measure,
    runs: int,
    seed: int,
) -> None:
    """Check one policy in one environment."""
    what = f"in {environment}"
    engine = make(prepared, environment, measure, seed)
    engine.compile()
    whole = _played(engine, runs)
    assert np.all(whole.plays.sum(axis=2) == measure.checkpoints), f"plays do not add up {what}"
    again = _played(make(prepared, environment, measure, seed), runs)
    _assert_same(whole, again, f"another engine of the same seed has other runs {what}")
    half = runs // 2 // BLOCK * BLOCK
    second = _played(engine, runs - half, first=half)
    _assert_same(rows(whole, half, runs), second, f"runs depend on those played before {what}")
    few = _played(engine, half)
    _assert_same(rows(whole, 0, half), few, f"runs depend on how many there are {what}")
    for other, why in (
        (_played(make(prepared, environment, measure, seed + 1), half), "seeds"),
        (rows(whole, half, 2 * half), "numbers"),
    ):
        differ = not np.array_equal(few.rewards, other.rewards)
        assert differ, f"runs of other {why} are the same {what}"
    _check_parts(engine, whole, measure, runs, what)
    reference = _played(CpuEngine(prepared, environment, measure, seed + 2, 1), 4 * runs)
    for arm in range(len(environment.means)):
        differ = distributions_differ(whole.plays[:, -1, arm], reference.plays[:, -1, arm])
        assert not differ, f"plays of arm {arm} differ from those of the CPU {what}"
    lowest = (np.round(records.lowest_budget[:, -1], 9) for records in (whole, reference))
    assert not distributions_differ(*lowest), f"lowest budgets differ from the CPU's {what}"


def _played(engine: Engine, runs: int, first: int = 0) -> RunRecords:
    """Return the runs from number `first`, every cell of which must be written."""
    outcome = engine.outcome(runs)
    for array in outcome:
        array.fill(np.nan if array.dtype == np.float64 else -7)
    done = [0]
    engine.play(outcome, first, done.append)
    assert done[-1] == runs, f"tick: the last call reported {done[-1]} of {runs} runs"
    for name, array in outcome._asdict().items():
        written = not np.any(np.isnan(array) if array.dtype == np.float64 else array == -7)
        assert written, f"outcome: some of {name} was not written"
    return outcome


def _assert_same(some: RunRecords, others: RunRecords, message: str) -> None:
    same = all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))
    assert same, message


def _check_parts(engine: Engine, whole: RunRecords, measure: Measure, runs: int, what: str) -> None:
    """Check that the parts are the sums of the runs of `play`."""
    digest = Digest(measure.checkpoints)
    for part in engine.parts(runs, lambda done: None):
        digest.add(part)
    summary = digest.summary(1.0)
    breaches = np.mean((whole.first_breach > 0) & (whole.first_breach <= HORIZON))
    same = (
        summary.runs == runs
        and np.allclose(summary.plays, whole.plays.mean(axis=0))
        and np.allclose(summary.pseudo_regret.mean, whole.pseudo_regret.mean(axis=0))
        and np.allclose(summary.lowest_budget.min, whole.lowest_budget.min(axis=0))
        and np.isclose(summary.breach_rate[-1], breaches)
    )
    assert same, f"parts: they do not sum up the runs of `play` {what}"
