"""What a thread of a GPU does: it plays one run, with the kernels and the loops of the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.records import Arms
from floorline.simulate.cuda_random import Stream, start_stream
from floorline.simulate.cuda_settings import pick
from floorline.simulate.loop import one_run

cuda: Any = _cuda

# Sizes of a thread's own arrays, which must be known when compiling. Each engine has its own.
N_ARMS = 1
MEMORY = 1
ROOM = 3
THREADS = 1
SHARED = True


def one_thread(records: Any, seed: Any, first: Any, runs: Any, outcome: Any) -> None:
    """Play the run of this thread; each setting has `runs` of them, from number `first`."""
    cell = cuda.grid(1)
    if cell >= outcome.first_breach.size:
        return
    rules, environment, measure = pick(records, cell // runs)
    number = first + np.uint64(cell % runs)
    if SHARED:  # a lane's numbers lie in banks of its own, whichever arm each lane is at
        lane = cuda.threadIdx.x
        plays = cuda.shared.array((N_ARMS, THREADS), np.int32)[:, lane]
        seen = cuda.shared.array((N_ARMS, THREADS), np.int32)[:, lane]
        total = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        average = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        lower = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        upper = cuda.shared.array((N_ARMS, THREADS), np.float64)[:, lane]
        memory = cuda.shared.array((MEMORY, THREADS), np.float64)[:, lane]
    else:
        plays = cuda.local.array(N_ARMS, np.int32)
        seen = cuda.local.array(N_ARMS, np.int32)
        total = cuda.local.array(N_ARMS, np.float64)
        average = cuda.local.array(N_ARMS, np.float64)
        lower = cuda.local.array(N_ARMS, np.float64)
        upper = cuda.local.array(N_ARMS, np.float64)
        memory = cuda.local.array(MEMORY, np.float64)
    earned = cuda.local.array(1, np.float64)
    aside = cuda.local.array(1, np.int32)
    arms = Arms(plays, seen, total, average, lower, upper, earned, aside)
    room = cuda.local.array(ROOM, np.float64)
    rng = Stream(cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64))
    side_rng = Stream(cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64))
    start_stream(rng, seed, number, np.uint64(0))
    start_stream(side_rng, seed, number, np.uint64(1))
    one_run(rules, arms, memory, room, environment, measure, rng, side_rng, outcome, cell)
