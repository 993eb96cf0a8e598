"""The program of a GPU thread: it plays one run, with the kernels and the loops of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.records import Arms, Memory
from floorline.simulation.engines.cuda.random import Stream, start_stream
from floorline.simulation.engines.cuda.settings import pick
from floorline.simulation.loops.run import one_run

cuda: Any = _cuda

# Sizes of a thread's own arrays, known at compile time. Each engine sets its own.
N_ARMS = 1
MEMORY = 1
FLOOR_MEMORY = 1
BOUNDARY_MEMORY = 1
SCRATCH = 3
THREADS = 1
SHARED = True


def one_thread(records: Any, seed: Any, first: Any, runs: Any, outcome: Any) -> None:
    """Play the run of this thread; each setting has `runs` of them, from number `first`."""
    cell = cuda.grid(1)
    if cell >= outcome.first_breach.size:
        return
    rules, environment, measure = pick(records, cell // runs)
    number = first + np.uint64(cell % runs)
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
    scratch = cuda.local.array(SCRATCH, np.float64)
    rng = Stream(cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64))
    side_rng = Stream(cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64))
    start_stream(rng, seed, number, np.uint64(0))
    start_stream(side_rng, seed, number, np.uint64(1))
    one_run(rules, arms, memory, scratch, environment, measure, rng, side_rng, outcome, cell)
