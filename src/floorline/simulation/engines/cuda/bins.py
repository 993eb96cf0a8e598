"""Histograms of the runs of a launch, computed on a GPU; only the bins in use are copied back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import cuda as _cuda

from floorline.simulation.bins import BINS
from floorline.simulation.digest import Bins
from floorline.simulation.engines.cuda.sums import GROUP, empty_bins, fill_bins, start_kernel

cuda: Any = _cuda


class Group(NamedTuple):
    """The values counted into bins at a time: the runs of a setting, at some checkpoints."""

    first_cell: int
    first_point: int
    points: int


class Histograms:
    """The bins for an array on the GPU (measured x cells x checkpoints).

    They are filled for `runs` cells, those of one setting, and GROUP checkpoints at a time.
    """

    def __init__(self, values: Any, runs: int, stream: Any) -> None:
        self._values, self._runs, self._stream = values, runs, stream
        measured, cells, points = values.shape
        self._groups = [
            Group(cell, point, min(GROUP, points - point))
            for cell in range(0, cells, runs)
            for point in range(0, points, GROUP)
        ]
        width = measured * min(points, GROUP)
        self._bins = cuda.to_device(np.zeros((width, BINS), np.int32), stream)
        shape = len(self._groups), min(runs * width, width * BINS)
        self._touched = cuda.device_array(shape, np.int32, stream=stream)
        self._counts = cuda.device_array(shape, np.int32, stream=stream)
        self._zeros = np.zeros(len(self._groups), np.int32)
        self._sizes = cuda.device_array(len(self._groups), np.int32, stream=stream)

    def start(self, stream: Any) -> None:
        """Start counting the values in a stream, without waiting for the result."""
        measured, capacity = self._values.shape[0], self._touched.shape[1]
        self._sizes.copy_to_device(self._zeros, stream=stream)
        for number, group in enumerate(self._groups):
            start_kernel(
                fill_bins,
                measured * self._runs * group.points,
                stream,
                self._values,
                *group,
                self._runs,
                self._bins,
                self._touched[number],
                self._sizes,
                number,
            )
            start_kernel(
                empty_bins,
                min(2**16, capacity),
                stream,
                self._bins,
                self._touched[number],
                self._counts[number],
                self._sizes,
                number,
            )

    def bins(self) -> list[list[list[Bins]]]:
        """Return the bins in use, by setting, by quantity and by checkpoint."""
        measured, cells, _ = self._values.shape
        bins: list[list[list[Bins]]] = [
            [[] for _ in range(measured)] for _ in range(cells // self._runs)
        ]
        sizes = self._sizes.copy_to_host(stream=self._stream).tolist()
        for number, (group, size) in enumerate(zip(self._groups, sizes, strict=True)):
            indices, counts = (
                array[number, :size].copy_to_host(stream=self._stream)
                for array in (self._touched, self._counts)
            )
            self._stream.synchronize()
            order = np.argsort(indices)
            indices, counts = indices[order], counts[order]
            keys = indices % BINS - BINS // 2
            rows = measured * group.points
            edges = np.searchsorted(indices, BINS * np.arange(rows + 1))
            for row in range(rows):
                part = slice(edges[row], edges[row + 1])
                of_setting = bins[group.first_cell // self._runs]
                of_setting[row // group.points].append((keys[part], counts[part]))
        return bins
