"""The style of figures: colours safe for colour-blind readers, and dashes for print in grey."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from floorline.paper.sweeps import BUDGET_FIRST, CONSERVATIVE, LEARNED, MOSS, UCB

FORMATS = ("png", "svg", "pdf")


class Line(NamedTuple):
    """A curve: its name in the legend, and its style (colours of Okabe and Ito)."""

    label: str
    colour: str
    dashes: str
    marker: str

    @property
    def plot_options(self) -> dict[str, Any]:
        """The style as arguments of `plot`, without the marker."""
        return {"label": self.label, "color": self.colour, "linestyle": self.dashes, "lw": 2}


LINES = {
    UCB: Line("UCB", "#d55e00", ":", "o"),
    CONSERVATIVE: Line("Conservative UCB", "#009e73", "-", "s"),
    LEARNED: Line("Conservative UCB, default mean learned", "#0072b2", "--", "D"),
    BUDGET_FIRST: Line("BudgetFirst", "#000000", "-", "^"),
    MOSS: Line("Unbalanced MOSS", "#56b4e9", "-.", "v"),
}

BOUNDARY_LINES = {
    "as-printed": Line("as-printed (not proved)", "#d55e00", ":", "o"),
    "stitched": Line("stitched", "#0072b2", "--", "D"),
    "authors": Line("authors", "#009e73", "-", "s"),
    "union": Line("union (not proved)", "#56b4e9", "-.", "v"),
    "union-proved": Line("union-proved", "#000000", "-", "^"),
}


def legend(target: Any, **options: Any) -> None:
    """Add a legend, with lines long enough to show their dashes, to a figure or axes."""
    target.legend(frameon=False, handlelength=4, **options)


def save(figure: Any, folder: Path, name: str, formats: Sequence[str] = ()) -> None:
    """Write a figure in each format, or in all, without a date: same results, same files."""
    from matplotlib import rc_context

    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": name, "pdf.fonttype": 42}):
        for kind in formats or FORMATS:
            figure.savefig(folder / f"{name}.{kind}", dpi=200, metadata=dates[kind])
            figure.set_layout_engine(None)  # keep this layout for the other formats
