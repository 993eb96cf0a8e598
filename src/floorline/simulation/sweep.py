"""Summaries of many cases; on a GPU many of them are one launch."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from floorline.simulation.digest import Digest
from floorline.simulation.job import Case, Job, prepare
from floorline.simulation.summary import Summary

if TYPE_CHECKING:
    from distributed import Client

    from floorline.simulation.engines.cluster import ClusterEngine
    from floorline.simulation.engines.cuda.engine import CudaEngine

TASKS_AHEAD = 8
"""Tasks for each thread of a cluster that are submitted ahead."""

SMALL_CASE_RUNS = 2**14
"""The most runs of a case that are too few to keep a GPU busy by themselves."""

MAX_CASES_PER_LAUNCH = 1024
"""The most cases in one launch."""


def sweep(
    cases: Iterable[Case],
    *,
    runs: float,
    seed: int = 1,
    threads: int | None = None,
    device: str = "cpu",
    cluster: Client | None = None,
) -> Iterator[Summary]:
    """Yield the summary of each case, in order: that of `summarize`, but faster on a GPU.

    The seconds of a summary are those since the previous one. A GPU or a cluster plays many cases
    at once, so there cases are read ahead, and summaries come in groups.

    >>> from floorline import Gaussian, Policy, classical_ucb
    >>> case = Case(Policy(classical_ucb()), Gaussian([0.5, 0.6]), horizon=100)
    >>> cases = [case._replace(max_loss=loss) for loss in (0.1, 0.2)]
    >>> [summary.runs for summary in sweep(cases, runs=10)]
    [10, 10]

    Args:
        cases: policies, environments, horizons and how they are measured.
        runs: how many runs of each.
        seed: the seed of each.
        threads: how many threads; by default all cores.
        device: `cpu`, `cuda` or `python`, as for `simulate`.
        cluster: a client of a Dask cluster, as for `simulate`.
    """
    start = time.perf_counter()
    jobs = (prepare(case, runs, seed, threads, device, cluster) for case in cases)
    digests: Iterator[Digest] = map(_alone, _compiled(jobs))
    if device == "cuda":
        digests = _in_grids(jobs)
    elif cluster is not None:
        digests = _on_cluster(jobs, sum(cluster.nthreads().values()))
    for digest in digests:
        now = time.perf_counter()
        yield digest.summary(now - start)
        start = now


def _compiled(jobs: Iterable[Job]) -> Iterator[Job]:
    for job in jobs:
        job.engine.compile()
        yield job


def _alone(job: Job) -> Digest:
    """Return the digest of a compiled job."""
    digest = Digest(job.checkpoints)
    for part in job.engine.parts(job.runs, lambda done: None):
        digest.add(part)
    return digest


def _on_cluster(jobs: Iterable[Job], threads: int) -> Iterator[Digest]:
    """Yield the same, with enough cases submitted ahead to keep all workers busy."""
    submitted: deque[tuple[Job, int]] = deque()
    for job in _compiled(jobs):
        submitted.append((job, cast("ClusterEngine", job.engine).submit(job.runs)))
        while sum(tasks for _, tasks in submitted) > TASKS_AHEAD * threads:
            yield _alone(submitted.popleft()[0])
    while submitted:
        yield _alone(submitted.popleft()[0])


def _in_grids(jobs: Iterable[Job]) -> Iterator[Digest]:
    """Yield the digests of jobs of which each launch plays many."""
    from floorline.simulation.engines.cuda.engine import CudaEngine
    from floorline.simulation.engines.cuda.parts import Task, overlapped

    started: deque[tuple[list[Digest], list[Digest], int]] = deque()

    def tasks() -> Iterator[Task]:
        for grid in _grids(jobs):
            digests = [Digest(job.checkpoints) for job in grid]
            # The longest first, to keep the GPU busy to the end.
            order = sorted(range(len(grid)), key=lambda i: -int(grid[i].checkpoints[-1]))
            engines = [cast("CudaEngine", grid[i].engine) for i in order]
            launches = list(CudaEngine.tasks(engines, grid[0].runs))
            started.append((digests, [digests[i] for i in order], len(launches)))
            yield from launches

    for parts in overlapped(tasks()):
        digests, in_order, missing = started.popleft()
        for digest, part in zip(in_order, parts, strict=True):
            digest.add(part)
        if missing > 1:
            started.appendleft((digests, in_order, missing - 1))
        else:
            yield from digests


def _grids(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    """Yield consecutive jobs for one launch: small, of the same form, and not too many."""
    from floorline.simulation.engines.cuda.engine import MAX_LAUNCH_ROUNDS

    grid: list[Job] = []
    form: object = None
    rounds = 0
    for job in jobs:
        engine = cast("CudaEngine", job.engine)
        more = job.runs * engine.horizon
        few = len(grid) < MAX_CASES_PER_LAUNCH and (len(grid) + 1) * job.runs <= engine.max_runs
        small = job.runs <= SMALL_CASE_RUNS and rounds + more <= MAX_LAUNCH_ROUNDS
        if grid and not (few and small and engine.form == form):
            yield grid
            grid, rounds = [], 0
        if not grid:
            form = engine.form
        grid.append(job)
        rounds += more
    if grid:
        yield grid
