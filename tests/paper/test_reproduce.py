"""A folder from start to end, on a small copy of the sweeps."""

import csv
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from floorline.paper import reproduce as module
from floorline.paper import run, style, sweeps
from floorline.paper.reproduce import reproduce
from floorline.paper.run import ResultRow
from floorline.paper.sweeps import PaperRun

SMALL = PaperRun(runs=32)
FIGURES = [
    "budget.svg",
    "price-of-boundaries.svg",
    "regret-over-alpha.svg",
    "regret-over-horizon.svg",
    "runs-below-the-floor.svg",
]


@pytest.fixture(autouse=True)
def small_sweeps(monkeypatch):
    parts = {
        part: tuple(
            replace(
                sweep,
                max_losses=tuple(m for m in sweep.max_losses if m in (0.0, 0.1, 0.3, 1.0)),
                horizons=(300, 500),
                boundaries=sweep.boundaries[:2],
            )
            for sweep in kept
        )
        for part, kept in sweeps.PARTS.items()
    }
    monkeypatch.setattr(sweeps, "PARTS", parts)
    monkeypatch.setattr(module, "PARTS", parts)
    monkeypatch.setattr(module, "FORMATS", ("svg",))
    monkeypatch.setattr(style, "FORMATS", ("svg",))


@pytest.fixture
def calls(monkeypatch):
    """The points that are simulated."""
    seen = []
    produce = run.produce

    def watched(points, settings, cluster=None):
        for point, rows in zip(points, produce(points, settings), strict=True):
            seen.append(point)
            yield rows

    monkeypatch.setattr(run, "produce", watched)
    return seen


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_folder_has_results_figures_and_report(tmp_path):
    found = reproduce(SMALL, tmp_path / "new" / "folder")
    assert found.report.parent == tmp_path / "new" / "folder"
    assert not found.was_finished
    expected = sorted([*FIGURES, "points.jsonl", "report.html", "results.csv"])
    assert list(contents(found.report.parent)) == expected
    with open(found.report.parent / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(ResultRow._fields)
    assert {row["sweep"] for row in rows} == {"alpha", "boundary", "horizon", "fallback"}
    assert len({tuple(row.values())[:5] for row in rows}) == len(rows)


def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(tmp_path, calls, monkeypatch):
    reproduce(SMALL, tmp_path / "whole")
    everything = list(calls)
    counted = run.produce

    def interrupted(points, settings, cluster=None):
        yield from counted(points[:7], settings)
        raise KeyboardInterrupt

    calls.clear()
    monkeypatch.setattr(run, "produce", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce(SMALL, tmp_path / "parts")
    assert not (tmp_path / "parts" / "results.csv").exists()
    monkeypatch.setattr(run, "produce", counted)
    reproduce(SMALL, tmp_path / "parts")
    assert calls == everything  # none was run twice
    whole, parts = contents(tmp_path / "whole"), contents(tmp_path / "parts")
    for name in set(whole) - {"points.jsonl", "report.html"}:  # these tell the time it took
        assert whole[name] == parts[name], name


def test_a_finished_folder_is_not_run_again_but_force_does(tmp_path, calls):
    reproduce(SMALL, tmp_path)
    points = len(calls)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert reproduce(SMALL, tmp_path).was_finished
    assert len(calls) == points
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before
    assert not reproduce(SMALL, tmp_path, force=True).was_finished
    assert len(calls) == 2 * points


def test_a_lost_figure_or_report_is_drawn_again_without_simulating(tmp_path, calls):
    reproduce(SMALL, tmp_path)
    before, points = contents(tmp_path), len(calls)
    (tmp_path / "budget.svg").unlink()
    (tmp_path / "report.html").unlink()
    assert not reproduce(SMALL, tmp_path).was_finished
    assert contents(tmp_path) == before
    assert len(calls) == points


def test_another_seed_gives_other_numbers(tmp_path):
    reproduce(SMALL, tmp_path / "one", ["horizon"])
    reproduce(replace(SMALL, seed=2), tmp_path / "two", ["horizon"])
    one, two = ((tmp_path / name / "results.csv").read_text() for name in ("one", "two"))
    assert one != two


def test_parts_are_put_together_in_one_folder(tmp_path, calls):
    folder = tmp_path / "parts"
    reproduce(SMALL, folder, ["budget"])
    assert not calls
    assert "budget.svg" in contents(folder)
    reproduce(SMALL, folder, ["alpha"])
    assert {point.sweep for point in calls} == {"alpha", "boundary"}
    assert "regret-over-horizon.svg" not in contents(folder)
    reproduce(SMALL, folder)
    assert len(calls) == len(set(calls))
    reproduce(SMALL, tmp_path / "at once")
    assert contents(folder)["results.csv"] == contents(tmp_path / "at once")["results.csv"]


@pytest.mark.parametrize("change", [{"runs": 33}, {"seed": 2}, {"boundary": "stitched"}])
def test_other_settings_are_refused_and_nothing_is_touched(tmp_path, change):
    reproduce(SMALL, tmp_path, ["budget"])
    before = contents(tmp_path)
    with pytest.raises(ValueError, match="holds results of other settings"):
        reproduce(replace(SMALL, **change), tmp_path, ["budget"])
    assert contents(tmp_path) == before
    reproduce(replace(SMALL, **change), tmp_path, ["budget"], force=True)


def test_files_of_unknown_origin_are_not_overwritten(tmp_path):
    (tmp_path / "results.csv").write_text("mine")
    with pytest.raises(ValueError, match=r"^out: .* has a results.csv of unknown origin"):
        reproduce(SMALL, tmp_path, ["budget"])
    assert contents(tmp_path) == {"results.csv": b"mine"}


def test_force_leaves_other_files_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    reproduce(SMALL, tmp_path, ["budget"], force=True)
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("inside", ["", "below"])
def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path, inside):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(ValueError, match=r"^out: cannot write .*taken.*: [A-Z]"):
        reproduce(SMALL, tmp_path / "taken" / inside, ["budget"])


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"runs": 1}, "runs"),
        ({"seed": -1}, "seed"),
        ({"boundary": "wide"}, "boundary"),
        ({"device": "abacus"}, "device"),
    ],
)
def test_bad_settings_leave_no_folder_behind(tmp_path, change, word):
    with pytest.raises(ValueError, match=f"^{word}: must be"):
        reproduce(replace(SMALL, **change), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_boundary_that_is_not_proved_is_warned_of(tmp_path):
    with pytest.warns(UserWarning, match="as-printed"):
        reproduce(replace(SMALL, boundary="as-printed"), tmp_path, ["budget"])
    assert "under it the floor is not guaranteed" in re.sub(
        r"\s+", " ", (tmp_path / "report.html").read_text()
    )


INTERRUPTED = """
import signal
from floorline.cli.main import main
from floorline.sweeping.journal import PointJournal

add, saved = PointJournal.add, []

def add_and_interrupt(*line):
    add(*line)
    saved.append(line)
    if len(saved) == 5:
        signal.raise_signal(signal.SIGINT)

PointJournal.add = add_and_interrupt
main()
"""
"""The program, which gets Ctrl-C's signal when it has saved five points."""


def test_ctrl_c_is_clean_and_the_same_command_goes_on(tmp_path, hear_ctrl_c):
    program = Path(sys.executable).with_name("floorline")
    words = ["paper", "--quick", "--runs", "64", "--only", "horizon", "--out"]
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    job = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words, stopped],
        preexec_fn=hear_ctrl_c,
        capture_output=True,
        text=True,
    )
    assert job.returncode == 130
    assert "the same command resumes from there" in job.stderr
    assert "Traceback" not in job.stderr
    journal = stopped / "points.jsonl"
    saved = journal.read_text()
    assert saved.count("\n") == 1 + 5  # the settings come first
    for folder in (stopped, whole):
        subprocess.run([program, *words, folder], check=True, capture_output=True)
    assert journal.read_text().startswith(saved)
    both = [(folder / "results.csv").read_text() for folder in (stopped, whole)]
    assert both[0] == both[1]
