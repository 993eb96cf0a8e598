"""Kernels of a GPU that add up the runs of a launch, and count them into bins."""

from __future__ import annotations

import math
import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.compiler import compiled_for_gpu
from floorline.core.kernel import Function
from floorline.simulate.bins import BINS, key_of
from floorline.simulate.loop import NO_SUCH_ARM

cuda: Any = _cuda

PIECE = 64
"""Runs that one thread adds up. A chunk of the digest is a number of pieces."""

GROUP = 16
"""Checkpoints that have bins at a time: those of one take 2 MB for each thing measured."""

THREADS = 64


def spread_pieces(values: Any, moments: Any) -> None:
    """Mean, squared distances from it, least and greatest of every piece of runs."""
    pieces, measured, points = moments.shape[0], moments.shape[1], moments.shape[2]
    i = cuda.grid(1)
    if i >= pieces * measured * points:
        return
    point, what, piece = i % points, i // points % measured, i // points // measured
    start, stop = piece * PIECE, min((piece + 1) * PIECE, values.shape[1])
    total = 0.0
    least = math.inf
    greatest = -math.inf
    for run in range(start, stop):
        value = values[what, run, point]
        total += value
        least = min(least, value)
        greatest = max(greatest, value)
    mean = total / (stop - start)
    squares = 0.0
    for run in range(start, stop):
        squares += (values[what, run, point] - mean) ** 2
    moments[piece, what, point, 0] = mean
    moments[piece, what, point, 1] = squares
    moments[piece, what, point, 2] = least
    moments[piece, what, point, 3] = greatest


def count_pieces(outcome: Any, checkpoints: Any, totals: Any, sizes: Any) -> None:
    """Of every piece of runs: stray ones, breaches and misses by then, plays of each arm.

    The lists of bins in use are emptied on the way, which spares a kernel.
    """
    i = cuda.grid(1)
    for group in range(i, sizes.size, cuda.gridsize(1)):
        sizes[group] = 0
    pieces, points, columns = totals.shape
    if i >= pieces * points:
        return
    point, piece = i % points, i // points
    for column in range(columns):
        totals[piece, point, column] = 0
    for run in range(piece * PIECE, min((piece + 1) * PIECE, outcome.first_breach.size)):
        breach = outcome.first_breach[run]
        if breach == NO_SUCH_ARM:
            totals[piece, point, 0] += 1
        if 0 < breach <= checkpoints[point]:
            totals[piece, point, 1] += 1
        if outcome.first_miss.size > 0 and 0 < outcome.first_miss[run] <= checkpoints[point]:
            totals[piece, point, 2] += 1
        for column in range(3, columns):
            totals[piece, point, column] += outcome.plays[run, point, column - 3]


def fill_bins(values: Any, group: Any, bins: Any, touched: Any, sizes: Any) -> None:
    """Count values into bins, by what is measured and by checkpoint, and list the bins in use."""
    measured, runs = values.shape[0], values.shape[1]
    first = group * GROUP
    points = min(GROUP, values.shape[2] - first)
    i = cuda.grid(1)
    if i >= measured * runs * points:
        return
    point, run, what = i % points, i // points % runs, i // points // runs
    single = cuda.local.array(1, np.float32)
    single[0] = values[what, run, first + point]
    key = key_of(single.view(np.int32)[0]) + BINS // 2
    row = what * points + point
    if cuda.atomic.add(bins, (row, key), 1) == 0:
        touched[group, cuda.atomic.add(sizes, group, 1)] = row * BINS + key


def empty_bins(group: Any, bins: Any, touched: Any, counts: Any, sizes: Any) -> None:
    """Take the counts out of the bins in use, which are empty again after it."""
    for i in range(cuda.grid(1), sizes[group], cuda.gridsize(1)):
        row, key = touched[group, i] // BINS, touched[group, i] % BINS
        counts[group, i] = bins[row, key]
        bins[row, key] = 0


def start(kernel: Function, threads: int, stream: Any, *arguments: Any) -> None:
    """Begin a kernel of this file on a stream, with a thread for each of `threads`."""
    on_grid(compiled_for_gpu(kernel, {}, {}), -(-threads // THREADS), THREADS, stream)(*arguments)


@lru_cache(maxsize=1024)
def on_grid(kernel: Any, blocks: int, threads: int, stream: Any) -> Any:
    """A compiled kernel, to be called on a grid of any size without a word about small ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kernel[blocks, threads, stream]
