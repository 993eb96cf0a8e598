"""Performance ratios that a slower or busier machine hardly changes, recorded from run to run.

    python benchmarks/history.py             measures, appends to history.csv and reports
    python benchmarks/history.py --report    reports what is there
    python benchmarks/history.py --figure F  draws it, too

Each number is CPU time over that of a yardstick in the same run: lower is better. The report
compares the last run with the median of those before it. It is not a test: a deliberate slowdown is
explained in docs/performance.md.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np

from floorline import Gaussian, PolicySetup, make_policy, summarize
from floorline.live import Campaign
from floorline.live.compile_policy import compile_policy
from floorline.live.ledgers.sqlite import INSERTS, SCHEMA
from floorline.simulation.plots import new_figure

HISTORY = Path(__file__).with_name("history.csv")
REGRESSION = 1.1
"""Growth beyond this is reported as a regression."""
BEFORE = 8
"""How many earlier runs the last one is compared with."""
SLICES = 41
ARMS = ["now", "a", "b", "c", "d"]
MEANS = dict(zip(ARMS, (0.5, 0.6, 0.4, 0.4, 0.4), strict=True))
GROUP = 64

Slice = Callable[[], None]


class Row(NamedTuple):
    """One ratio of one run."""

    date: str
    commit: str
    name: str
    ratio: float


def ratio_of(ours: Slice, yardstick: Slice) -> float:
    """Return the median ratio of two CPU times, measured in alternating runs."""
    found = []
    for _ in range(SLICES):
        times = []
        for run in (ours, yardstick):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
        found.append(times[0] / times[1])
    return statistics.median(found)


def python_loop() -> None:
    """Run the yardstick for pure Python: a loop of 10,000 dictionary updates."""
    counts: dict[int, int] = {}
    for i in range(10_000):
        counts[i & 255] = counts.get(i & 255, 0) + i


def live_rounds(floor: str) -> Slice:
    """Return a function that makes 100 decisions and reports their rewards, in memory."""
    campaign = Campaign.open(
        ":memory:", arms=ARMS, max_loss=0.1, seed=1, floor=floor, policy="conservative-ucb"
    )
    compile_policy(campaign.settings, range(len(ARMS)))  # or it would be done in the background
    rng = random.Random(1)

    def run() -> None:
        for _ in range(100):
            ticket = campaign.decide()
            campaign.observe(ticket, float(rng.random() < MEANS[ticket.arm]))

    while campaign.look(lambda state: state.compiled) is None:
        run()
    return run


def durable_groups(folder: Path) -> tuple[Slice, Slice]:
    """Return two functions: 16 durable groups of decisions, and as many rows in bare SQLite."""
    campaign = Campaign.open(
        folder / "campaign",
        arms=ARMS,
        max_loss=0.1,
        seed=1,
        policy="conservative-ucb",
        floor="confidence",
    )
    compile_policy(campaign.settings, range(len(ARMS)))
    bare = apsw.Connection(str(folder / "bare"))
    bare.execute(SCHEMA)
    bare.pragma("journal_mode", "wal")
    bare.pragma("synchronous", "full")
    seqs = iter(range(1, 10**9))

    def ours() -> None:
        for _ in range(16):
            with campaign.transaction():
                for _ in range(GROUP):
                    campaign.decide()

    while campaign.look(lambda state: state.compiled) is None:
        ours()

    def yardstick() -> None:
        body = campaign._ledger.page(campaign.seq - 1)[-1][5]
        for _ in range(16):
            rows = [(next(seqs), 1.7e9, "decided", None, None, body, 1) for _ in range(GROUP)]
            bare.execute("BEGIN IMMEDIATE")
            bare.executemany(INSERTS[1], rows)
            bare.execute("COMMIT")

    return ours, yardstick


def simulated_rounds(name: str, **options: object) -> tuple[Slice, Slice]:
    """Return two functions: four million rounds of a policy, and as many normal draws."""
    settings = {"max_loss": 0.1, "boundary": "authors", "default_mean": 0.5, "delta": 1e-4}
    setup = PolicySetup(n_arms=5, horizon=10_000, **(settings | options))  # type: ignore[arg-type]
    policy, arms = make_policy(name, setup), Gaussian(tuple(MEANS.values()))
    rng, room = np.random.default_rng(1), np.empty(4_000_000)

    def ours() -> None:
        summarize(policy, arms, horizon=10_000, runs=400, max_loss=0.1, threads=1, progress=False)

    ours()  # compiled, or loaded
    return ours, lambda: rng.standard_normal(out=room)


def child_time(*command: str, **environment: str) -> float:
    """Return the CPU time of a Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *command],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def start_up() -> dict[str, float]:
    """Return the CPU time of `--help` and of a first simulation, relative to starting Python."""
    first = ["simulate", "--policy", "conservative-ucb", "--means", "0.5,0.6", "--runs", "32"]
    bare, helps = [], []
    for _ in range(5):
        bare.append(child_time("-c", "pass"))
        helps.append(child_time("-m", "floorline", "--help"))
    with tempfile.TemporaryDirectory() as folder:
        simulates = child_time("-m", "floorline", *first, FLOORLINE_CACHE_DIR=folder)
    python = statistics.median(bare)
    return {
        "floorline --help / python": statistics.median(helps) / python,
        "first floorline simulate / python": simulates / python,
    }


