"""Tables that people read: text in a terminal, HTML in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple


class Table(NamedTuple):
    """A title, column heads and rows; the first column is text, the others are numbers."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """Return the table as lines of text.

        >>> print(Table("Two", ("arm", "mean"), [("now", "0.5"), ("video", "0.25")]).text())
        Two
        arm    mean
        now     0.5
        video  0.25
        """
        lines = [tuple(self.heads), *map(tuple, self.rows)]
        widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
        aligned = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for number, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *aligned])

    def html(self) -> str:
        """Return the table as HTML, with all text escaped."""
        heads = "".join(f"<th>{escape(head)}</th>" for head in self.heads)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self.rows
        )
        title = escape(self.title).replace("\n", "<br>")
        return (
            f"<table><caption>{title}</caption><thead><tr>{heads}</tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


class Displayed:
    """An object that is displayed as a table."""

    def _table(self) -> Table:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()
