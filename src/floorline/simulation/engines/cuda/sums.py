"""GPU kernels that sum the runs of a launch and count them into bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.kernel import Function, kernel
from floorline.simulation.bins import BINS, key_of
from floorline.simulation.engines.cuda.program import program
from floorline.simulation.loops.run import NO_SUCH_ARM

cuda: Any = _cuda

PIECE = 64
"""Runs that one thread sums. A chunk of the digest is a whole number of pieces."""

GROUP = 16
"""Checkpoints that have bins at a time: those of one take 2 MB for each quantity."""

THREADS = 64


def add_up(
    each: Any,
    values: Any,
    first_breach: Any,
    first_miss: Any,
    plays: Any,
    checkpoints: Any,
    sums: Any,
) -> None:
    """Sum every piece of runs, at each checkpoint: quantities first, then counts.

    Each setting has `each` runs and pieces of its own. A row of `sums` has four numbers for
    each quantity, then three counts and the plays.
    """
    measured, points = values.shape[0], values.shape[2]
    pieces = sums.shape[0]
    i = cuda.grid(1)
    if i >= pieces * points * (measured + 1):
        return
    point, piece, what = i % points, i // points % pieces, i // points // pieces
    pieces_each = -(-each // PIECE)
    setting = piece // pieces_each
    start = setting * each + piece % pieces_each * PIECE
    stop = min(start + PIECE, (setting + 1) * each)
    row = sums[piece, point]
    if what < measured:
        spread_piece(values, what, point, start, stop, row)
    else:
        counts = row[4 * measured :]
        count_breaches(first_breach, first_miss, checkpoints[setting, point], start, stop, counts)
        count_plays(plays, point, start, stop, counts[3:])


@kernel
def spread_piece(values: Any, what: Any, point: Any, start: Any, stop: Any, row: Any) -> None:
    """Write the mean, squared distances from it, least and greatest of a piece of runs."""
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
    row[4 * what] = mean
    row[4 * what + 1] = squares
    row[4 * what + 2] = least
    row[4 * what + 3] = greatest


@kernel
def count_breaches(
    first_breach: Any, first_miss: Any, checkpoint: Any, start: Any, stop: Any, counts: Any
) -> None:
    """Count the runs with unknown arms, and the breaches and misses so far, in a piece of runs."""
    strays, breaches, misses = 0, 0, 0
    for run in range(start, stop):
        strays += first_breach[run] == NO_SUCH_ARM
        breaches += 0 < first_breach[run] <= checkpoint
        misses += first_miss.size > 0 and 0 < first_miss[run] <= checkpoint
    counts[0] = strays
    counts[1] = breaches
    counts[2] = misses


@kernel
def count_plays(plays: Any, point: Any, start: Any, stop: Any, counts: Any) -> None:
    """Count the plays of each arm in a piece of runs."""
    for arm in range(counts.size):
        total = 0
        for run in range(start, stop):
            total += plays[run, point, arm]
        counts[arm] = total


def fill_bins(
    values: Any,
    first_cell: Any,
    first_point: Any,
    points: Any,
    runs: Any,
    bins: Any,
    touched: Any,
    sizes: Any,
    group: Any,
) -> None:
    """Count values into bins, by quantity and checkpoint, and list the bins in use."""
    i = cuda.grid(1)
    if i >= values.shape[0] * runs * points:
        return
    point, run, what = i % points, i // points % runs, i // points // runs
    single = cuda.local.array(1, np.float32)
    single[0] = values[what, first_cell + run, first_point + point]
    key = key_of(single.view(np.int32)[0]) + BINS // 2
    row = what * points + point
    if cuda.atomic.add(bins, (row, key), 1) == 0:
        touched[cuda.atomic.add(sizes, group, 1)] = row * BINS + key


def empty_bins(bins: Any, touched: Any, counts: Any, sizes: Any, group: Any) -> None:
    """Move the counts out of the bins in use, which are then empty again."""
    for i in range(cuda.grid(1), sizes[group], cuda.gridsize(1)):
        row, key = touched[i] // BINS, touched[i] % BINS
        counts[i] = bins[row, key]
        bins[row, key] = 0


def start_kernel(function: Function, threads: int, stream: Any, *arguments: Any) -> None:
    """Start a kernel of this file on a stream, with at least `threads` threads."""
    program(function, {}, {}).start(-(-threads // THREADS), THREADS, stream, *arguments)
