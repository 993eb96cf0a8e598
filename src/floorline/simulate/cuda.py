"""The GPU engine: each thread plays one run, with the kernels and the loops of the CPU.

Import it only where a GPU is asked for: it needs the extra [cuda].
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.compiler import compiled_for_gpu
from floorline.core.kernel import Function
from floorline.core.random import normal, uniform
from floorline.core.records import Arms
from floorline.environments import Environment
from floorline.policy import Prepared
from floorline.simulate.cuda_random import Stream, cuda_normal, cuda_uniform, start_stream
from floorline.simulate.engine import loop_for, new_outcome
from floorline.simulate.loop import Measure, Outcome, one_run

cuda: Any = _cuda

THREADS = 128
"""Threads of a block on the card."""

# Sizes of a thread's own arrays, which must be known when compiling. Each engine has its own.
N_ARMS = 1
MEMORY = 1
ROOM = 3


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
        self._points = measure.checkpoints.size
        self._horizon = int(measure.checkpoints[-1])
        self._wants_rewards = measure.wants_rewards
        self._seed = np.uint64(seed)
        choices: dict[Function, Function] = {
            one_run: loop_for(environment), normal: cuda_normal, uniform: cuda_uniform,
            **policy.kernels, **environment.kernels(),
        }  # fmt: skip
        sizes = {"N_ARMS": self._n_arms, "ROOM": 3 * self._n_arms, "MEMORY": max(1, policy.memory)}
        self._one_thread = compiled_for_gpu(one_thread, choices, sizes)
        self._records = [on_card(part) for part in (policy.rules, environment.rules(), measure)]

    @property
    def chunk(self) -> int:
        """Runs of one launch: enough to fill the card, few enough to be over in a moment."""
        return max(2**14, min(2**18, 2**34 // self._horizon)) // min(self._points, 16)

    def compile(self) -> None:
        """Have the code compiled by playing one run."""
        self.play(self.outcome(1), 0, lambda done: None)

    def outcome(self, runs: int) -> Outcome:
        """Room for the results of `runs` runs."""
        return new_outcome(
            runs, self._points, self._n_arms, regret=self._adversarial, rewards=self._wants_rewards
        )

    def play(self, outcome: Outcome, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`; `tick` takes how many are done."""
        runs = outcome.first_breach.size
        for start in range(0, runs, self.chunk):
            rows = [array[start : start + self.chunk] for array in outcome]
            self._launch(rows, first + start)
            tick(min(runs, start + self.chunk))

    def _launch(self, rows: list[np.ndarray[Any, Any]], first: int) -> None:
        there: Any = Outcome(*(cuda.device_array(part.shape, part.dtype) for part in rows))
        blocks = -(-rows[-1].size // THREADS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small grid is what was asked for
            self._one_thread[blocks, THREADS](*self._records, self._seed, np.uint64(first), there)
        for card, host in zip(there, rows, strict=True):
            if host.size:
                card.copy_to_host(host)


def one_thread(
    rules: Any, environment: Any, measure: Any, seed: Any, first: Any, outcome: Any
) -> None:
    """Play the run of this thread."""
    run = cuda.grid(1)
    if run >= outcome.first_breach.size:
        return
    arms = Arms(
        cuda.local.array(N_ARMS, np.int64),
        cuda.local.array(N_ARMS, np.int64),
        cuda.local.array(N_ARMS, np.float64),
        cuda.local.array(N_ARMS, np.float64),
        cuda.local.array(N_ARMS, np.float64),
        cuda.local.array(N_ARMS, np.float64),
        cuda.local.array(1, np.float64),
        cuda.local.array(1, np.int64),
    )
    memory = cuda.local.array(MEMORY, np.float64)
    room = cuda.local.array(ROOM, np.float64)
    rng = Stream(cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64))
    side_rng = Stream(cuda.local.array(2, np.uint64), cuda.local.array(1, np.float64))
    start_stream(rng, seed, first + np.uint64(run), np.uint64(0))
    start_stream(side_rng, seed, first + np.uint64(run), np.uint64(1))
    one_run(rules, arms, memory, room, environment, measure, rng, side_rng, outcome, run)


def on_card(record: Any) -> Any:
    """The same record with its arrays in the card's memory."""
    if isinstance(record, np.ndarray):
        return cuda.to_device(np.ascontiguousarray(record))
    if isinstance(record, tuple):
        return type(record)(*(on_card(part) for part in record))
    return record
