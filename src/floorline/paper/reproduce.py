"""Produce a folder of results: points, results.csv, figures, report."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from floorline.boundaries import Boundary
from floorline.core.checks import choice, whole
from floorline.paper import figures
from floorline.paper.budget import draw_budget
from floorline.paper.report import ReportData, report
from floorline.paper.run import ResultRow, collect
from floorline.paper.style import FORMATS
from floorline.paper.sweeps import HORIZON, PARTS, PaperRun, points
from floorline.simulation import DEVICES, start_device
from floorline.simulation.plots import require_matplotlib
from floorline.sweeping.journal import NAME, PointJournal

if TYPE_CHECKING:
    from distributed import Client

RESULTS = "results.csv"
REPORT = "report.html"
MAIN_BOUNDARIES = ("authors", "stitched", "as-printed")

Draw = Callable[[Sequence[ResultRow], Path], None]

FIGURES: dict[str, dict[str, Draw]] = {
    "alpha": {
        "regret-over-alpha": figures.draw_alpha,
        "runs-below-the-floor": figures.draw_breaches,
        "price-of-boundaries": figures.draw_boundaries,
    },
    "horizon": {"regret-over-horizon": figures.draw_horizon},
    "budget": {"budget": lambda rows, folder: draw_budget(folder)},
}
"""The figures of each part of the experiments."""


class Reproduction(NamedTuple):
    """The path of the report, and whether it was already finished."""

    report: Path
    was_finished: bool


def reproduce(
    settings: PaperRun,
    folder: Path,
    parts: Sequence[str] = tuple(PARTS),
    *,
    force: bool = False,
    cluster: Client | None = None,
) -> Reproduction:
    """Run what the folder lacks, write figures and report of what is complete; return its path."""
    _check(settings)
    if force or not (folder / REPORT).exists():  # otherwise there may be nothing to do
        start_device(settings.device)
    require_matplotlib()  # fails now if it is missing, not after the simulations
    try:
        journal = _open(folder, settings, force)
        wanted = [point for part in parts for point in points(settings, part)]
        finished = all(point in journal for point in wanted) and _has_files(folder, parts)
        if not finished:
            collect(wanted, settings, journal, cluster)
            _write(folder, settings, journal, parts)
    except OSError as error:
        path = error.filename or folder
        raise ValueError(f"out: cannot write {path}: {error.strerror}") from None
    return Reproduction(folder / REPORT, finished)


def _check(settings: PaperRun) -> None:
    choice("boundary", settings.boundary, MAIN_BOUNDARIES)
    choice("device", settings.device, DEVICES)
    whole("runs", settings.runs, 2)
    whole("seed", settings.seed, 0)
    Boundary(settings.boundary, 1 / HORIZON)  # warns where it is not proved


def _open(folder: Path, settings: PaperRun, force: bool) -> PointJournal:
    """Return the folder's journal, new or resumed; refuse one of other settings."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    ours = [path, folder / RESULTS, folder / REPORT, *_files(folder, list(PARTS))]
    if force:
        for file in ours:
            file.unlink(missing_ok=True)
    existing = [file.name for file in ours if file.exists()]
    if existing and not path.exists():
        raise ValueError(
            f"out: {folder} has a {existing[0]} of unknown origin (no {NAME}); "
            "use another folder, or --force to replace it"
        )
    return PointJournal(path, settings)


def _files(folder: Path, parts: Sequence[str]) -> list[Path]:
    names = [name for part in parts for name in FIGURES[part]]
    return [folder / f"{name}.{kind}" for name in names for kind in FORMATS]


def _has_files(folder: Path, parts: Sequence[str]) -> bool:
    files = [folder / RESULTS, folder / REPORT, *_files(folder, parts)]
    return all(file.exists() for file in files)


def _write(folder: Path, settings: PaperRun, journal: PointJournal, parts: Sequence[str]) -> None:
    """Write results, figures and, last, the report, whose presence means that all is finished."""
    (folder / REPORT).unlink(missing_ok=True)
    shown = [
        part
        for part in PARTS
        if part in parts or (PARTS[part] and all(p in journal for p in points(settings, part)))
    ]
    done = [point for part in shown for point in points(settings, part)]
    rows = [ResultRow(*values) for values in journal.rows(done)]
    _replace(folder / RESULTS, lambda file: csv.writer(file).writerows([ResultRow._fields, *rows]))
    drawn = {name: draw for part in shown for name, draw in FIGURES[part].items()}
    for draw in drawn.values():
        draw(rows, folder)
    rounds = settings.runs * sum(point.horizon for point in done)
    data = ReportData(settings, rows, list(drawn), len(rows), rounds, journal.seconds(done))
    page = report(data, folder)
    _replace(folder / REPORT, lambda file: file.write(page))


def _replace(path: Path, fill: Callable[..., object]) -> None:
    """Replace a file atomically: readers see the old or the new version, never a part."""
    temporary = path.with_name(path.name + ".part")
    with open(temporary, "w", newline="", encoding="utf-8") as file:
        fill(file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
