"""One folder from start to end: points, results.csv, figures, report."""

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
from floorline.paper.report import Account, report
from floorline.paper.run import ResultRow, collect
from floorline.paper.style import FORMATS, pyplot
from floorline.paper.sweeps import HORIZON, PARTS, PaperRun, points
from floorline.simulation import DEVICES, start_device
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
    """Where the report is, and whether there was nothing left to do."""

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
    """Run what is missing in the folder, then draw and report all that is complete in it."""
    _check(settings)
    if force or not (folder / REPORT).exists():  # else perhaps nothing is left to do
        start_device(settings.device)
    pyplot()  # better to miss either now than after the simulations
    try:
        journal = _open(folder, settings, force)
        wanted = [point for part in parts for point in points(settings, part)]
        finished = all(point in journal for point in wanted) and _has_files(folder, parts)
        if not finished:
            collect(wanted, settings, journal, cluster)
            _write(folder, settings, journal, parts)
    except OSError as error:
        where = error.filename or folder
        raise ValueError(f"out: cannot write {where}: {error.strerror}") from None
    return Reproduction(folder / REPORT, finished)


def _check(settings: PaperRun) -> None:
    choice("boundary", settings.boundary, MAIN_BOUNDARIES)
    choice("device", settings.device, DEVICES)
    whole("runs", settings.runs, 2)
    whole("seed", settings.seed, 0)
    Boundary(settings.boundary, 1 / HORIZON)  # warns where it is not proved


def _open(folder: Path, settings: PaperRun, force: bool) -> PointJournal:
    """The folder's journal, new or to go on with; what other settings left is not touched."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    ours = [path, folder / RESULTS, folder / REPORT, *_files(folder, list(PARTS))]
    if force:
        for file in ours:
            file.unlink(missing_ok=True)
    strays = [file.name for file in ours if file.exists()]
    if strays and not path.exists():
        raise ValueError(
            f"out: {folder} has a {strays[0]} of unknown origin (no {NAME}); "
            "take another folder, or --force to replace it"
        )
    return PointJournal(path, settings)


def _files(folder: Path, parts: Sequence[str]) -> list[Path]:
    names = [name for part in parts for name in FIGURES[part]]
    return [folder / f"{name}.{kind}" for name in names for kind in FORMATS]


def _has_files(folder: Path, parts: Sequence[str]) -> bool:
    files = [folder / RESULTS, folder / REPORT, *_files(folder, parts)]
    return all(file.exists() for file in files)


def _write(folder: Path, settings: PaperRun, journal: PointJournal, parts: Sequence[str]) -> None:
    """Write results, figures and, last, the report: while it is missing nothing is finished."""
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
    account = Account(settings, rows, list(drawn), len(rows), rounds, journal.seconds(done))
    page = report(account, folder)
    _replace(folder / REPORT, lambda file: file.write(page))


def _replace(path: Path, fill: Callable[..., object]) -> None:
    """Write a file so that at every moment it is there as a whole, or not at all."""
    unfinished = path.with_name(path.name + ".part")
    with open(unfinished, "w", newline="", encoding="utf-8") as file:
        fill(file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
