"""JSON on standard output, valid whatever the numbers are."""

from __future__ import annotations

import json
import math
from typing import Any

import typer


def print_json(answer: Any) -> None:
    """Print an answer as one line of JSON."""
    typer.echo(json.dumps(finite(answer), allow_nan=False))


def finite(value: Any) -> Any:
    """Return a copy of `value` with None for every NaN and infinity, which JSON cannot express.

    >>> finite({"mean": math.nan, "ends": (0.5, math.inf)})
    {'mean': None, 'ends': [0.5, None]}
    """
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
