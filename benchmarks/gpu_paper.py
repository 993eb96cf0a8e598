"""On a machine with a GPU: how long the paper's simulation takes in a new process.

    python benchmarks/gpu_paper.py [--timeline]

Prints the seconds of the simulation of `floorline paper --device cuda`, first and again in the same
process, and a hash of all its results. Compiled code is on disk from the second process on. With
`--timeline`, also every program that is launched on the GPU: when, how long the launch took on the
host, and when it ended; and for how long the GPU had nothing to do.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import tempfile
import time
from pathlib import Path
from typing import Any

from floorline.paper.run import collect
from floorline.paper.sweeps import PARTS, PaperRun, points
from floorline.simulation import start_device
from floorline.sweeping.journal import PointJournal


class Timeline:
    """The programs that were started on the GPU."""

    def __init__(self) -> None:
        from numba import cuda

        from floorline.simulation.engines.cuda.program import Program

        self._start, self._cuda = Program.start, cuda
        self._zero, self._began = cuda.event(), 0.0
        self._started: list[tuple[float, float, int, Any]] = []

        def start(program: Any, blocks: int, threads: int, stream: Any, *arguments: Any) -> None:
            at = time.perf_counter()
            self._start(program, blocks, threads, stream, *arguments)
            ended = cuda.event()
            ended.record(stream)
            took = time.perf_counter() - at
            self._started.append((at - self._began, took, blocks * threads, ended))

        Program.start = start  # type: ignore[method-assign]

    def begin(self) -> None:
        """Start the clock."""
        self._zero.record()
        self._zero.synchronize()
        self._began = time.perf_counter()
        self._started.clear()

    def show(self) -> None:
        """Print what was launched since then."""
        busy_until = idle = 0.0
        for at, took, threads, ended in self._started:
            end = self._cuda.event_elapsed_time(self._zero, ended) / 1000
            if at > busy_until:
                idle += at - busy_until
                print(f"  nothing to do from {busy_until:.3f} to {at:.3f}")
            busy_until = max(busy_until, end)
            print(f"  {threads:8,} threads started at {at:.3f} in {took:.3f}, ended at {end:.3f}")
        print(f"  nothing to do for {idle:.3f} seconds, last end at {busy_until:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timeline", action="store_true", help="show what ran on the GPU")
    wants_timeline = parser.parse_args().timeline
    settings = PaperRun(device="cuda")
    gc.set_threshold(100_000)  # this and the next lines as in the command
    start_device("cuda")
    import matplotlib.pyplot  # noqa: F401 (while the GPU starts)

    timeline = Timeline() if wants_timeline else None
    wanted = [point for part in PARTS for point in points(settings, part)]
    for name in ("first", "again"):
        with tempfile.TemporaryDirectory() as folder:
            journal = PointJournal(Path(folder) / "points.jsonl", settings)
            if timeline:
                timeline.begin()
            start = time.perf_counter()
            collect(wanted, settings, journal)
            seconds = time.perf_counter() - start
            digest = hashlib.sha256(repr(journal.rows(wanted)).encode()).hexdigest()[:16]
        print(f"{name}: {seconds:.3f} seconds, results {digest}", flush=True)
        if timeline:
            timeline.show()


if __name__ == "__main__":
    main()
