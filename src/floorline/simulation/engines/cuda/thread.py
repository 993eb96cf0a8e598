"""The program of a GPU thread: it plays runs, with the kernels and the loops of the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import cuda as _cuda
from numpy.typing import NDArray

from floorline.core.kernel import kernel
from floorline.core.packing import pick
from floorline.core.records import Arms, Floats, Memory
from floorline.simulation.engines.cuda.random import Stream, start_stream
from floorline.simulation.loops.run import NO_RUN, Scratch, one_run

cuda: Any = _cuda

# Sizes of a thread's own arrays, known at compile time. Each engine sets its own.
N_ARMS = 1
MEMORY = 1
FLOOR_MEMORY = 1
BOUNDARY_MEMORY = 1
THREADS = 1
SHARED = True
SHARED_SCRATCH = False


class LaneStream(NamedTuple):
    """A thread's stream of random numbers, and where its next runs come from."""

    state: NDArray[np.uint64]
    spare: Floats
    seed: np.uint64
    first: np.uint64
    setting: int
    lanes: int
    runs: int
    taken: NDArray[np.int32]
    """How many runs of each setting have been taken, besides the first of each lane."""


@kernel
def take_next_run(rng: LaneStream, side_rng: Stream, run: int) -> int:
    """Return the next run of the same setting, with its streams begun, or NO_RUN."""
    number: int = rng.lanes + cuda.atomic.add(rng.taken, rng.setting, 1)
    if number >= rng.runs:
        return NO_RUN
    start_stream(rng, rng.seed, rng.first + np.uint64(number), np.uint64(0))
    start_stream(side_rng, rng.seed, rng.first + np.uint64(number), np.uint64(1))
    return rng.setting * rng.runs + number


def one_thread(
    records: Any, seed: Any, first: Any, runs: Any, lanes: Any, taken: Any, outcome: Any
) -> None:
    """Play the runs of this thread.

    Each setting has `runs` of them, from number `first`, and `lanes` threads.
    """
    thread = cuda.grid(1)
    setting, number = thread // lanes, thread % lanes
    if setting * runs >= outcome.first_breach.size or number >= runs:
        return
    rules, environment, measure = pick(records, setting)
    if SHARED:  # each lane's numbers are in banks of its own, whichever arm it is at
        lane = cuda.threadIdx.x
        plays = cuda.shared.array((N_ARMS, THREADS), np.int32)[:, lane]
        seen = cuda.shared.array((N_ARMS, THREADS), np.int32)[:, lane]
        total = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        average = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        lower = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        upper = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        proposer_memory = cuda.shared.array((MEMORY, THREADS), np.float64)[:, lane]
    else:
        plays = cuda.local.array(N_ARMS, np.int32)
        seen = cuda.local.array(N_ARMS, np.int32)
        total = cuda.local.array(N_ARMS, np.float64)
        average = cuda.local.array(N_ARMS, np.float64)
        lower = cuda.local.array(N_ARMS, np.float64)
        upper = cuda.local.array(N_ARMS, np.float64)
        proposer_memory = cuda.local.array(MEMORY, np.float64)
    floor_memory = cuda.local.array(FLOOR_MEMORY, np.float64)
    boundary_memory = cuda.local.array(BOUNDARY_MEMORY, np.float64)
    arms = Arms(plays, seen, total, average, lower, upper)
    memory = Memory(proposer_memory, floor_memory, boundary_memory)
    if SHARED_SCRATCH:
        rewards = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, cuda.threadIdx.x]
        chances = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, cuda.threadIdx.x]
    else:
        rewards = cuda.local.array(N_ARMS, np.float64)
        chances = cuda.local.array(N_ARMS, np.float64)
    scratch = Scratch(rewards, cuda.local.array(N_ARMS, np.float64), chances)
    state, spare = cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64)
    rng = LaneStream(state, spare, seed, first, setting, lanes, runs, taken)
    side_rng = Stream(cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64))
    start_stream(rng, seed, first + np.uint64(number), np.uint64(0))
    start_stream(side_rng, seed, first + np.uint64(number), np.uint64(1))
    run = setting * runs + number
    one_run(rules, arms, memory, scratch, environment, measure, rng, side_rng, outcome, run)
