"""The HTML elements that reports are made of, whose text is escaped, and times as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape


def section(title: str, content: str, look: str = "") -> str:
    """Return a section with a heading."""
    return f'<section class="{look}"><h2>{escape(title)}</h2>\n{content}</section>'


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> str:
    """Return a table of texts; the last `numbers` columns are numbers."""
    first = len(columns) - numbers

    def row(cells: Sequence[str], tag: str) -> str:
        shown = (
            f"<{tag}{' class=number' if i >= first else ''}>{escape(cell)}</{tag}>"
            for i, cell in enumerate(cells)
        )
        return f"<tr>{''.join(shown)}</tr>"

    body = "\n".join(row(cells, "td") for cells in rows)
    head = row(columns, "th").replace("<th", '<th scope="col"')
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(columns[0])}: table">'
        f"<table><thead>{head}</thead>\n<tbody>{body}</tbody></table></div>"
    )


def legend(entries: Iterable[tuple[str, str, str]]) -> str:
    """Return the legend of a chart: look, name and value of each entry."""
    items = (
        f'<li><i class="{look}"></i>{escape(name)} <b>{escape(value)}</b></li>'
        for look, name, value in entries
    )
    return f'<ul class="legend">{"".join(items)}</ul>\n'


def numbers(entries: Iterable[tuple[str, str, str]]) -> str:
    """Return a list of numbers: name, value and remark of each."""
    items = (
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
        f'<dd class="soft">{escape(remark)}</dd></div>'
        for name, value, remark in entries
    )
    return f'<dl class="numbers">{"".join(items)}</dl>'


def time_of(seconds: float) -> str:
    """Return a time as a date and a time of day.

    >>> time_of(0)
    '1 Jan 1970, 00:00:00'
    """
    when = datetime.fromtimestamp(seconds, UTC)
    return f"{when.day} {when:%b %Y, %H:%M:%S}"
