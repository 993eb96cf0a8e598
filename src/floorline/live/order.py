"""Another order of the arms: for each, where it was before, or None if it is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Order = Sequence[int | None]


def reorder(values: list[Any], order: Order, fresh: Any) -> None:
    """Put the values of the arms into another order, in place; a new arm has the fresh one."""
    values[:] = [fresh if place is None else values[place] for place in order]
