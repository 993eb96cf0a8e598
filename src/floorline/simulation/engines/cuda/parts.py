"""Sums over the runs of a launch, reduced on the GPU, so that no single run is copied back.

Sums are over pieces of fixed size, then over chunks, in a fixed order; histograms are counts. So
no result depends on how runs are distributed over launches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import cuda as _cuda

from floorline.core.records import Counts, Floats
from floorline.simulation.digest import CHUNK, MEASURED, Bins, Moments, PartialSums
from floorline.simulation.engines.cuda.bins import Histograms
from floorline.simulation.engines.cuda.program import Program
from floorline.simulation.engines.cuda.streams import reductions
from floorline.simulation.engines.cuda.sums import PIECE, add_up, start_kernel
from floorline.simulation.fit import refuse_strays
from floorline.simulation.loops.run import RunRecords

cuda: Any = _cuda

MAX_LAUNCHES = 32
"""The most launches on the GPU at a time: as many as have a queue of their own."""

RUNS_TO_FILL_GPU = 2**22
"""Runs on the GPU at a time, unless one launch has more: enough to keep it busy to the end."""

LAUNCHES_PER_CLEANUP = 64
"""Launches after which unused GPU memory is freed."""


class Shape(NamedTuple):
    """What the size of a launch's buffers depends on."""

    settings: int
    runs: int
    """Runs of each setting."""
    n_arms: int
    points: int
    regret: bool
    rewards: bool
    misses: bool
    quantiles: bool


class Task(NamedTuple):
    """One launch: the shape of its buffers, checkpoints, program, and a function that starts it."""

    shape: Shape
    checkpoints: Any
    program: Program
    launch: Callable[..., None]


def overlapped(batches: Iterable[list[Task]]) -> Iterator[list[PartialSums]]:
    """Yield the sums over the runs of each setting of a task, while the next tasks run."""
    rest = iter(batches)
    for first in rest:
        with cuda.defer_cleanup():  # freeing memory would wait for everything that runs
            yield from _pipelined(_some(first, rest))


def _some(first: list[Task], rest: Iterator[list[Task]]) -> Iterator[list[Task]]:
    """Yield the first batch and further ones, until they have LAUNCHES_PER_CLEANUP tasks."""
    yield first
    launches = len(first)
    while launches < LAUNCHES_PER_CLEANUP and (batch := next(rest, None)):
        yield batch
        launches += len(batch)


def _pipelined(batches: Iterable[list[Task]]) -> Iterator[list[PartialSums]]:
    """Yield the same, with buffers that are reused by later tasks of the same shape.

    If a batch cannot be created, the results of those before it are yielded first.
    """
    idle: dict[Shape, list[_LaunchBuffers]] = {}
    running: deque[_LaunchBuffers] = deque()

    def oldest_result() -> list[PartialSums]:
        buffers = running.popleft()
        idle.setdefault(buffers.shape, []).append(buffers)
        return buffers.parts()

    failure: Exception | None = None
    rest = iter(batches)
    while True:
        try:
            batch = next(rest, None)
        except Exception as error:  # raised once everything that was started has finished
            failure = error
            break
        if batch is None:
            break
        _load(batch)
        for task in batch:
            while len(running) == MAX_LAUNCHES or (
                len(running) > 1 and sum(buffers.cells for buffers in running) >= RUNS_TO_FILL_GPU
            ):
                yield oldest_result()
            reusable = idle.get(task.shape)
            buffers = reusable.pop() if reusable else _LaunchBuffers(task.shape)
            buffers.start(task)
            running.append(buffers)
    while running:
        yield oldest_result()
    if failure is not None:
        raise failure


def _load(batch: list[Task]) -> None:
    """Load the tasks' programs by launches of no runs; once runs are under way, loading blocks."""
    for task in batch:
        if not task.program.loaded:
            _LaunchBuffers(task.shape._replace(settings=1, runs=1)).start(task, runs=0)


