"""Simulation: many runs of a policy in an environment, on all cores or on a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from floorline.core.checks import require, whole
from floorline.environments import Environment
from floorline.policy import Policy
from floorline.simulation.compare import Comparison, compare
from floorline.simulation.digest import Digest
from floorline.simulation.engines.cpu import BLOCK
from floorline.simulation.fit import check_arms
from floorline.simulation.job import DEVICES, Case, all_cores, prepare, start_device
from floorline.simulation.progress import progress_bar
from floorline.simulation.results import Results
from floorline.simulation.summary import Spread, Summary
from floorline.simulation.sweep import sweep

if TYPE_CHECKING:
    from distributed import Client

__all__ = [
    "DEVICES",
    "Case",
    "Comparison",
    "Results",
    "Spread",
    "Summary",
    "all_cores",
    "batches",
    "compare",
    "simulate",
    "start_device",
    "summarize",
    "sweep",
]


def simulate(
    policy: Policy,
    environment: Environment,
    *,
    horizon: float,
    runs: float,
    seed: int = 1,
    max_loss: float | None = None,
    checkpoints: Sequence[int] | None = None,
    rewards: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    cluster: Client | None = None,
    progress: bool | None = None,
) -> Results:
    """Return every run of a policy in an environment: regret, lowest budget, breaches and plays.

    The result of run number r depends only on the seed and r, never on the number of
    threads or runs.

    >>> from floorline import Boundary, ConfidenceFloor, Gaussian, Policy, optimistic
    >>> arms = Gaussian([0.5, 0.6, 0.4, 0.4, 0.4])
    >>> policy = Policy(optimistic(), ConfidenceFloor(0.1, default_mean=0.5), Boundary(delta=0.01))
    >>> results = simulate(policy, arms, horizon=1000, runs=64, seed=1)
    >>> results.pseudo_regret.shape, bool((results.first_breach > 0).any())
    ((64, 1), False)

    Args:
        policy: a proposer under a floor.
        environment: draws or sets the rewards.
        horizon: rounds per run; `1e4` will do.
        runs: how many runs.
        seed: any whole number from 0.
        max_loss: the loss that breaches are counted against; by default the floor's own.
        checkpoints: increasing rounds at which results are kept; by default the horizon alone.
        rewards: whether to keep the rewards received as well. The other results do not change.
        threads: how many threads; by default all cores.
        device: `cpu`; `cuda`, an NVIDIA GPU, which agrees with it in distribution; or `python`:
            the same code as on the CPU, interpreted, to step through.
        cluster: a client of a Dask cluster whose workers play the runs; the results are the same.
        progress: whether to show a bar after two seconds; by default on a terminal only.
    """
    case = Case(policy, environment, horizon, max_loss, checkpoints, rewards)
    runs = whole("runs", runs, 1)
    with progress_bar("simulating", runs, progress) as tick:
        (results,) = batches(
            case,
            runs=runs,
            size=runs,
            seed=seed,
            threads=threads,
            device=device,
            cluster=cluster,
            tick=tick,
        )
    return results


def batches(
    case: Case,
    *,
    runs: int,
    size: int,
    seed: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    cluster: Client | None = None,
    tick: Callable[[int], None] = lambda done: None,
) -> Iterator[Results]:
    """Yield the results that `simulate` returns, `size` runs at a time, to save memory.

    Args:
        case: a policy in an environment, and how it is measured.
        runs: how many runs.
        size: how many at a time: a multiple of 32, or all.
        seed: any whole number from 0.
        threads: how many threads; by default all cores.
        device: `cpu`, `cuda` or `python`, as for `simulate`.
        cluster: a client of a Dask cluster, as for `simulate`.
        tick: called regularly with how many runs of the batch are done.
    """
    job = prepare(case, runs, seed, threads, device, cluster)
    require(size == runs or size % BLOCK == 0, "size", f"a multiple of {BLOCK}, or all runs", size)
    job.engine.compile()
    for first in range(0, runs, size):
        outcome = job.engine.outcome(min(size, runs - first))
        start = time.perf_counter()
        job.engine.play(outcome, first, tick)
        check_arms(outcome)
        yield Results(
            checkpoints=job.checkpoints,
            pseudo_regret=outcome.pseudo_regret,
            regret=outcome.regret if case.environment.adversarial else None,
            lowest_budget=outcome.lowest_budget,
            plays=outcome.plays,
            first_breach=outcome.first_breach,
            rewards=outcome.rewards if case.rewards else None,
            seconds=time.perf_counter() - start,
        )


def summarize(
    policy: Policy,
    environment: Environment,
    *,
    horizon: float,
    runs: float,
    seed: int = 1,
    max_loss: float | None = None,
    checkpoints: Sequence[int] | None = None,
    rewards: bool = False,
    misses: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    cluster: Client | None = None,
    progress: bool | None = None,
) -> Summary:
    """Return the summary of any number of runs: `simulate(...).summary()` in little memory.

    >>> from floorline import Gaussian, Policy, classical_ucb
    >>> arms = Gaussian([0.5, 0.6])
    >>> summary = summarize(Policy(classical_ucb()), arms, horizon=100, runs=1000, max_loss=0.1)
    >>> summary.pseudo_regret.mean.shape, summary.plays.sum()
    ((1,), np.float64(100.0))

    The other arguments are those of `simulate`.

    Args:
        misses: whether to check after every reward that the interval contains its arm's mean.
    """
    case = Case(policy, environment, horizon, max_loss, checkpoints, rewards, misses)
    job = prepare(case, runs, seed, threads, device, cluster)
    job.engine.compile()
    digest = Digest(job.checkpoints)
    start = time.perf_counter()
    with progress_bar("simulating", job.runs, progress) as tick:
        for part in job.engine.parts(job.runs, tick):
            digest.add(part)
    return digest.summary(time.perf_counter() - start)
