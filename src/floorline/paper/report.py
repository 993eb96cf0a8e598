"""The report: one self-contained page with the settings, the figures and the verdicts."""

from __future__ import annotations

import base64
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from pathlib import Path

from floorline import __version__
from floorline.paper.authors import ERRORS, AuthorsComparison, Reference, compare
from floorline.paper.claims import claims
from floorline.paper.run import ResultRow
from floorline.paper.style import BOUNDARY_LINES, LINES
from floorline.paper.sweeps import HORIZON, MAX_LOSS, MEANS, PaperRun
from floorline.paper.texts import CAPTIONS, DIFFERENCES, PAGE

MARKS = {"borne out": "good", "not borne out": "bad", "too few runs to tell": "open"}
"""The class of a claim's row, by its verdict."""


@dataclass(frozen=True)
class ReportData:
    """The contents of a report: settings, rows, figures, and the work they took."""

    settings: PaperRun
    rows: Sequence[ResultRow]
    figures: Sequence[str]
    points: int
    rounds: int
    seconds: float


def report(data: ReportData, folder: Path) -> str:
    """Return the whole page as HTML."""
    settings = data.settings
    sections = [_what_was_run(data), _claims(data.rows)]
    sections += [_figure(name, folder) for name in CAPTIONS if name in data.figures]
    sections += [_authors(compare(data.rows), settings), _boundaries(data.rows)]
    sections += [_section("What differs from the paper's text, and why", DIFFERENCES)]
    sections += [_machine(data)]
    return PAGE.format(body="\n".join(section for section in sections if section))


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>\n{body}</section>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], marks: Sequence[str] = ()) -> str:
    """Return an HTML table; `marks` are the classes of its rows."""
    classes = marks or [""] * len(rows)
    cells = [
        f'<tr class="{mark}">' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row, mark in zip(rows, classes, strict=True)
    ]
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(cells)}</tbody></table>"


def _what_was_run(data: ReportData) -> str:
    s = data.settings
    size = "Quick form: fewer runs and points. " if s.quick else ""
    text = (
        f"{size}{data.points:,} points of {s.runs:,} runs each, {data.rounds:,} rounds "
        f"in total, seed {s.seed}, boundary {s.boundary}. Gaussian rewards of scale 1 with means "
        f"{', '.join(map(str, MEANS))}, the default arm's first; delta is 1 / n throughout."
    )
    if not data.points:
        text = "No points of the sweeps, only the picture of one run."
    warning = (
        "The boundary as-printed is not proved for rewards of scale 1: under it the floor is not "
        "guaranteed."
    )
    more = f"<p>{warning}</p>" if s.boundary == "as-printed" else ""
    note = (
        "Means are of the pseudo-regret. Every point has the same seed, so points share "
        "their random numbers as far as their decisions agree; the 95% bands are for each point "
        "by itself. UCB does not depend on alpha: it is simulated once, and its runs "
        "below the floor are counted for every alpha on those same runs, round by round."
    )
    return _section("What was run", f"<p>{escape(text)}</p>{more}<p>{escape(note)}</p>")


def _claims(rows: Sequence[ResultRow]) -> str:
    judged = claims(rows)
    if not judged:
        return ""
    body = _table(
        ("the paper's claim", "verdict", "the numbers", "counts as borne out if"),
        [(c.text, c.verdict, c.evidence, c.test) for c in judged],
        [MARKS[c.verdict] for c in judged],
    )
    return _section("The paper's claims", body)


def _figure(name: str, folder: Path) -> str:
    title, caption = CAPTIONS[name]
    data = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode()
    image = f'<img alt="{escape(title)}" src="data:image/svg+xml;base64,{data}">'
    return _section(title, f"<figure>{image}<figcaption>{caption}</figcaption></figure>")


def _authors(comparisons: Sequence[AuthorsComparison], settings: PaperRun) -> str:
    if not comparisons:
        return ""
    as_programmed = settings.boundary == "authors"
    agreeing = sum(point.agrees for point in comparisons)
    intro = (
        f"{agreeing} of {len(comparisons)} points agree: their means differ by no more than "
        f"{ERRORS} combined standard errors plus one part in 100,000, the rounding of the "
        "authors' numbers."
        if as_programmed
        else f"The authors' program has its own boundary; this report has {settings.boundary}. "
        "So only UCB needs to agree; the others show the price or the gain."
    )
    rows = [
        (
            LINES[point.theirs.policy].label,
            f"{point.theirs.horizon:,}",
            f"{point.theirs.max_loss:g}",
            _pm(point.theirs),
            _pm(point.ours),
            f"{point.ours.mean - point.theirs.mean:+.2f}",
            _in_errors(point),
            "yes" if point.agrees else "no",
        )
        for point in comparisons
    ]
    head = (
        "policy",
        "n",
        "alpha",
        "authors' program",
        "Floorline",
        "difference",
        "in standard errors",
        "agrees",
    )
    marks = ["" if point.agrees or not as_programmed else "bad" for point in comparisons]
    return _section("Against the authors' program", f"<p>{intro}</p>{_table(head, rows, marks)}")


def _pm(row: ResultRow | Reference) -> str:
    return f"{row.mean:,.2f} ± {row.standard_error:.2f}"


def _in_errors(point: AuthorsComparison) -> str:
    difference = point.ours.mean - point.theirs.mean
    return f"{difference / point.error:+.1f}" if point.error > 1e-3 else "no random error"


def _boundaries(rows: Sequence[ResultRow]) -> str:
    shown = [row for row in rows if row.sweep == "boundary" and row.max_loss == MAX_LOSS]
    if not shown:
        return ""
    table = _table(
        ("boundary", "regret of Conservative UCB", "runs below the floor"),
        [
            (
                BOUNDARY_LINES[row.boundary].label,
                f"{row.mean:,.1f} ± {row.standard_error:.1f}",
                f"{row.breach_rate:.2%}",
            )
            for row in shown
        ],
    )
    title = f"The price of each boundary at alpha = {MAX_LOSS:g}, n = {HORIZON:,}"
    return _section(title, table)


def _machine(data: ReportData) -> str:
    packages = ("numpy", "numba", "matplotlib")
    rows = [
        ("processor", f"{_processor()}, {os.cpu_count()} cores"),
        ("system", f"{platform.system()} {platform.release()}, Python {platform.python_version()}"),
        (
            "packages",
            ", ".join(
                [f"floorline {__version__}", *(f"{name} {version(name)}" for name in packages)]
            ),
        ),
        ("device", data.settings.device),
        ("seed", str(data.settings.seed)),
        ("time of all points, compilation included", f"{data.seconds:,.1f} seconds"),
    ]
    return _section("Machine, versions, time", _table(("", ""), rows))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
