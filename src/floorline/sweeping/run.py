"""Run a sweep in a folder: every cell is saved as soon as it is finished."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from floorline.policies import find_entry
from floorline.policy_setup import Entry
from floorline.simulation import Summary, sweep
from floorline.simulation.plots import require_matplotlib
from floorline.simulation.progress import progress_bar
from floorline.sweeping.figures import draw_instance
from floorline.sweeping.journal import NAME, PointJournal
from floorline.sweeping.plan import Cell, SweepPlan

if TYPE_CHECKING:
    from distributed import Client

RESULTS = "results.csv"
PARQUET = "results.parquet"


@dataclass(frozen=True)
class SameNumbers:
    """Settings that affect every cell's results; a folder has the results of one of these."""

    runs: int
    seed: int
    device: str


class Measured(NamedTuple):
    """The results of a cell."""

    regret: float
    regret_standard_error: float
    breach_rate: float
    lowest_budget: float
    """Mean over the runs of the lowest budget of each."""
    lowest_budget_min: float
    plays: list[float]
    """Mean plays of each arm."""


class Finished(NamedTuple):
    """The contents of a folder at the end."""

    rows: list[dict[str, Any]]
    new_cells: int
    files: list[Path]


def run_sweep(
    plan: SweepPlan,
    folder: Path,
    *,
    find: Callable[[str], Entry] = find_entry,
    threads: int | None = None,
    device: str = "cpu",
    cluster: Client | None = None,
    force: bool = False,
) -> Finished:
    """Simulate the cells that the folder lacks, write results and figures, and return them.

    Cells of an earlier plan with the same runs, seed and device are kept: a grid can grow.

    Args:
        plan: the grid and its instances.
        folder: where all files are written.
        find: returns the entry of a policy by its name.
        threads: how many threads; by default all cores.
        device: `cpu`, `cuda` or `python`.
        cluster: a client of a Dask cluster, as for `simulate`.
        force: whether to start over.
    """
    require_matplotlib()  # fails now if it is missing, not after the simulations
    cells = plan.cells()
    cases = [cell.case(find) for cell in cells]  # all of them, so that errors come first
    folder.mkdir(parents=True, exist_ok=True)
    if force:
        (folder / NAME).unlink(missing_ok=True)
    journal = PointJournal(folder / NAME, SameNumbers(plan.runs, plan.seed, device))
    missing = [i for i, cell in enumerate(cells) if cell not in journal]
    total = sum(int(cases[i].horizon) for i in missing)
    found = sweep(
        [cases[i] for i in missing],
        runs=plan.runs,
        seed=plan.seed,
        threads=threads,
        device=device,
        cluster=cluster,
    )
    with progress_bar("simulating", total) as tick:
        done, start = 0, time.perf_counter()
        for i, summary in zip(missing, found, strict=True):
            now = time.perf_counter()
            journal.add(cells[i], [measured(summary)], now - start)
            start, done = now, done + int(cases[i].horizon)
            tick(done)
    rows = [
        row_of(plan, cell, Measured(*values))
        for cell, values in zip(cells, journal.rows(cells), strict=True)
    ]
    return Finished(rows, len(missing), write_files(plan, rows, folder))


def measured(found: Summary) -> Measured:
    """Return a row's results from a summary."""
    regret, budget = found.main_regret, found.lowest_budget
    return Measured(
        float(regret.mean[-1]),
        float(regret.standard_error[-1]),
        float(found.breach_rate[-1]),
        float(budget.mean[-1]),
        float(budget.min[-1]),
        [float(plays) for plays in found.plays[-1]],
    )


def row_of(plan: SweepPlan, cell: Cell, found: Measured) -> dict[str, Any]:
    """Return a row with every setting, so that it can be told apart from all others."""
    plays = {f"plays_{arm}": count for arm, count in enumerate(found.plays)}
    return {
        "instance": cell.instance.name,
        "means": " ".join(f"{mean:g}" for mean in cell.instance.environment().means),
        "noise": cell.instance.noise,
        "policy": cell.policy,
        **{name: _plain(value) for name, value in asdict(cell.setup()).items()},
        "runs": plan.runs,
        "seed": plan.seed,
        **{name: value for name, value in found._asdict().items() if name != "plays"},
        **plays,
    }


def _plain(value: Any) -> Any:
    return " ".join(f"{part:g}" for part in value) if isinstance(value, tuple) else value


def write_files(plan: SweepPlan, rows: Sequence[dict[str, Any]], folder: Path) -> list[Path]:
    """Write the rows as CSV and, with pyarrow, Parquet; draw each instance; return the files."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with open(folder / RESULTS, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)
    files = [folder / RESULTS]
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        pass
    else:
        columns = {name: [row.get(name) for row in rows] for name in names}
        parquet.write_table(pyarrow.table(columns), folder / PARQUET)
        files.append(folder / PARQUET)
    for instance in plan.instances:
        shown = [row for row in rows if row["instance"] == instance.name]
        files.append(draw_instance(plan.grid, instance.name, shown, folder))
    return files