class _LaunchBuffers:
    """GPU memory for the runs of one launch and for their sums."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._stream = cuda.stream()
        self._played, self._summed = cuda.event(), cuda.event()
        settings, runs, n_arms, points, regret, rewards, misses, quantiles = shape
        self.cells = cells = settings * runs
        kept = {"regret": regret, "rewards": rewards}
        self._names = [name for name in MEASURED if kept.get(name, True)]
        measured, pieces = len(self._names), settings * -(-runs // PIECE)
        self._values = self._array((measured, cells, points))
        nothing = self._array((0, points))
        self._outcome = RunRecords(
            **{name: nothing for name in MEASURED if name not in self._names},
            **{name: self._values[i] for i, name in enumerate(self._names)},
            plays=self._array((cells, points, n_arms), np.int64),
            first_breach=self._array((cells,), np.int64),
            first_miss=self._array((cells if misses else 0,), np.int64),
        )
        self._sums = self._array((pieces, points, 4 * measured + 3 + n_arms))
        self._histograms = Histograms(self._values, runs, self._stream) if quantiles else None

    def _array(self, shape: tuple[int, ...], dtype: type = np.float64) -> Any:
        return cuda.device_array(shape, dtype, stream=self._stream)

    def start(self, task: Task, runs: int | None = None) -> None:
        """Start playing and summing all or some runs of a task, without waiting for the result."""
        runs = self.shape.runs if runs is None else runs
        task.launch(outcome=self._outcome, stream=self._stream, runs=runs)
        self._played.record(self._stream)
        self._played.wait(reductions())
        pieces, points, _ = self._sums.shape
        start_kernel(
            add_up,
            pieces * points * (len(self._names) + 1),
            reductions(),
            self.shape.runs,
            self._values,
            self._outcome.first_breach,
            self._outcome.first_miss,
            self._outcome.plays,
            task.checkpoints,
            self._sums,
        )
        if self._histograms is not None and runs > 0:
            self._histograms.start(reductions())
        self._summed.record(reductions())

    def parts(self) -> list[PartialSums]:
        """Wait for the runs, and return the sums over those of each setting."""
        self._summed.synchronize()
        sums = self._sums.copy_to_host(stream=self._stream)
        self._stream.synchronize()
        settings = self.shape.settings
        bins = (
            [[] for _ in range(settings)] if self._histograms is None else self._histograms.bins()
        )
        sums = sums.reshape(settings, -1, *sums.shape[1:])
        spread = 4 * len(self._names)
        totals = sums[..., spread:].sum(axis=1).astype(np.int64)
        sizes, moments = self._moments(sums[..., :spread])
        return [
            self._part(one, sizes, moments[setting], bins[setting])
            for setting, one in enumerate(totals)
        ]

    def _part(
        self, totals: Counts, sizes: list[int], moments: Floats, bins: list[list[Bins]]
    ) -> PartialSums:
        """Return the sums over the runs of one setting."""
        refuse_strays(int(totals[-1, 0]), self.shape.n_arms)
        return PartialSums(
            runs=self.shape.runs,
            breaches=totals[:, 1],
            misses=totals[:, 2] if self.shape.misses else None,
            plays=totals[:, 3:],
            moments={
                name: [Moments(size, *one) for size, one in zip(sizes, chunks, strict=True)]
                for name, chunks in zip(self._names, moments, strict=True)
            },
            bins=dict(zip(self._names, bins, strict=self.shape.quantiles)),
        )

    def _moments(self, sums: Floats) -> tuple[list[int], Floats]:
        """Return the runs of every chunk, and its moments from those of its pieces.

        The moments: settings x quantities x chunks x (mean, squares, least, greatest) x points.
        """
        settings, pieces, points, _ = sums.shape
        of_pieces = sums.reshape(settings, pieces, points, len(self._names), 4)
        means, squares, least, greatest = np.moveaxis(of_pieces, 4, 0)
        runs = np.full(pieces, PIECE)
        runs[-1] = self.shape.runs - PIECE * (pieces - 1)
        weights = runs[:, None, None]
        at = np.arange(0, pieces, CHUNK // PIECE)
        sizes = np.add.reduceat(runs, at)
        mean = np.add.reduceat(weights * means, at, axis=1) / sizes[:, None, None]
        apart = means - np.repeat(mean, np.diff(np.append(at, pieces)), axis=1)
        chunks = (
            mean,
            np.add.reduceat(squares + weights * apart**2, at, axis=1),
            np.minimum.reduceat(least, at, axis=1),
            np.maximum.reduceat(greatest, at, axis=1),
        )
        return sizes.tolist(), np.stack(chunks).transpose(1, 4, 2, 0, 3)
