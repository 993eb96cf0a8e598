"""Histograms of the runs of a launch, made on a GPU: the bins in use come back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.simulate.bins import BINS
from floorline.simulate.cuda_sums import GROUP, empty_bins, fill_bins, start
from floorline.simulate.digest import Bins

cuda: Any = _cuda


class Histograms:
    """The bins for an array on the card (measured x runs x checkpoints), GROUP at a time."""

    def __init__(self, values: Any, stream: Any) -> None:
        self._values, self._stream = values, stream
        measured, runs, points = values.shape
        groups, width = -(-points // GROUP), measured * min(points, GROUP)
        self._bins = cuda.to_device(np.zeros((width, BINS), np.int32), stream)
        room = groups, min(runs * width, width * BINS)
        self._touched = cuda.device_array(room, np.int32, stream=stream)
        self._counts = cuda.device_array(room, np.int32, stream=stream)
        self._none = np.zeros(groups, np.int32)
        self._sizes = cuda.device_array(groups, np.int32, stream=stream)

    def begin(self) -> None:
        """Have the values counted, without waiting for it."""
        measured, runs, _ = self._values.shape
        groups, room = self._touched.shape
        self._sizes.copy_to_device(self._none, stream=self._stream)
        for group in range(groups):
            start(fill_bins, measured * runs * self._points(group), self._stream,
                  self._values, group, self._bins, self._touched, self._sizes)  # fmt: skip
            start(empty_bins, min(2**16, room), self._stream,
                  group, self._bins, self._touched, self._counts, self._sizes)  # fmt: skip

    def bins(self) -> list[list[Bins]]:
        """The bins in use, by what is measured and by checkpoint."""
        measured = self._values.shape[0]
        found: list[list[Bins]] = [[] for _ in range(measured)]
        for group, size in enumerate(self._sizes.copy_to_host(stream=self._stream).tolist()):
            places, counts = (
                array[group, :size].copy_to_host(stream=self._stream)
                for array in (self._touched, self._counts)
            )
            self._stream.synchronize()
            order = np.argsort(places)
            places, counts = places[order], counts[order]
            keys = places % BINS - BINS // 2
            points = self._points(group)
            edges = np.searchsorted(places, BINS * np.arange(measured * points + 1))
            for row in range(measured * points):
                part = slice(edges[row], edges[row + 1])
                found[row // points].append((keys[part], counts[part]))
        return found

    def _points(self, group: int) -> int:
        return int(min(GROUP, self._values.shape[2] - group * GROUP))
