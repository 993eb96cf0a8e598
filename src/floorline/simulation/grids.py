"""Sweeps on a GPU: many cases share a launch, and identical runs are simulated once.

Import it only where a GPU is used: it needs the extra [cuda].
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import cast

import numpy as np

from floorline.simulation.digest import Digest, PartialSums
from floorline.simulation.engines.cuda.engine import MAX_LAUNCH_ROUNDS, CudaEngine
from floorline.simulation.engines.cuda.parts import Task, overlapped
from floorline.simulation.job import Job

SMALL_CASE_RUNS = 2**14
"""Cases of up to this many runs share a launch: alone they would not keep a GPU busy."""

FIRST_WINDOW = 32
"""Cases that are read before the GPU starts; then twice as many, and so on."""

MAX_WINDOW = 1024
"""The most cases that are read at a time."""


class Pending:
    """A case whose summary is not complete, and how many launches it waits for."""

    def __init__(self, job: Job) -> None:
        self.engine = cast("CudaEngine", job.engine)
        self.runs = job.runs
        self.digest = Digest(job.checkpoints)
        self.launches = 0

    @property
    def small(self) -> bool:
        """Whether it is played together with others."""
        return self.runs <= SMALL_CASE_RUNS and self.engine.packable


class SameRuns:
    """A case, and others that have the same runs and differ only in their checkpoints."""

    def __init__(self, case: Pending) -> None:
        self.engine, self.runs, self.cases = case.engine, case.runs, [case]

    def takes(self, case: Pending) -> bool:
        """Add a case if its results still fit in the launch, and return whether they did."""
        engine = self.engine.at(np.union1d(self.engine.checkpoints, case.engine.checkpoints))
        fits = self.runs <= engine.max_runs
        if fits:
            self.engine = engine
            self.cases.append(case)
        return fits

    def part_of(self, case: Pending, part: PartialSums) -> PartialSums:
        """Return the sums at the checkpoints of one of the cases."""
        if self.engine is case.engine:
            return part
        return part.at(np.searchsorted(self.engine.checkpoints, case.engine.checkpoints))


def in_grids(jobs: Iterable[Job]) -> Iterator[Digest]:
    """Yield the digest of each job, in order; a launch plays many jobs."""
    pending: deque[Pending] = deque()
    started: deque[list[SameRuns]] = deque()

    def batches() -> Iterator[list[Task]]:
        for window in _windows(jobs):
            launches = list(_launches(window))
            for settings, _ in launches:
                for case in (case for setting in settings for case in setting.cases):
                    case.launches += 1
            pending.extend(window)
            started.extend(settings for settings, _ in launches)
            yield [task for _, task in launches]

    for parts in overlapped(batches()):
        for setting, part in zip(started.popleft(), parts, strict=True):
            for case in setting.cases:
                case.digest.add(setting.part_of(case, part))
                case.launches -= 1
        while pending and pending[0].launches == 0:
            yield pending.popleft().digest


def _windows(jobs: Iterable[Job]) -> Iterator[list[Pending]]:
    """Yield the cases, more and more at a time; those before an error are yielded first."""
    size = FIRST_WINDOW
    window: list[Pending] = []
    try:
        for job in jobs:
            window.append(Pending(job))
            if len(window) == size:
                yield window
                size, window = min(2 * size, MAX_WINDOW), []
    except Exception:
        yield window
        raise
    yield window


def _launches(window: list[Pending]) -> Iterator[tuple[list[SameRuns], Task]]:
    """Yield the launches of these cases, each with its settings."""
    small: dict[object, list[SameRuns]] = {}
    for setting in _merged([case for case in window if case.small]):
        small.setdefault(setting.engine.form, []).append(setting)
    for settings in small.values():
        for grid in _grids(settings):
            yield grid, CudaEngine.shared_task([each.engine for each in grid], grid[0].runs)
    for case in window:
        if not case.small:
            for task in case.engine.tasks(case.runs):
                yield [SameRuns(case)], task


def _merged(cases: list[Pending]) -> list[SameRuns]:
    """Return the cases in groups with the same runs."""
    settings: list[SameRuns] = []
    latest: dict[object, SameRuns] = {}
    for case in cases:
        same = case.runs, case.engine.form, case.engine.simulation
        if same not in latest or not latest[same].takes(case):
            latest[same] = SameRuns(case)
            settings.append(latest[same])
    return settings


def _grids(settings: list[SameRuns]) -> Iterator[list[SameRuns]]:
    """Yield settings of one form in grids of one launch each, the longest first.

    A GPU then ends with many short runs, which keep it busy.
    """
    grid: list[SameRuns] = []
    rounds = 0
    for setting in sorted(settings, key=lambda setting: -setting.engine.horizon):
        more = setting.runs * setting.engine.horizon
        many = (len(grid) + 1) * setting.runs > setting.engine.max_runs
        if grid and (many or rounds + more > MAX_LAUNCH_ROUNDS):
            yield grid
            grid, rounds = [], 0
        grid.append(setting)
        rounds += more
    yield grid
