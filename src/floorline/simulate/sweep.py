"""Many cases, each in a few numbers; on a GPU many of them run at once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

from floorline.simulate.digest import Digest
from floorline.simulate.job import Case, Job, prepare
from floorline.simulate.summary import Summary

if TYPE_CHECKING:
    from floorline.simulate.cuda import CudaEngine


def sweep(
    cases: Iterable[Case], *, runs: int, seed: int = 1, threads: int | None = None,
    device: str = "cpu",
) -> Iterator[Summary]:  # fmt: skip
    """The summary of each case, in their order: what `summarize` gives for it, sooner on a GPU.

    The seconds of a summary are those since the one before it.

    >>> from floorline import Gaussian, Policy, classical_ucb
    >>> case = Case(Policy(classical_ucb()), Gaussian([0.5, 0.6]), horizon=100)
    >>> cases = [case._replace(max_loss=loss) for loss in (0.1, 0.2)]
    >>> [found.runs for found in sweep(cases, runs=10)]
    [10, 10]

    Args:
        cases: policies, environments, horizons and how they are measured.
        runs: how many runs of each.
        seed: the seed of each.
        threads: how many threads; all cores unless told.
        device: `cpu`, `cuda` or `python`, as for `simulate`.
    """
    start = time.perf_counter()
    jobs = (prepare(case, runs, seed, threads, device) for case in cases)
    for found in _overlapped(jobs) if device == "cuda" else map(_alone, jobs):
        now = time.perf_counter()
        yield found.summary(now - start)
        start = now


def _alone(job: Job) -> Digest:
    digest = Digest(job.checkpoints)
    for part in job.engine.parts(job.runs, lambda done: None):
        digest.add(part)
    return digest


def _overlapped(jobs: Iterable[Job]) -> Iterator[Digest]:
    """All launches of all jobs in one row, of which the card has many at a time."""
    from floorline.simulate.cuda_parts import Task, overlapped

    begun: list[tuple[Digest, int]] = []

    def tasks() -> Iterator[Task]:
        for job in jobs:
            launches = list(cast("CudaEngine", job.engine).tasks(job.runs))
            begun.append((Digest(job.checkpoints), len(launches)))
            yield from launches

    parts = overlapped(tasks())
    for part in parts:
        digest, missing = begun[0]
        digest.add(part)
        begun[0] = digest, missing - 1
        if missing == 1:
            begun.pop(0)
            yield digest
