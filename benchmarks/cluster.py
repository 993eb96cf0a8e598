"""Measure a sweep of the paper on local workers of Dask against one process with one thread.

    python benchmarks/cluster.py

Both are warmed up and then alternate, so that other work on the machine affects both alike. The CPU
time of all processes is printed, too: on n free cores, n workers are at most n times as fast, times
the CPU time of the one process over that of the workers. There is a worker on each core.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import cloudpickle
import numpy as np
from distributed import Client

from floorline import Case, Gaussian, PolicySetup, make_policy, sweep
from floorline.paper.sweeps import LONG, MAX_LOSS, MEANS, RUNS
from floorline.simulation.cluster import connect
from floorline.simulation.engines.cluster import play_runs

HORIZONS = LONG.horizons[4:25:5]
POLICIES = ("conservative-ucb", "unbalanced-moss")


def cases() -> list[Case]:
    """Return a part of the paper's sweep over horizons."""
    return [
        Case(
            make_policy(
                name,
                PolicySetup(
                    n_arms=len(MEANS),
                    horizon=horizon,
                    default_mean=MEANS[0],
                    max_loss=MAX_LOSS,
                    delta=1 / horizon,
                    boundary="authors",
                ),
            ),
            Gaussian(MEANS),
            horizon,
            MAX_LOSS,
            [horizon // 10, horizon],
            quantiles=False,
        )
        for name in POLICIES
        for horizon in HORIZONS
    ]


def measure(client: Client | None, runs: int) -> tuple[float, float, list[Any]]:
    """Return wall-clock seconds, CPU seconds of all processes, and the mean regrets."""
    before, start = processor_time(client), time.perf_counter()
    options: dict[str, Any] = {"threads": 1} if client is None else {"cluster": client}
    found = [summary.pseudo_regret.mean for summary in sweep(cases(), runs=runs, **options)]
    return time.perf_counter() - start, processor_time(client) - before, found


def processor_time(client: Client | None) -> float:
    """Return the CPU seconds used so far by this process and all workers."""
    workers = {} if client is None else client.run(time.process_time)
    return time.process_time() + sum(workers.values())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args()
    with connect("local") as client:
        assert client is not None
        workers = len(client.scheduler_info()["workers"])
        measure(None, 64)
        for case in cases():  # compiled, or loaded, by each worker
            client.run(play_runs, cloudpickle.dumps(case), 1, 0, 1)
        ratios = []
        for _ in range(options.turns):
            alone, alone_cpu, here = measure(None, options.runs)
            both, both_cpu, there = measure(client, options.runs)
            np.testing.assert_array_equal(here, there)
            ratios.append(alone / both)
            print(
                f"one process {alone:.2f} s ({alone_cpu:.2f} s of CPU), {workers} workers "
                f"{both:.2f} s ({both_cpu:.2f} s): {alone / both:.2f} times as fast, "
                f"{workers * alone_cpu / both_cpu:.2f} at most",
                flush=True,
            )
        print(f"median {np.median(ratios):.2f}")


if __name__ == "__main__":
    main()
