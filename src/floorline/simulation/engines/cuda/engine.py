"""The GPU engine: each thread plays one run, with the kernels and the loops of the CPU.

Import it only where a GPU is used: it needs the extra [cuda].
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.kernel import Function
from floorline.core.random import normal, uniform
from floorline.environments import Environment
from floorline.floors import NoFloor
from floorline.policy import Prepared
from floorline.proposers.exponential import weight
from floorline.proposers.growing_index import SEARCH_ALWAYS
from floorline.simulation.digest import CHUNK, MEASURED, PartialSums
from floorline.simulation.engines.base import loop_choices, new_outcome
from floorline.simulation.engines.cuda.parts import Shape, Task, overlapped
from floorline.simulation.engines.cuda.program import Program, program, simulated
from floorline.simulation.engines.cuda.random import cuda_normal, cuda_uniform, rough_weight
from floorline.simulation.engines.cuda.settings import pack, packable, pick, picker, the_only_one
from floorline.simulation.engines.cuda.thread import one_thread, take_next_run
from floorline.simulation.loops.learners import in_sets, sets_for
from floorline.simulation.loops.run import Measure, RunRecords, next_run, no_next_run, one_run
from floorline.simulation.loops.stochastic import stochastic_run

cuda: Any = _cuda

# Streams share the queues to the GPU: 8, unless set before its first use. Launches of streams
# in the same queue wait for each other.
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

SHARED_BYTES = 48 * 1024
"""Shared memory available to a block of threads."""

REGISTERS = 80
"""Registers per thread: fewer allow more threads at a time, but spill."""

SWEEP_REGISTERS = 128
"""The same where each thread picks its setting, which needs more, unless lanes are in step."""

ALL_REGISTERS = 2**16
"""Registers of a multiprocessor."""

MAX_LAUNCH_ROUNDS = 2**34
"""Rounds per launch, about: few enough to finish quickly."""

MAX_LAUNCH_RUNS = 2**20
"""Runs per launch: enough to fill the GPU."""

MAX_LAUNCH_BYTES = 2**30
"""Memory for the results of a launch, about."""


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
        self._records = policy.rules, environment.rules(), measure
        self._choices: dict[Function, Function] = {
            **loop_choices(environment, measure),
            **SEARCH_ALWAYS,
            next_run: no_next_run if simulated() else take_next_run,
            normal: cuda_normal,
            weight: rough_weight,
            uniform: cuda_uniform,
            **policy.kernels,
            **environment.kernels(),
        }
        # With a floor, lanes go different ways in the loop of stochastic environments; the compiler
        # then does not bring them together again at the end of a round, and is ten times slower.
        self._in_step = self._adversarial or isinstance(policy.floor, NoFloor)
        # On a GPU no array is empty.
        sets = sets_for(environment)
        memory = in_sets(policy.memory, sets)
        sizes = {name: max(1, size) for name, size in memory._asdict().items()}
        # Two counts and four numbers per arm, the proposer's memory, and what the loop writes.
        numbers = sizes["proposer"] + (2 * self._n_arms if self._adversarial else 0)
        fits = SHARED_BYTES // ((2 * 4 + 4 * 8) * self._n_arms * sets + 8 * numbers)
        self._threads = next((size for size in (128, 64, 32) if size <= fits), 128)
        self._sizes = {
            "N_ARMS": self._n_arms * sets,
            "MEMORY": sizes["proposer"],
            "FLOOR_MEMORY": sizes["floor"],
            "BOUNDARY_MEMORY": sizes["boundary"],
            "THREADS": self._threads,
            "SHARED": self._threads <= fits,
            "SHARED_SCRATCH": self._threads <= fits and self._adversarial,
        }

    @cached_property
    def _single(self) -> Program:
        """The program for one setting, whose records are arguments and cost nothing."""
        choices = {**self._choices, pick: the_only_one}
        return program(one_thread, choices, self._sizes, REGISTERS, followed=self._in_step)

    @cached_property
    def _many(self) -> Program:
        """The program for many settings."""
        choices = {**self._choices, pick: picker(self._records)}
        registers = REGISTERS if self._in_step else SWEEP_REGISTERS
        return program(one_thread, choices, self._sizes, registers, followed=self._in_step)

    @staticmethod
    def start() -> None:
        """Start the GPU, which takes half a second."""
        cuda.current_context()

    @property
    def horizon(self) -> int:
        """Rounds per run."""
        return int(self._measure.checkpoints[-1])

    @property
    def form(self) -> tuple[object, ...]:
        """What settings must have in common to be played in one launch."""
        if not packable(self._records):
            return (self,)
        kernels = frozenset(self._choices.items())
        return kernels, picker(self._records), *self._sizes.values(), self._seed, self._shape(1, 1)

    @property
    def max_runs(self) -> int:
        """The largest number of runs in one launch, over all its settings."""
        each = 8 * (len(MEASURED) + self._n_arms) * self._measure.checkpoints.size
        return min(MAX_LAUNCH_RUNS, MAX_LAUNCH_BYTES // each)

    @property
    def _chunk(self) -> int:
        """Runs per launch where there is one setting."""
        runs = min(self.max_runs, MAX_LAUNCH_ROUNDS // self.horizon)
        return max(CHUNK, runs // CHUNK * CHUNK)

    def _shape(self, settings: int, runs: int) -> Shape:
        measure = self._measure
        return Shape(
            settings,
            runs,
            self._n_arms,
            measure.checkpoints.size,
            self._adversarial,
            measure.wants_rewards,
            measure.wants_misses,
            measure.wants_quantiles,
        )

    def compile(self) -> None:
        """Compile or load the code, by playing one run."""
        if not self._single.loaded:
            for _ in self.parts(1, lambda done: None):
                pass

    def outcome(self, runs: int) -> RunRecords:
        """Return empty arrays for the results of `runs` runs."""
        return new_outcome(runs, self._n_arms, self._measure, adversarial=self._adversarial)

    def play(self, outcome: RunRecords, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`; call `tick` with how many are done."""
        runs = outcome.first_breach.size
        records = to_device(self._records)
        for start in range(0, runs, self._chunk):
            rows = [array[start : start + self._chunk] for array in outcome]
            device: Any = RunRecords(*(cuda.device_array(part.shape, part.dtype) for part in rows))
            self._launch(records, device, first + start, 1, cuda.default_stream())
            for array, host in zip(device, rows, strict=True):
                if host.size:
                    array.copy_to_host(host)
            tick(min(runs, start + self._chunk))

    def _launch(
        self, records: Any, outcome: RunRecords, first: int, settings: int, stream: Any
    ) -> None:
        """Start filling `outcome`, on the GPU, with the runs from number `first`."""
        runs = outcome.first_breach.size // settings
        lanes = self._lanes(runs, settings)
        taken = cuda.to_device(np.zeros(settings, np.int32), stream)
        chosen = self._single if settings == 1 else self._many
        chosen.start(
            -(-settings * lanes // self._threads),
            self._threads,
            stream,
            *(records, self._seed, np.uint64(first), runs, lanes, taken, outcome),
        )

    def _lanes(self, runs: int, settings: int) -> int:
        """Return the threads for each setting.

        Those of a single setting, as many as fit on the card, take run after run. Of several,
        the longest would then end last and alone.
        """
        if settings > 1 or self._choices[one_run] is not stochastic_run or simulated():
            return runs
        blocks = ALL_REGISTERS // (REGISTERS * self._threads)
        processors: int = cuda.get_current_device().MULTIPROCESSOR_COUNT
        return min(runs, processors * blocks * self._threads)

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[PartialSums]:
        """Yield the sums over the runs, part by part, in the order of their numbers."""
        done = 0
        for (part,) in overlapped(CudaEngine.tasks([self], runs)):
            done += part.runs
            tick(done)
            yield part

    @staticmethod
    def tasks(engines: Sequence[CudaEngine], runs: int) -> Iterator[Task]:
        """Yield the launches that play the runs of one or more settings with the same program."""
        engine, settings = engines[0], len(engines)
        records = [each._records for each in engines]
        on_device = to_device(records[0] if settings == 1 else pack(records))
        checkpoints = to_device(np.stack([each._measure.checkpoints for each in engines]))
        chunk = engine._chunk if settings == 1 else runs
        for first in range(0, runs, chunk):
            shape = engine._shape(settings, min(chunk, runs - first))
            launch = partial(engine._launch, on_device, first=first, settings=settings)
            yield Task(shape, checkpoints, launch)


def to_device(record: Any) -> Any:
    """Return the record with its arrays in the GPU's memory."""
    if isinstance(record, np.ndarray):
        array = cuda.to_device(np.ascontiguousarray(record), uploads())
        uploads().synchronize()
        return array
    if isinstance(record, tuple):
        parts = [to_device(part) for part in record]
        return tuple(parts) if type(record) is tuple else type(record)(*parts)
    return record


@cache
def uploads() -> Any:
    """Return a stream for uploads, which does not wait for other streams."""
    return cuda.stream()
