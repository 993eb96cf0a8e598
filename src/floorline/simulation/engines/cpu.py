"""The CPU engine: blocks of runs on all cores, compiled, or interpreted for a close look."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import numpy as np

from floorline.core.compiler import compiled, compiler_errors_in_words
from floorline.core.kernel import Function, bind
from floorline.core.late import best_ends, late_ends
from floorline.core.records import Counts, new_arms, new_memory
from floorline.environments import Environment
from floorline.policy import Prepared
from floorline.simulation.digest import CHUNK, PartialSums, sums_of
from floorline.simulation.engines.base import loop_choices, new_outcome, new_room
from floorline.simulation.fit import check_arms
from floorline.simulation.loops.learners import in_sets, sets_for
from floorline.simulation.loops.run import Measure, RunRecords, many_runs, rows

BLOCK = 32
"""Runs that share a stream of random numbers. Changing it changes what a seed gives."""


class CpuEngine:
    """Plays runs of one policy in one environment.

    The result of a run depends on the seed and its number alone: block b of the
    runs has its own stream, whatever thread plays it.
    """

    def __init__(
        self,
        policy: Prepared,
        environment: Environment,
        measure: Measure,
        seed: int,
        threads: int,
        *,
        interpreted: bool = False,
    ) -> None:
        self._policy = policy
        self._environment = environment
        self._environment_rules = environment.rules()
        self.measure = measure
        self._seed = seed
        self._threads = threads
        self._n_arms = len(environment.means)
        self._sets = sets_for(environment)
        self._adversarial = environment.adversarial
        self._wants_side = (
            measure.wants_rewards or measure.received or environment.adversarial or environment.late
        )
        choices: dict[Function, Function] = {
            **loop_choices(environment, measure),
            late_ends: best_ends,
            **policy.kernels,
            **environment.kernels(),
        }
        self._interpreted = interpreted
        self._many_runs = bind(many_runs, choices) if interpreted else compiled(many_runs, choices)

    def compile(self) -> None:
        """Have the code compiled, or loaded, by playing no run at all."""
        if self._interpreted:
            return
        with compiler_errors_in_words():
            self._block(self.outcome(0), 0, np.zeros(1, np.int64))

    def outcome(self, runs: int) -> RunRecords:
        """Room for the results of `runs` runs."""
        return new_outcome(runs, self._n_arms, self.measure, adversarial=self._adversarial)

    def play(self, outcome: RunRecords, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`, a multiple of BLOCK.

        `tick` is called ten times a second with the number of runs done so far. Ctrl-C
        ends every thread within the length of a run, then raises KeyboardInterrupt.
        """
        runs = outcome.first_breach.size
        starts = iter(range(0, runs, BLOCK))
        stop = np.zeros(1, np.int64)
        done = [0] * self._threads

        def work(thread: int) -> None:
            for start in starts:  # shared: each thread takes the next block there is
                block = rows(outcome, start, start + BLOCK)
                self._block(block, (first + start) // BLOCK, stop)
                done[thread] += block.first_breach.size

        with ThreadPoolExecutor(self._threads) as pool:
            workers = {pool.submit(work, thread) for thread in range(self._threads)}
            try:
                while workers:
                    ended, workers = wait(workers, timeout=0.1, return_when=FIRST_EXCEPTION)
                    tick(sum(done))
                    for one in ended:
                        one.result()
            except BaseException:
                stop[0] = 1
                collections.deque(starts, maxlen=0)  # nothing left to take
                raise

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[PartialSums]:
        """What the runs add up to, part by part, in the order of their numbers."""
        room = self.outcome(min(CHUNK, runs))
        for first in range(0, runs, CHUNK):
            chunk = rows(room, 0, runs - first)
            self.play(chunk, first, _later(tick, first))
            check_arms(chunk)
            yield sums_of(chunk, self.measure.checkpoints, self.measure.wants_quantiles)

    def _block(self, outcome: RunRecords, number: int, stop: Counts) -> None:
        """Play the runs of one block, from the streams that belong to it."""
        rng = stream(self._seed, number)
        side_rng = stream(self._seed, number, 1) if self._wants_side else rng
        room = new_room(self._environment, self.measure)
        self._many_runs(
            self._policy.rules,
            new_arms(self._n_arms * self._sets),
            new_memory(in_sets(self._policy.memory, self._sets)),
            room,
            self._environment_rules,
            self.measure,
            rng,
            side_rng,
            outcome,
            stop,
        )


def stream(seed: int, *key: int) -> np.random.Generator:
    """The stream of random numbers that belongs to a seed and a key."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))


def _later(tick: Callable[[int], None], first: int) -> Callable[[int], None]:
    return lambda done: tick(first + done)
