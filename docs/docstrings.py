"""How docstrings become pages: a doctest that stands between paragraphs is shown as code."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """Marks doctests as code, which Markdown would take for quotations and links."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Mark the doctests of one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = mark(obj.docstring.value)


def mark(docstring: str) -> str:
    r"""Return the docstring with each doctest in a code block.

    >>> mark("One.\n\n>>> [1]\n[1]\n\nTwo.")
    'One.\n\n```pycon\n>>> [1]\n[1]\n```\n\nTwo.'
    """
    return DOCTEST.sub(lambda found: f"```pycon\n{found[0]}\n```", docstring)
