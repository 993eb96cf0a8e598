"""Many settings in one launch: their records are in a few arrays, and each thread picks its own.

Records are named tuples of numbers, one-dimensional arrays and further records. Those of all
settings of a launch have the same form, and the picking kernel is generated from that form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import Function, kernel, slot
from floorline.core.records import Counts, Floats

NUMBERS = {
    float: "floats",
    np.float64: "floats",
    int: "wholes",
    np.int64: "wholes",
    bool: "wholes",
    np.bool_: "wholes",
}
ARRAYS = {np.dtype(np.float64): "float_arrays", np.dtype(np.int64): "whole_arrays"}
"""The field of `Packed` for each type of part."""


class Packed(NamedTuple):
    """The records of many settings, each a row of numbers and of bounds."""

    floats: Floats
    wholes: Counts
    float_bounds: Counts
    """For each array of a record: where it begins and ends in the concatenation."""
    whole_bounds: Counts
    float_arrays: Floats
    """All arrays, concatenated."""
    whole_arrays: Counts


@slot
def pick(packed: Any, at: int) -> Any:
    """Return the records of setting number `at`."""
    raise NotImplementedError


@kernel
def the_only_one(records: Any, at: int) -> Any:
    """Return the records themselves, where there is only one setting."""
    return records


def packable(records: tuple[Any, ...]) -> bool:
    """Return whether every part of the records keeps its type when packed."""
    return all(_field(part) for part in _parts(records))


def pack(settings: Sequence[tuple[Any, ...]]) -> Packed:
    """Return the records of all settings; an array that several of them share is stored once."""
    parts = [list(_parts(records)) for records in settings]
    float_bounds, float_arrays = _concatenated(parts, "float_arrays", np.float64)
    whole_bounds, whole_arrays = _concatenated(parts, "whole_arrays", np.int64)
    return Packed(
        floats=_rows([[part for part in row if _field(part) == "floats"] for row in parts]),
        wholes=_rows([[part for part in row if _field(part) == "wholes"] for row in parts], int),
        float_bounds=float_bounds,
        whole_bounds=whole_bounds,
        float_arrays=float_arrays,
        whole_arrays=whole_arrays,
    )


def _rows(rows: list[list[Any]], dtype: Any = float) -> Any:
    return np.array(rows, dtype).reshape(len(rows), -1)


def _concatenated(parts: list[list[Any]], field: str, dtype: Any) -> tuple[Counts, Any]:
    """Return the bounds of all arrays of one field, and the concatenated arrays."""
    starts: dict[int, int] = {}
    arrays, size = [np.zeros(0, dtype)], 0
    bounds: list[list[int]] = []
    for row in parts:
        bounds.append([])
        for array in (part for part in row if _field(part) == field):
            if id(array) not in starts:
                starts[id(array)] = size
                arrays.append(array)
                size += array.size
            start = starts[id(array)]
            bounds[-1] += [start, start + array.size]
    return _rows(bounds, int), np.concatenate(arrays)


def picker(records: tuple[Any, ...]) -> Function:
    """Return the kernel for `pick` for records of the form of these."""
    types: list[type] = []
    used = dict.fromkeys(Packed._fields, 0)

    def expression(part: Any) -> str:
        if not isinstance(part, tuple):
            field = _field(part)
            i = used[field]
            used[field] += 1
            if field.endswith("_arrays"):
                bounds = "packed." + field.replace("arrays", "bounds")
                return f"packed.{field}[{bounds}[at, {2 * i}]:{bounds}[at, {2 * i + 1}]]"
            return f"packed.{field}[at, {i}]" + " != 0" * isinstance(part, (bool, np.bool_))
        inner = "".join(expression(item) + ", " for item in part)
        if type(part) is tuple:
            return f"({inner})"
        types.append(type(part))
        return f"Type{len(types) - 1}({inner})"

    return _generated(expression(records), tuple(types))


@lru_cache(maxsize=256)
def _generated(expression: str, types: tuple[type, ...]) -> Function:
    """Return a kernel that returns the expression; the same kernel for the same expression."""
    names: dict[str, Any] = {f"Type{i}": kind for i, kind in enumerate(types)}
    names["__name__"] = __name__
    # docs/decisions/0020-generated-picker.md
    exec(f"def picked(packed, at):\n    return {expression}\n", names)
    return kernel(names["picked"])


def _parts(record: Any) -> Iterator[Any]:
    """Yield the numbers and arrays of a record, in order."""
    if isinstance(record, tuple):
        for part in record:
            yield from _parts(part)
    else:
        yield record


def _field(part: Any) -> str:
    """Return the field of `Packed` for this number or array; "" if its type would change."""
    if isinstance(part, np.ndarray):
        return ARRAYS.get(part.dtype, "") if part.ndim == 1 else ""
    return NUMBERS.get(type(part), "")