def measured() -> dict[str, float]:
    """Return all ratios of this run, by name."""
    found = {
        f"decide and observe, {floor} / Python loop": ratio_of(live_rounds(floor), python_loop)
        for floor in ("confidence", "joint", "joint-variance")
    }
    with tempfile.TemporaryDirectory() as folder:
        found["durable groups of 64 / SQLite"] = ratio_of(*durable_groups(Path(folder)))
    for name, options in (("conservative-ucb", {}), ("conservative-ucb", {"learned": True})):
        label = f"{name}{', learned' if options else ''} / NumPy draw"
        found[label] = ratio_of(*simulated_rounds(name, **options))
    return found | start_up()


def read() -> list[Row]:
    """Return all stored measurements."""
    if not HISTORY.exists():
        return []
    with open(HISTORY, newline="") as file:
        return [Row(*row[:3], float(row[3])) for row in list(csv.reader(file))[1:]]


def append(found: dict[str, float]) -> None:
    """Store the ratios of this run."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=HISTORY.parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    date = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    new = not HISTORY.exists()
    with open(HISTORY, "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(Row._fields)
        writer.writerows((date, commit, name, f"{ratio:.4g}") for name, ratio in found.items())


def by_name(rows: list[Row]) -> dict[str, list[float]]:
    """Return the ratios by name, oldest first."""
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row.name, []).append(row.ratio)
    return found


def report(rows: list[Row]) -> list[str]:
    """Return a line for each ratio: its last value, the median before, and any regression."""
    lines = ["| | last | before | |", "|---|---:|---:|---|"]
    for name, ratios in by_name(rows).items():
        *earlier, last = ratios
        usual = statistics.median(earlier[-BEFORE:]) if earlier else last
        worse = f"{last / usual - 1:+.0%}" if last > REGRESSION * usual else ""
        lines.append(f"| {name} | {last:.3g} | {usual:.3g} | {worse} |")
    return lines


def draw(rows: list[Row], path: Path) -> None:
    """Draw each ratio relative to its first value."""
    figure, axes = new_figure((8, 4.5))
    for name, ratios in by_name(rows).items():
        axes.plot([ratio / ratios[0] for ratio in ratios], marker="o", label=name)
    axes.axhline(REGRESSION, color="gray", linestyle=":")
    axes.set(xlabel="run", ylabel="processor time over that of the first run", ylim=(0, None))
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", action="store_true", help="measure nothing")
    parser.add_argument("--figure", type=Path, help="where to draw it: a .svg or .png")
    options = parser.parse_args()
    if not options.report:
        append(measured())
    rows = read()
    print("\n".join(report(rows)))
    if options.figure is not None:
        draw(rows, options.figure)


if __name__ == "__main__":
    main()
