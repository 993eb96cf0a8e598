"""The GPU engine: each thread plays one run, with the kernels and the loops of the CPU.

Import it only where a GPU is used: it needs the extra [cuda].
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.kernel import Function
from floorline.core.packing import (
    Packed,
    Parts,
    pack,
    pick,
    picker,
    take_apart,
    the_only_one,
)
from floorline.core.random import normal, uniform
from floorline.core.records import Counts
from floorline.environments import Environment
from floorline.floors import NoFloor
from floorline.policy import Prepared
from floorline.proposers.exponential import weight
from floorline.proposers.growing_index import SEARCH_ALWAYS
from floorline.simulation.digest import CHUNK, MEASURED, PartialSums
from floorline.simulation.engines.base import loop_choices, new_outcome
from floorline.simulation.engines.cuda.parts import Shape, Task, overlapped
from floorline.simulation.engines.cuda.program import Program, code_folder, program, simulated
from floorline.simulation.engines.cuda.random import cuda_normal, cuda_uniform, rough_weight
from floorline.simulation.engines.cuda.streams import uploads
from floorline.simulation.engines.cuda.thread import one_thread, take_next_run
from floorline.simulation.loops.learners import in_sets, sets_for
from floorline.simulation.loops.run import Measure, RunRecords, next_run, no_next_run, one_run
from floorline.simulation.loops.stochastic import stochastic_run

cuda: Any = _cuda

SHARED_BYTES = 48 * 1024
"""Shared memory available to a block of threads."""

REGISTERS = 80
"""Registers per thread: fewer allow more threads at a time, but spill."""

SWEEP_REGISTERS = 128
"""The same if each thread picks its setting, which needs more, unless lanes run in lockstep."""

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

    The result of a run depends only on the seed and its number, and agrees with the CPU's in
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
    def _packed(self) -> Program:
        """The program for one of many settings, whose records are in arrays."""
        choices = {**self._choices, pick: picker(self._parts.form)}
        registers = REGISTERS if self._in_step else SWEEP_REGISTERS
        return program(one_thread, choices, self._sizes, registers, followed=self._in_step)

    @cached_property
    def _parts(self) -> Parts:
        return take_apart(self._records)

    @staticmethod
    def start() -> None:
        """Start the GPU, which takes half a second, and find where programs are stored."""
        cuda.current_context()
        code_folder()

    @property
    def checkpoints(self) -> Counts:
        """The rounds after which results are kept."""
        return self._measure.checkpoints

    @property
    def horizon(self) -> int:
        """Rounds per run."""
        return int(self.checkpoints[-1])

    @property
    def packable(self) -> bool:
        """Whether its records can be stored in the arrays that settings of one launch share."""
        return self._parts.packable

    @cached_property
    def form(self) -> tuple[object, ...]:
        """What settings must have in common to be played in one launch."""
        if not self.packable:
            return (self,)
        kernels = frozenset(self._choices.items())
        return kernels, self._parts.form, *self._sizes.values(), self._seed, self._shape(1, 1)

    @property
    def simulation(self) -> tuple[object, ...]:
        """What settings must have in common to be the same runs, besides `form`.

        They may differ in their checkpoints, unless default rounds are skipped: then sums are
        rounded differently if there is a checkpoint in between.
        """
        rules, environment, measure = self._records
        if self._choices[one_run] is stochastic_run and not rules.fast_forward:
            anywhere = measure._replace(checkpoints=measure.checkpoints[:0])
            return take_apart((rules, environment, anywhere)).content()
        return self._parts.content()

    def at(self, checkpoints: Counts) -> CudaEngine:
        """Return the same engine with other checkpoints."""
        other = copy.copy(self)
        for name in ("_parts", "form"):  # they depend on the checkpoints
            other.__dict__.pop(name, None)
        rules, environment, measure = self._records
        other._measure = measure._replace(checkpoints=checkpoints)
        other._records = rules, environment, other._measure
        return other

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
            stop = min(runs, start + self._chunk)
            rows = [array[start:stop] for array in outcome]
            device: Any = RunRecords(*(cuda.device_array(part.shape, part.dtype) for part in rows))
            stream = cuda.default_stream()
            self._launch(
                records, 1, first + start, outcome=device, stream=stream, runs=stop - start
            )
            for array, host in zip(device, rows, strict=True):
                if host.size:
                    array.copy_to_host(host)
            tick(stop)

    def _launch(
        self,
        records: Any,
        settings: int,
        first: int,
        *,
        outcome: RunRecords,
        stream: Any,
        runs: int,
    ) -> None:
        """Start filling `outcome`, on the GPU, with the runs from number `first`.

        Args:
            records: of one setting, or of several, packed.
            settings: how many.
            first: the number of the first run.
            outcome: rows for the runs of one setting after the other.
            stream: in which it is started.
            runs: how many of each setting; with 0 the program is only loaded.
        """
        packed = isinstance(records, Packed)
        lanes = max(1, runs if packed else self._lanes(runs))
        taken = cuda.to_device(np.zeros(settings, np.int32), stream)
        (self._packed if packed else self._single).start(
            -(-settings * lanes // self._threads),
            self._threads,
            stream,
            *(records, self._seed, np.uint64(first), runs, lanes, taken, outcome),
        )

    def _lanes(self, runs: int) -> int:
        """Return the threads for a single setting.

        As many as fit on the GPU, each playing run after run. With several settings, the longest
        would then end last and alone.
        """
        if self._choices[one_run] is not stochastic_run or simulated():
            return runs
        blocks = ALL_REGISTERS // (REGISTERS * self._threads)
        processors: int = cuda.get_current_device().MULTIPROCESSOR_COUNT
        return min(runs, processors * blocks * self._threads)

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[PartialSums]:
        """Yield the sums over the runs, part by part, in the order of their numbers."""
        done = 0
        for (part,) in overlapped([task] for task in self.tasks(runs)):
            done += part.runs
            tick(done)
            yield part

    def tasks(self, runs: int) -> Iterator[Task]:
        """Yield the launches that play the runs of this setting."""
        records = to_device(self._records)
        checkpoints = to_device(self._measure.checkpoints[None])
        for first in range(0, runs, self._chunk):
            shape = self._shape(1, min(self._chunk, runs - first))
            launch = partial(self._launch, records, 1, first)
            yield Task(shape, checkpoints, self._single, launch)

    @staticmethod
    def shared_task(engines: Sequence[CudaEngine], runs: int) -> Task:
        """Return the launch that plays all runs of several settings of the same form."""
        engine, settings = engines[0], len(engines)
        records = to_device(pack([each._parts for each in engines]))
        checkpoints = to_device(np.stack([each._measure.checkpoints for each in engines]))
        launch = partial(engine._launch, records, settings, 0)
        return Task(engine._shape(settings, runs), checkpoints, engine._packed, launch)


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
