"""A check of the built site, run by mkdocs: no page loads anything from another host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\b(?:src|srcset|poster)\s*=\s*
        ["']?((?:https?:)?//[^"'\s>]+)
      | <link\b(?![^>]*\brel\s*=\s*["']?(?:canonical|alternate|prev|next)\b)
        [^>]*?\bhref\s*=\s*["']?((?:https?:)?//[^"'\s>]+)
      | (?:url\(\s*|@import\s*)["']?((?:https?:)?//[^"')\s]+)""",
    re.VERBOSE,
)
"""What a browser fetches without a click. Links that a reader follows are not among it."""


def on_post_build(config: dict[str, Any]) -> None:
    """Stop the build if a page would load something from elsewhere."""
    site = Path(config["site_dir"])
    found = [
        f"{file.relative_to(site)}: {address}"
        for file in sorted(site.rglob("*"))
        if file.suffix in (".html", ".css", ".svg")
        for address in loaded_by(file.read_text())
    ]
    if found:
        raise PluginError("the site loads from elsewhere:\n" + "\n".join(found))


def loaded_by(text: str) -> list[str]:
    """Return the addresses of other hosts that a page or style sheet loads.

    >>> loaded_by('<a href="https://a.org">a</a> <img src="b.png"> <link rel="icon" href="c.png">')
    []
    >>> loaded_by('<script async src="https://a.org/b.js">')
    ['https://a.org/b.js']
    >>> loaded_by('<link href="//a.org/b.css" rel="stylesheet">')
    ['//a.org/b.css']
    >>> loaded_by('@font-face { src: url("https://a.org/b.woff2") }')
    ['https://a.org/b.woff2']
    """
    return ["".join(found) for found in LOADS.findall(text)]
