"""Simulation: many runs of a policy in an environment, on all cores."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from floorline.core.checks import choice, number, require, whole
from floorline.core.records import Counts
from floorline.environments import Delayed, Environment
from floorline.policy import Policy
from floorline.simulate.cpu import CpuEngine
from floorline.simulate.engine import Engine
from floorline.simulate.fit import check_arms, check_fit
from floorline.simulate.loop import Measure, rows
from floorline.simulate.progress import progress_bar
from floorline.simulate.results import Digest, Results, Spread, Summary

if TYPE_CHECKING:
    from floorline.simulate.cuda import CudaEngine

__all__ = ["Results", "Spread", "Summary", "simulate", "summarize"]

DEVICES = ("cpu", "cuda", "python")


def simulate(
    policy: Policy,
    environment: Environment,
    *,
    horizon: int,
    runs: int,
    seed: int = 1,
    max_loss: float | None = None,
    checkpoints: Sequence[int] | None = None,
    rewards: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    progress: bool | None = None,
) -> Results:
    """Every run of a policy in an environment: regret, lowest budget, breaches and plays.

    The result of run number r depends on the seed and r alone, never on the number of
    threads or of runs.

    >>> from floorline import Boundary, ConfidenceFloor, Gaussian, Policy, optimistic
    >>> arms = Gaussian([0.5, 0.6, 0.4, 0.4, 0.4])
    >>> policy = Policy(optimistic(), ConfidenceFloor(0.1, default_mean=0.5), Boundary(delta=0.01))
    >>> results = simulate(policy, arms, horizon=1000, runs=64, seed=1)
    >>> results.pseudo_regret.shape, bool((results.first_breach > 0).any())
    ((64, 1), False)

    Args:
        policy: a proposer under a floor.
        environment: what the arms pay.
        horizon: rounds a run.
        runs: how many runs.
        seed: any whole number from 0.
        max_loss: the loss that breaches are counted against; the floor's own unless told.
        checkpoints: rounds at which results are kept, rising; the horizon alone unless told.
        rewards: whether to keep the rewards received, too. Asking changes nothing else.
        threads: how many threads; all cores unless told.
        device: `cpu`; `cuda`, an NVIDIA GPU, which agrees with it in distribution; or `python`:
            the same code as on the CPU, interpreted, to step through.
        progress: whether to show a bar when it takes over two seconds; on a terminal unless told.
    """
    job = _prepare(policy, environment, horizon, runs, seed, max_loss, checkpoints, rewards,
                   threads, device)  # fmt: skip
    outcome = job.engine.outcome(job.runs)
    start = time.perf_counter()
    with progress_bar("simulating", job.runs, progress) as tick:
        job.engine.play(outcome, 0, tick)
    check_arms(outcome)
    return Results(
        checkpoints=job.checkpoints,
        pseudo_regret=outcome.pseudo_regret,
        regret=outcome.regret if environment.adversarial else None,
        lowest_budget=outcome.lowest_budget,
        plays=outcome.plays,
        first_breach=outcome.first_breach,
        rewards=outcome.rewards if rewards else None,
        seconds=time.perf_counter() - start,
    )


def summarize(
    policy: Policy,
    environment: Environment,
    *,
    horizon: int,
    runs: int,
    seed: int = 1,
    max_loss: float | None = None,
    checkpoints: Sequence[int] | None = None,
    rewards: bool = False,
    threads: int | None = None,
    device: str = "cpu",
    progress: bool | None = None,
) -> Summary:
    """Any number of runs in a few numbers: what `simulate(...).summary()` gives, in little memory.

    >>> from floorline import Gaussian, Policy, classical_ucb
    >>> arms = Gaussian([0.5, 0.6])
    >>> found = summarize(Policy(classical_ucb()), arms, horizon=100, runs=1000, max_loss=0.1)
    >>> found.pseudo_regret.mean.shape, found.plays.sum()
    ((1,), np.float64(100.0))

    Args: as for `simulate`.
    """
    job = _prepare(policy, environment, horizon, runs, seed, max_loss, checkpoints, rewards,
                   threads, device)  # fmt: skip
    digest = Digest(job.checkpoints)
    size = job.engine.chunk
    room = job.engine.outcome(min(size, job.runs))
    start = time.perf_counter()
    with progress_bar("simulating", job.runs, progress) as tick:
        for first in range(0, job.runs, size):
            chunk = rows(room, 0, job.runs - first)
            job.engine.play(chunk, first, _later(tick, first))
            check_arms(chunk)
            digest.add(chunk)
    return digest.summary(time.perf_counter() - start)


@dataclass(frozen=True)
class _Job:
    engine: Engine
    checkpoints: Counts
    runs: int


def _prepare(
    policy: Policy, environment: Environment, horizon: int, runs: int, seed: int,
    max_loss: float | None, checkpoints: Sequence[int] | None, rewards: bool,
    threads: int | None, device: str,
) -> _Job:  # fmt: skip
    horizon = whole("horizon", horizon, 1)
    runs = whole("runs", runs, 1)
    seed = whole("seed", seed, 0)
    threads = all_cores() if threads is None else whole("threads", threads, 1)
    choice("device", device, DEVICES)
    require(device != "cuda" or not isinstance(environment, Delayed), "device",
            "cpu or python where rewards come late", device)  # fmt: skip
    points = np.array([horizon] if checkpoints is None else checkpoints, dtype=np.int64)
    fits = points.size > 0 and points[0] >= 1 and points[-1] <= horizon
    require(bool(fits and np.all(np.diff(points) > 0)), "checkpoints",
            f"rising rounds from 1 to the horizon ({horizon})", checkpoints)  # fmt: skip
    means = np.array(environment.means)
    check_fit(policy, environment, horizon, means)
    loss = policy.floor.max_loss if max_loss is None else number("max_loss", max_loss, 0, 1)
    if loss is None:
        raise ValueError("max_loss: must be given, since this policy has no floor to take it from")
    measure = Measure(
        checkpoints=points,
        gaps=means.max() - means,
        gains=means - (1 - loss) * means[0],
        default_mean=float(means[0]),
        wants_rewards=rewards,
    )
    prepared = policy.prepare(len(means), horizon)
    engine: Engine
    if device == "cuda":
        engine = _on_gpu()(prepared, environment, measure, seed)
    elif device == "python":
        engine = CpuEngine(prepared, environment, measure, seed, 1, interpreted=True)
    else:
        engine = CpuEngine(prepared, environment, measure, seed, threads)
    if device != "python":
        engine.compile()
    return _Job(engine, points, runs)


def _on_gpu() -> type[CudaEngine]:
    """The GPU engine, if there is a GPU and what it takes to use it."""
    try:
        from floorline.simulate.cuda import CudaEngine, cuda
    except ImportError:
        raise ValueError(
            "device: cuda needs the extra [cuda]: pip install 'floorline[cuda]'"
        ) from None
    if not cuda.is_available():
        raise ValueError("device: cuda needs an NVIDIA GPU and its driver; none was found")
    return CudaEngine


def all_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _later(tick: Callable[[int], None], first: int) -> Callable[[int], None]:
    return lambda done: tick(first + done)
