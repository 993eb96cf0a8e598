"""What the commands that draw share: matplotlib if it is there, and saving."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def pyplot() -> ModuleType:
    """matplotlib.pyplot, drawing to files; ValueError in one line where it is missing."""
    try:
        import matplotlib
    except ImportError:
        raise ValueError("figures need matplotlib: pip install 'floorline[figures]'") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def tidy(*axes: Axes) -> None:
    """Take away the lines that no one reads, and add a faint grid."""
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
        one.grid(alpha=0.25)


def save(figure: Figure, path: Path) -> Path:
    """Write the figure, making its folder; ValueError in one line if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    except OSError as error:
        raise ValueError(f"out: cannot write {path}: {error.strerror}") from None
    return path
