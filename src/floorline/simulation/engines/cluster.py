"""The cluster engine: the CPU engine on the workers of a Dask cluster, with the same results."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from floorline.simulation.digest import CHUNK, PartialSums, sums_of
from floorline.simulation.engines.cpu import BLOCK, CpuEngine
from floorline.simulation.fit import check_arms
from floorline.simulation.loops.run import RunRecords, rows

if TYPE_CHECKING:
    from distributed import Client, Future

    from floorline.simulation.job import Case

MIN_TASK_ROUNDS = 30_000_000
"""A fifth of a second for the fastest policies, to outweigh a task's transfer. Not more: at the end
of a sweep, workers wait for the last task."""

CACHED_ENGINES = 4


class ClusterEngine:
    """Plays runs of one case on a cluster.

    Each run depends only on the seed and its number, so it does not matter which worker plays it.
    Tasks of a lost worker are played again by others.
    """

    def __init__(self, engine: CpuEngine, case: Case, seed: int, client: Client) -> None:
        import cloudpickle

        self._engine = engine
        self._case = cloudpickle.dumps(case)
        self._seed = seed
        self._client = client
        self._horizon = int(case.horizon)
        self._pending: deque[Future] = deque()

    def compile(self) -> None:
        """Compile or load the code here, where errors are shown; workers do it for themselves."""
        self._engine.compile()

    def outcome(self, runs: int) -> RunRecords:
        """Return empty arrays for the results of `runs` runs."""
        return self._engine.outcome(runs)

    def submit(self, runs: int, first: int = 0) -> int:
        """Submit the runs from number `first` without waiting; return the number of tasks."""
        for start in range(0, runs, CHUNK):
            chunk = min(CHUNK, runs - start)  # a worker holds no more runs at a time than here
            size = task_size(chunk, self._horizon)
            for begin in range(start, start + chunk, size):
                count = min(size, start + chunk - begin)
                arguments = (self._case, self._seed, first + begin, count)
                # Without a unique key, the result of an equal task would be reused.
                self._pending.append(self._client.submit(play_runs, *arguments, pure=False))
        return len(self._pending)

    def play(self, outcome: RunRecords, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`; call `tick` with how many are done."""
        runs = outcome.first_breach.size
        self.submit(runs, first)
        done = 0
        for records in self._results():
            start, done = done, done + records.first_breach.size
            _copy(records, rows(outcome, start, done))
            tick(done)

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[PartialSums]:
        """Yield the sums over the runs, part by part, in the order of their numbers."""
        if not self._pending:
            self.submit(runs)
        measure = self._engine.measure
        records = self.outcome(min(CHUNK, runs))
        done = filled = 0
        for part in self._results():
            start, filled = filled, filled + part.first_breach.size
            _copy(part, rows(records, start, filled))
            done += filled - start
            tick(done)
            if filled == CHUNK or done == runs:
                chunk = rows(records, 0, filled)
                check_arms(chunk)
                yield sums_of(chunk, measure.checkpoints, measure.wants_quantiles)
                filled = 0

    def _results(self) -> Iterator[RunRecords]:
        """Yield the results of the tasks in order; cancel what is left after an interrupt."""
        try:
            while self._pending:
                records = self._pending[0].result()
                self._pending.popleft().release()
                yield records
        finally:
            self._client.cancel(list(self._pending))
            self._pending.clear()


def task_size(runs: int, horizon: int) -> int:
    """Return how many runs each task has, so that all are about equal; a multiple of BLOCK.

    >>> task_size(4000, 10_000), task_size(4000, 50_000), task_size(100, 10**9)
    (4000, 672, 32)
    """
    blocks = math.ceil(runs / BLOCK)
    tasks = min(max(1, runs * horizon // MIN_TASK_ROUNDS), blocks)
    return math.ceil(blocks / tasks) * BLOCK


def _copy(records: RunRecords, outcome: RunRecords) -> None:
    for source, target in zip(records, outcome, strict=True):
        np.copyto(target, source)


def play_runs(case: bytes, seed: int, first: int, runs: int) -> RunRecords:
    """Return the results of some runs of a case, on a worker."""
    engine = _engine_of(case, seed)
    outcome: RunRecords = engine.outcome(runs)
    engine.play(outcome, first, lambda done: None)
    return outcome


@lru_cache(maxsize=CACHED_ENGINES)
def _engine_of(case: bytes, seed: int) -> Any:
    import cloudpickle

    from floorline.simulation.job import prepare

    job = prepare(cloudpickle.loads(case), 1, seed, 1, "cpu")
    job.engine.compile()
    return job.engine
