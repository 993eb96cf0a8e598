"""The CPU engine: blocks of runs on all cores, compiled, or interpreted for debugging."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from threading import Thread

import numpy as np

from floorline.core.compiler import compilation, compiled
from floorline.core.kernel import Function, bind
from floorline.core.records import Counts, new_arms, new_memory
from floorline.environments import Environment
from floorline.policy import Prepared
from floorline.simulation.digest import CHUNK, PartialSums, sums_of
from floorline.simulation.engines.base import loop_choices, new_outcome, new_scratch
from floorline.simulation.fit import check_arms
from floorline.simulation.loops.learners import in_sets, sets_for
from floorline.simulation.loops.run import Measure, RunRecords, many_runs, rows

BLOCK = 32
"""Runs that share a stream of random numbers. Changing it changes the results of a seed."""


class CpuEngine:
    """Plays runs of one policy in one environment.

    The result of a run depends only on the seed and its number: block b of the
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
            **policy.kernels,
            **environment.kernels(),
        }
        self._interpreted = interpreted
        self._many_runs = bind(many_runs, choices) if interpreted else compiled(many_runs, choices)

    def compile(self) -> None:
        """Compile or load the code, by playing zero runs."""
        if self._interpreted:
            return
        with compilation():
            self._block(self.outcome(0), 0, np.zeros(1, np.int64))

    def outcome(self, runs: int) -> RunRecords:
        """Return empty arrays for the results of `runs` runs."""
        return new_outcome(runs, self._n_arms, self.measure, adversarial=self._adversarial)

    def play(self, outcome: RunRecords, first: int, tick: Callable[[int], None]) -> None:
        """Fill `outcome` with the runs from number `first`, a multiple of BLOCK.

        `tick` is called ten times per second with the number of runs done so far. Ctrl-C
        raises KeyboardInterrupt at once; threads end after their current run, or with the
        process.
        """
        runs = outcome.first_breach.size
        starts = iter(range(0, runs, BLOCK))
        stop = np.zeros(1, np.int64)
        done = [0] * self._threads

        failures: list[BaseException] = []

        def work(thread: int) -> None:
            try:
                for start in starts:  # shared: each thread takes the next block
                    block = rows(outcome, start, start + BLOCK)
                    self._block(block, (first + start) // BLOCK, stop)
                    done[thread] += block.first_breach.size
            except BaseException as error:
                failures.append(error)

        # Daemons, so that nobody waits for them: a run can take hours, and Ctrl-C must not.
        workers = [Thread(target=work, args=(i,), daemon=True) for i in range(self._threads)]
        try:
            for worker in workers:
                worker.start()
            for worker in workers:
                while worker.is_alive() and not failures:
                    worker.join(0.1)
                    tick(sum(done))
            if failures:
                raise failures[0]
            tick(runs)  # threads may have ended before the first check
        except BaseException:
            stop[0] = 1
            collections.deque(starts, maxlen=0)  # nothing left to take
            raise

    def parts(self, runs: int, tick: Callable[[int], None]) -> Iterator[PartialSums]:
        """Yield the sums over the runs, part by part, in the order of their numbers."""
        records = self.outcome(min(CHUNK, runs))
        for first in range(0, runs, CHUNK):
            chunk = rows(records, 0, runs - first)
            self.play(chunk, first, _offset(tick, first))
            check_arms(chunk)
            yield sums_of(chunk, self.measure.checkpoints, self.measure.wants_quantiles)

    def _block(self, outcome: RunRecords, number: int, stop: Counts) -> None:
        """Play the runs of one block, from its own streams."""
        rng = stream(self._seed, number)
        side_rng = stream(self._seed, number, 1) if self._wants_side else rng
        scratch = new_scratch(self._environment, self.measure)
        self._many_runs(
            self._policy.rules,
            new_arms(self._n_arms * self._sets),
            new_memory(in_sets(self._policy.memory, self._sets)),
            scratch,
            self._environment_rules,
            self.measure,
            rng,
            side_rng,
            outcome,
            stop,
        )


def stream(seed: int, *key: int) -> np.random.Generator:
    """Return the stream of random numbers for a seed and a key."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=key)))


def _offset(tick: Callable[[int], None], first: int) -> Callable[[int], None]:
    return lambda done: tick(first + done)
