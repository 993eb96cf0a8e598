"""Reordering of per-arm values: for each arm its previous index, or None if it is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Order = Sequence[int | None]


def reorder(values: list[Any], order: Order, fresh: Any) -> None:
    """Reorder per-arm values in place; a new arm gets the value `fresh`."""
    values[:] = [fresh if place is None else values[place] for place in order]
