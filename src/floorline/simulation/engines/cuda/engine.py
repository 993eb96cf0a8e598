"""The GPU engine: each thread plays one run, with the kernels and the loops of the CPU.

Import it only where a GPU is asked for: it needs the extra [cuda].
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from numba import cuda as _cuda

from floorline.core.compiler import compiled_for_gpu, compiler_errors_in_words
from floorline.core.kernel import Function
from floorline.core.random import normal, uniform
from floorline.environments import Environment
from floorline.policy import Prepared
from floorline.simulation.digest import CHUNK, MEASURED, PartialSums
from floorline.simulation.engines.base import loop_choices, new_outcome
from floorline.simulation.engines.cuda.parts import Shape, Task, overlapped
from floorline.simulation.engines.cuda.random import cuda_normal, cuda_uniform
from floorline.simulation.engines.cuda.settings import pack, packable, pick, picker, the_only_one
from floorline.simulation.engines.cuda.sums import on_grid
from floorline.simulation.engines.cuda.thread import one_thread
from floorline.simulation.loops.learners import in_sets, sets_for
from floorline.simulation.loops.run import Measure, RunRecords

cuda: Any = _cuda

# Streams share the queues to the card, 8 unless told before it is first used; launches of
# streams in the same queue wait for each other.
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")

SHARED_BYTES = 48 * 1024
"""Fast memory that a block of threads may have."""

REGISTERS = 80
"""Registers of a thread: fewer leave room for more threads at a time, and spill."""

SWEEP_REGISTERS = 128
"""The same where settings are picked, which takes more of them."""

MOST_ROUNDS = 2**34
"""Rounds of one launch, about: few enough to be over in a moment."""

MOST_RUNS = 2**20
"""Runs of one launch: enough to fill the card."""

MOST_BYTES = 2**30
"""Memory for what they give, about."""


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
            normal: cuda_normal,
            uniform: cuda_uniform,
            **policy.kernels,
            **environment.kernels(),
        }
        # On a GPU no array is empty.
        sets = sets_for(environment)
        memory = in_sets(policy.memory, sets)
        sizes = {name: max(1, size) for name, size in memory._asdict().items()}
        # Two counts and four numbers an arm, and the proposer's memory.
        fits = SHARED_BYTES // ((2 * 4 + 4 * 8) * self._n_arms * sets + 8 * sizes["proposer"])
        self._threads = next((size for size in (128, 64, 32) if size <= fits), 128)
        self._sizes = {
            "N_ARMS": self._n_arms * sets,
            "ROOM": 3 * self._n_arms,
            "MEMORY": sizes["proposer"],
            "FLOOR_MEMORY": sizes["floor"],
            "BOUNDARY_MEMORY": sizes["boundary"],
            "THREADS": self._threads,
            "SHARED": self._threads <= fits,
        }

    @cached_property
    def _single(self) -> Any:
        """What a thread does where there is one setting: its records are arguments, and free."""
        choices = {**self._choices, pick: the_only_one}
        return compiled_for_gpu(one_thread, choices, self._sizes, max_registers=REGISTERS)

    @cached_property
    def _many(self) -> Any:
        """What a thread does where there are many settings."""
        choices = {**self._choices, pick: picker(self._records)}
        return compiled_for_gpu(one_thread, choices, self._sizes, max_registers=SWEEP_REGISTERS)

    @staticmethod
    def start() -> None:
        """Start the card, which takes half a second."""
        cuda.current_context()

    @property
    def horizon(self) -> int:
        """Rounds of a run."""
        return int(self._measure.checkpoints[-1])

    @property
    def form(self) -> tuple[object, ...]:
        """What settings must have in common to be played in one launch."""
        if not packable(self._records):
            return (self,)
        kernels = frozenset(self._choices.items())
        return kernels, picker(self._records), *self._sizes.values(), self._seed, self._shape(1, 1)

    @property
    def most_runs(self) -> int:
        """Runs of one launch at most, those of all its settings together."""
        each = 8 * (len(MEASURED) + self._n_arms) * self._measure.checkpoints.size
        return min(MOST_RUNS, MOST_BYTES // each)

    @property
    def _chunk(self) -> int:
        """Runs of one launch where there is one setting."""
        runs = min(self.most_runs, MOST_ROUNDS // self.horizon)
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
        """Have the code compiled, or loaded, by playing one run."""
        if not self._single.overloads:
            for _ in self.parts(1, lambda done: None):
                pass

    def outcome(self, runs: int) -> RunRecords:
        """Room for the results of `runs` runs."""
        return new_outcome(runs, self._n_arms, self._measure, adversarial=self._adversarial)

    def play(self, outcome: RunRecords, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`; `tick` takes how many are done."""
        runs = outcome.first_breach.size
        records = on_card(self._records)
        for start in range(0, runs, self._chunk):
            rows = [array[start : start + self._chunk] for array in outcome]
            there: Any = RunRecords(*(cuda.device_array(part.shape, part.dtype) for part in rows))
            self._launch(records, there, first + start, 1, cuda.default_stream())
            for card, host in zip(there, rows, strict=True):
                if host.size:
                    card.copy_to_host(host)
            tick(min(runs, start + self._chunk))

    def _launch(
        self, records: Any, outcome: RunRecords, first: int, settings: int, stream: Any
    ) -> None:
        """Begin to fill `outcome`, on the card, with the runs from number `first`."""
        cells = outcome.first_breach.size
        blocks = -(-cells // self._threads)
        program = self._single if settings == 1 else self._many
        launch = on_grid(program, blocks, self._threads, stream)
        with compiler_errors_in_words():
            launch(records, self._seed, np.uint64(first), cells // settings, outcome)

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[PartialSums]:
        """What the runs add up to, part by part, in the order of their numbers."""
        done = 0
        for (part,) in overlapped(CudaEngine.tasks([self], runs)):
            done += part.runs
            tick(done)
            yield part

    @staticmethod
    def tasks(engines: Sequence[CudaEngine], runs: int) -> Iterator[Task]:
        """The launches that play the runs of one setting, or of many with the same program."""
        one, settings = engines[0], len(engines)
        records = [engine._records for engine in engines]
        there = on_card(records[0] if settings == 1 else pack(records))
        checkpoints = on_card(np.stack([engine._measure.checkpoints for engine in engines]))
        chunk = one._chunk if settings == 1 else runs
        for first in range(0, runs, chunk):
            shape = one._shape(settings, min(chunk, runs - first))
            launch = partial(one._launch, there, first=first, settings=settings)
            yield Task(shape, checkpoints, launch)


def on_card(record: Any) -> Any:
    """The same record with its arrays in the card's memory."""
    if isinstance(record, np.ndarray):
        there = cuda.to_device(np.ascontiguousarray(record), uploads())
        uploads().synchronize()
        return there
    if isinstance(record, tuple):
        parts = [on_card(part) for part in record]
        return tuple(parts) if type(record) is tuple else type(record)(*parts)
    return record


@cache
def uploads() -> Any:
    """A stream for them, which does not wait for what others play."""
    return cuda.stream()
