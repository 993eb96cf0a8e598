"""Notes and labels that people give a campaign, and its events in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from floorline.core.checks import require
from floorline.core.words import counted

MAX_NOTE = 500
"""Characters of a note."""
MAX_LABELS = 20
MAX_LABEL = 40
"""Characters of a label."""


def checked_note(text: str) -> str:
    """Return a note as it is recorded; raise ValueError unless it is a line of text."""
    fits = isinstance(text, str) and text.isprintable() and 1 <= len(text.strip()) <= MAX_NOTE
    require(fits, "text", f"one line of 1 to {MAX_NOTE} characters", text)
    return text.strip()


def checked_labels(labels: Sequence[str]) -> list[str]:
    """Return labels as they are recorded, each once; raise ValueError if one is not valid."""
    listed = isinstance(labels, (list, tuple)) and len(labels) <= MAX_LABELS
    require(listed, "labels", f"a list of at most {MAX_LABELS}", labels)
    for label in labels:
        fits = isinstance(label, str) and label.isprintable()
        fits = fits and 1 <= len(label.strip()) <= MAX_LABEL
        require(fits, "labels", f"texts of 1 to {MAX_LABEL} characters", label)
    return list(dict.fromkeys(label.strip() for label in labels))


def words_of(kind: str, body: Mapping[str, Any]) -> str:
    """Return what an event did to its campaign, in words.

    >>> words_of("changed", {"finished": True, "serves": "video"})
    'finished: everybody gets video'
    """
    if kind == "noted":
        return _noted(body)
    if kind != "changed":
        return kind
    for state in ("stopped", "finished"):
        if body.get(state):
            serves = body.get("serves")
            return f"{state}: everybody gets {serves}" if serves else state
    if "retired" in body:
        return f"{body['retired']} retired" + (f": {body['why']}" if "why" in body else "")
    if "added" in body:
        return f"{body['added']} added as a challenger"
    if "promoted" in body and "epoch" not in body:
        return f"{body['promoted']} promoted: it is the default from here on"
    if "outage" in body:
        return f"windows stood still for {body['outage']:,.0f} seconds: nothing could be recorded"
    if "set_back" in body:
        return f"the clock was {body['set_back']:,.0f} seconds ahead and was set back"
    changes = {**body}
    epoch = changes.pop("epoch", None)
    default = changes.pop("promoted", None)
    parts = [] if epoch is None else [f"epoch {epoch} started"]
    parts += [] if default is None else [f"with {default} as the default"]
    parts += [f"{name} set to {value}" for name, value in changes.items()]
    return ", ".join(parts)


def _noted(body: Mapping[str, Any]) -> str:
    if "erased" in body:
        return f"request keys and contexts of {counted(body['erased'], 'decision')} erased"
    if "archived" in body:
        return "archived" if body["archived"] else "taken out of the archive"
    if "labels" in body:
        return f"labels: {', '.join(body['labels'])}" if body["labels"] else "labels removed"
    return f"note: {body['text']}"
