"""What runs on a GPU add up to, worked out there: a few numbers come back, not every run.

Sums are made of pieces of fixed size, then of chunks, in a fixed order; histograms are counts.
So nothing depends on how runs are shared out among launches.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numba import cuda as _cuda
from numpy.typing import NDArray

from floorline.core.records import Floats
from floorline.simulate.bins import BINS
from floorline.simulate.cuda_sums import (
    GROUP,
    PIECE,
    count_pieces,
    empty_bins,
    fill_bins,
    spread_pieces,
    start,
)
from floorline.simulate.digest import CHUNK, MEASURED, Bins, Moments, Part
from floorline.simulate.fit import refuse_strays
from floorline.simulate.loop import Outcome

cuda: Any = _cuda

MOST = 32
"""Launches on the card at a time, at most: as many as have a queue of their own."""

CROWD = 2**18
"""Runs on the card at a time, unless one launch has more: enough to fill it."""


class Shape(NamedTuple):
    """What the memory for the runs of a launch depends on."""

    runs: int
    n_arms: int
    points: int
    regret: bool
    rewards: bool
    misses: bool


class Task(NamedTuple):
    """One launch: its size, the number of its first run, and what begins it on a stream."""

    shape: Shape
    first: int
    checkpoints: Any
    launch: Callable[[Outcome, int, Any], None]


def overlapped(tasks: Iterable[Task]) -> Iterator[Part]:
    """What the runs of each task add up to, in order; the next tasks run meanwhile."""
    free: dict[Shape, list[_Room]] = {}
    flying: deque[_Room] = deque()

    def landed() -> Part:
        room = flying.popleft()
        free.setdefault(room.shape, []).append(room)
        return room.part()

    with cuda.defer_cleanup():  # giving memory back would wait for all that runs
        for task in tasks:
            while len(flying) == MOST or (
                len(flying) > 1 and sum(room.shape.runs for room in flying) >= CROWD
            ):
                yield landed()
            rooms = free.get(task.shape)
            room = rooms.pop() if rooms else _Room(task.shape)
            room.begin(task)
            flying.append(room)
        while flying:
            yield landed()


class _Room:
    """Memory on the card for the runs of one launch and for what they add up to."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._stream = cuda.stream()
        runs, n_arms, points, regret, rewards, misses = shape
        kept = {"regret": regret, "rewards": rewards}
        self._names = [name for name in MEASURED if kept.get(name, True)]
        self._values = self._array((len(self._names), runs, points))
        nothing = self._array((0, points))
        self._outcome = Outcome(
            **{name: nothing for name in MEASURED if name not in self._names},
            **{name: self._values[i] for i, name in enumerate(self._names)},
            plays=self._array((runs, points, n_arms), np.int64),
            first_breach=self._array((runs,), np.int64),
            first_miss=self._array((runs if misses else 0,), np.int64),
        )
        pieces, groups = -(-runs // PIECE), -(-points // GROUP)
        width = len(self._names) * min(points, GROUP)
        room = min(runs * width, width * BINS)
        self._moments = self._array((pieces, len(self._names), points, 4))
        self._totals = self._array((pieces, points, 3 + n_arms), np.int64)
        self._bins = cuda.to_device(np.zeros((width, BINS), np.int32), self._stream)
        self._touched = self._array((groups, room), np.int32)
        self._counts = self._array((groups, room), np.int32)
        self._sizes = self._array((groups,), np.int32)

    def _array(self, shape: tuple[int, ...], dtype: type = np.float64) -> Any:
        return cuda.device_array(shape, dtype, stream=self._stream)

    def begin(self, task: Task) -> None:
        """Have the runs of a task played and added up, without waiting for it."""
        stream, values = self._stream, self._values
        task.launch(self._outcome, task.first, stream)
        pieces, measured, points, _ = self._moments.shape
        start(spread_pieces, pieces * measured * points, stream, values, self._moments)
        start(count_pieces, pieces * points, stream,
              self._outcome, task.checkpoints, self._totals, self._sizes)  # fmt: skip
        groups, room = self._touched.shape
        for group in range(groups):
            width = measured * min(GROUP, points - group * GROUP)
            start(fill_bins, self.shape.runs * width, stream,
                  values, group, self._bins, self._touched, self._sizes)  # fmt: skip
            start(empty_bins, min(2**16, room), stream,
                  group, self._bins, self._touched, self._counts, self._sizes)  # fmt: skip

    def part(self) -> Part:
        """What the runs add up to, once they are over."""
        sums, moments, sizes = self._back(self._totals, self._moments, self._sizes)
        totals = sums.sum(axis=0)
        refuse_strays(int(totals[-1, 0]), self.shape.n_arms)
        return Part(
            runs=self.shape.runs,
            breaches=totals[:, 1],
            misses=totals[:, 2] if self.shape.misses else None,
            plays=totals[:, 3:],
            moments={name: self._chunks(moments[:, i]) for i, name in enumerate(self._names)},
            bins=self._histograms(sizes),
        )

    def _back(self, *arrays: Any) -> list[NDArray[Any]]:
        """Copies on the host, complete."""
        here = [array.copy_to_host(stream=self._stream) for array in arrays]
        self._stream.synchronize()
        return here

    def _chunks(self, pieces: Floats) -> list[Moments]:
        """The moments of every chunk, from those of its pieces."""
        at = np.arange(0, len(pieces), CHUNK // PIECE)
        runs = np.full(len(pieces), PIECE)
        runs[-1] = self.shape.runs - PIECE * (len(pieces) - 1)
        weights = runs[:, None]
        means, squares, least, greatest = np.moveaxis(pieces, 2, 0)
        sizes = np.add.reduceat(runs, at)
        mean = np.add.reduceat(weights * means, at) / sizes[:, None]
        apart = means - np.repeat(mean, np.diff(np.append(at, len(pieces))), axis=0)
        square = np.add.reduceat(squares + weights * apart**2, at)
        ends = np.minimum.reduceat(least, at), np.maximum.reduceat(greatest, at)
        return [Moments(*one) for one in zip(sizes.tolist(), mean, square, *ends, strict=True)]

    def _histograms(self, sizes: NDArray[Any]) -> dict[str, list[Bins]]:
        """The bins in use, by what is measured and by checkpoint."""
        found: dict[str, list[Bins]] = {name: [] for name in self._names}
        for group, size in enumerate(sizes.tolist()):
            in_use = self._touched[group, :size], self._counts[group, :size]
            places, counts = self._back(*in_use)
            order = np.argsort(places)
            places, counts = places[order], counts[order]
            keys = places % BINS - BINS // 2
            points = min(GROUP, self.shape.points - group * GROUP)
            edges = np.searchsorted(places, BINS * np.arange(len(self._names) * points + 1))
            for row in range(len(self._names) * points):
                part = slice(edges[row], edges[row + 1])
                found[self._names[row // points]].append((keys[part], counts[part]))
        return found
