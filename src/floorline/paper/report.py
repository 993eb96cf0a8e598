"""The report: one page that needs nothing else, with what was run, the figures and the verdicts."""

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
from floorline.paper.words import CAPTIONS, DIFFERENCES, PAGE

MARKS = {"borne out": "good", "not borne out": "bad", "too few runs to tell": "open"}
"""How the row of a claim is marked, by its verdict."""


@dataclass(frozen=True)
class Account:
    """What the report tells of: settings, rows, figures, and the work that they took."""

    settings: PaperRun
    rows: Sequence[ResultRow]
    figures: Sequence[str]
    points: int
    rounds: int
    seconds: float


def report(account: Account, folder: Path) -> str:
    """The whole page as HTML."""
    settings = account.settings
    sections = [_what_was_run(account), _claims(account.rows)]
    sections += [_figure(name, folder) for name in CAPTIONS if name in account.figures]
    sections += [_authors(compare(account.rows), settings), _boundaries(account.rows)]
    sections += [_section("What differs from the paper's text, and why", DIFFERENCES)]
    sections += [_machine(account)]
    return PAGE.format(body="\n".join(section for section in sections if section))


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>\n{body}</section>"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], marks: Sequence[str] = ()) -> str:
    """A table; `marks` are the classes of its rows."""
    classes = marks or [""] * len(rows)
    cells = [
        f'<tr class="{mark}">' + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row, mark in zip(rows, classes, strict=True)
    ]
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(cells)}</tbody></table>"


def _what_was_run(account: Account) -> str:
    s = account.settings
    size = "Quick form: fewer runs and points. " if s.quick else ""
    text = (
        f"{size}{account.points:,} points of {s.runs:,} runs each, {account.rounds:,} rounds "
        f"in all, seed {s.seed}, boundary {s.boundary}. Gaussian rewards of scale 1 with means "
        f"{', '.join(map(str, MEANS))}, the default arm's first; delta is 1 / n throughout."
    )
    if not account.points:
        text = "No points of the sweeps, only the picture of one run."
    warning = (
        "The boundary as-printed is not proved for rewards of scale 1: under it nothing "
        "guarantees the floor."
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
    found = claims(rows)
    if not found:
        return ""
    body = _table(
        ("the paper's claim", "verdict", "the numbers", "counts as borne out if"),
        [(c.text, c.verdict, c.evidence, c.test) for c in found],
        [MARKS[c.verdict] for c in found],
    )
    return _section("The paper's claims", body)


def _figure(name: str, folder: Path) -> str:
    title, caption = CAPTIONS[name]
    data = base64.b64encode((folder / f"{name}.svg").read_bytes()).decode()
    image = f'<img alt="{escape(title)}" src="data:image/svg+xml;base64,{data}">'
    return _section(title, f"<figure>{image}<figcaption>{caption}</figcaption></figure>")


def _authors(found: Sequence[AuthorsComparison], settings: PaperRun) -> str:
    if not found:
        return ""
    as_programmed = settings.boundary == "authors"
    agreeing = sum(one.agrees for one in found)
    intro = (
        f"{agreeing} of {len(found)} points agree: their means differ by no more than {ERRORS} "
        "combined standard errors plus one part in 100,000, to which the authors' are rounded."
        if as_programmed
        else f"The authors' program has its own boundary; this report has {settings.boundary}. "
        "So only UCB need agree, and the others show the price or the gain."
    )
    rows = [
        (
            LINES[one.theirs.policy].label,
            f"{one.theirs.horizon:,}",
            f"{one.theirs.max_loss:g}",
            _pm(one.theirs),
            _pm(one.ours),
            f"{one.ours.mean - one.theirs.mean:+.2f}",
            _in_errors(one),
            "yes" if one.agrees else "no",
        )
        for one in found
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
    marks = ["" if one.agrees or not as_programmed else "bad" for one in found]
    return _section("Against the authors' program", f"<p>{intro}</p>{_table(head, rows, marks)}")


def _pm(row: ResultRow | Reference) -> str:
    return f"{row.mean:,.2f} ± {row.standard_error:.2f}"


def _in_errors(one: AuthorsComparison) -> str:
    difference = one.ours.mean - one.theirs.mean
    return f"{difference / one.error:+.1f}" if one.error > 1e-3 else "no chance in it"


def _boundaries(rows: Sequence[ResultRow]) -> str:
    found = [row for row in rows if row.sweep == "boundary" and row.max_loss == MAX_LOSS]
    if not found:
        return ""
    table = _table(
        ("boundary", "regret of Conservative UCB", "runs below the floor"),
        [
            (
                BOUNDARY_LINES[row.boundary].label,
                f"{row.mean:,.1f} ± {row.standard_error:.1f}",
                f"{row.breach_rate:.2%}",
            )
            for row in found
        ],
    )
    title = f"The price of each boundary at alpha = {MAX_LOSS:g}, n = {HORIZON:,}"
    return _section(title, table)


def _machine(account: Account) -> str:
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
        ("device", account.settings.device),
        ("seed", str(account.settings.seed)),
        ("time of all points, compilation included", f"{account.seconds:,.1f} seconds"),
    ]
    return _section("Machine, versions, time", _table(("", ""), rows))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()
