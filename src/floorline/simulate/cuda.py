"""The GPU engine: each thread plays one run, with the kernels and the loops of the CPU.

Import it only where a GPU is asked for: it needs the extra [cuda].
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.compiler import compiled_for_gpu
from floorline.core.kernel import Function
from floorline.core.random import normal, uniform
from floorline.core.records import Arms
from floorline.core.subgaussian import SubgaussianRules, beyond_table, unit_radius
from floorline.environments import Environment
from floorline.policy import Prepared
from floorline.simulate.cuda_parts import Shape, Task, overlapped
from floorline.simulate.cuda_random import Stream, cuda_normal, cuda_uniform, start_stream
from floorline.simulate.cuda_sums import on_grid
from floorline.simulate.digest import CHUNK, Part
from floorline.simulate.engine import loop_choices, new_outcome
from floorline.simulate.loop import Measure, Outcome, one_run

cuda: Any = _cuda

# Streams share the queues to the card, 8 unless told before it is first used; launches of
# streams in the same queue wait for each other.
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

SHARED_BYTES = 48 * 1024
"""Fast memory that a block of threads may have."""

REGISTERS = 80
"""Registers of a thread: fewer leave room for more threads at a time, and spill."""

# Sizes of a thread's own arrays, which must be known when compiling. Each engine has its own.
N_ARMS = 1
MEMORY = 1
ROOM = 3
THREADS = 1
SHARED = True


class CudaEngine:
    """Plays runs of one policy in one environment on a GPU.

    The result of a run depends on the seed and its number alone, and agrees with the CPU's in
    distribution, not draw by draw.
    """

    def __init__(
        self, policy: Prepared, environment: Environment, measure: Measure, seed: int
    ) -> None:
        self._n_arms = len(environment.means)
        self._adversarial = environment.adversarial
        self._measure = measure
        self._seed = np.uint64(seed)
        choices: dict[Function, Function] = {
            **loop_choices(environment, measure), normal: cuda_normal, uniform: cuda_uniform,
            **policy.kernels, **environment.kernels(),
        }  # fmt: skip
        boundary = policy.rules.boundary
        if isinstance(boundary, SubgaussianRules) and boundary.table.size > self._horizon:
            choices[unit_radius] = beyond_table  # one program then serves all of them
        memory = max(1, policy.memory)
        # Two counts and four numbers an arm, and the proposer's memory.
        fits = SHARED_BYTES // ((2 * 4 + 4 * 8) * self._n_arms + 8 * memory)
        self._threads = next((size for size in (128, 64, 32) if size <= fits), 128)
        self._one_thread = compiled_for_gpu(
            one_thread, choices,
            {"N_ARMS": self._n_arms, "ROOM": 3 * self._n_arms, "MEMORY": memory,
             "THREADS": self._threads, "SHARED": self._threads <= fits},
            max_registers=REGISTERS,
        )  # fmt: skip
        self._records = [on_card(part) for part in (policy.rules, environment.rules(), measure)]

    @staticmethod
    def start() -> None:
        """Start the card, which takes half a second."""
        cuda.current_context()

    @property
    def _horizon(self) -> int:
        return int(self._measure.checkpoints[-1])

    @property
    def _chunk(self) -> int:
        """Runs of one launch: enough to fill the card, few enough to be over in a moment."""
        points = min(self._measure.checkpoints.size, 16)
        return max(2 * CHUNK, min(2**20, 2**32 // self._horizon) // points // CHUNK * CHUNK)

    def compile(self) -> None:
        """Have the code compiled, or loaded, by playing one run."""
        if not self._one_thread.overloads:
            for _ in self.parts(1, lambda done: None):
                pass

    def outcome(self, runs: int) -> Outcome:
        """Room for the results of `runs` runs."""
        return new_outcome(runs, self._n_arms, self._measure, adversarial=self._adversarial)

    def play(self, outcome: Outcome, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`; `tick` takes how many are done."""
        runs = outcome.first_breach.size
        for start in range(0, runs, self._chunk):
            rows = [array[start : start + self._chunk] for array in outcome]
            there: Any = Outcome(*(cuda.device_array(part.shape, part.dtype) for part in rows))
            self.launch(there, first + start, cuda.default_stream())
            for card, host in zip(there, rows, strict=True):
                if host.size:
                    card.copy_to_host(host)
            tick(min(runs, start + self._chunk))

    def launch(self, outcome: Outcome, first: int, stream: Any) -> None:
        """Begin to fill `outcome`, on the card, with the runs from number `first`."""
        blocks = -(-outcome.first_breach.size // self._threads)
        launch = on_grid(self._one_thread, blocks, self._threads, stream)
        launch(*self._records, self._seed, np.uint64(first), outcome)

    def tasks(self, runs: int) -> Iterator[Task]:
        """The launches that play the runs from number 0."""
        for first in range(0, runs, self._chunk):
            count = min(self._chunk, runs - first)
            shape = Shape(
                count, self._n_arms, self._measure.checkpoints.size, self._adversarial,
                self._measure.wants_rewards, self._measure.wants_misses,
                self._measure.wants_quantiles,
            )  # fmt: skip
            yield Task(shape, first, self._records[2].checkpoints, self.launch)

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[Part]:
        """What the runs add up to, part by part, in the order of their numbers."""
        done = 0
        for part in overlapped(self.tasks(runs)):
            done += part.runs
            tick(done)
            yield part


def one_thread(
    rules: Any, environment: Any, measure: Any, seed: Any, first: Any, outcome: Any
) -> None:
    """Play the run of this thread."""
    run = cuda.grid(1)
    if run >= outcome.first_breach.size:
        return
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
    start_stream(rng, seed, first + np.uint64(run), np.uint64(0))
    start_stream(side_rng, seed, first + np.uint64(run), np.uint64(1))
    one_run(rules, arms, memory, room, environment, measure, rng, side_rng, outcome, run)


def on_card(record: Any) -> Any:
    """The same record with its arrays in the card's memory."""
    if isinstance(record, np.ndarray):
        return uploaded(record.tobytes(), record.dtype, record.shape)
    if isinstance(record, tuple):
        return type(record)(*(on_card(part) for part in record))
    return record


@lru_cache(maxsize=1024)
def uploaded(content: bytes, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """An array in the card's memory: the same one for all settings of a sweep that have it."""
    there = cuda.to_device(np.frombuffer(content, dtype).reshape(shape), uploads())
    uploads().synchronize()
    return there


@cache
def uploads() -> Any:
    """A stream for them, which does not wait for what others play."""
    return cuda.stream()
