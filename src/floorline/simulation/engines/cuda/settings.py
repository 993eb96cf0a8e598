"""Many settings in one launch: their records lie in a few arrays, and each thread picks its own.

Records are named tuples of numbers, one-dimensional arrays and further records. Those of all
settings of a launch have the same form, and the kernel that picks is written from that form.
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
"""The field of `Packed` for each kind of part."""


class Packed(NamedTuple):
    """The records of many settings, each a row of numbers and of bounds."""

    floats: Floats
    wholes: Counts
    float_bounds: Counts
    """For each array of a record: where it begins and ends in all of them."""
    whole_bounds: Counts
    float_arrays: Floats
    """All arrays end to end."""
    whole_arrays: Counts


@slot
def pick(packed: Any, at: int) -> Any:
    """The records of setting number `at`."""
    raise NotImplementedError


@kernel
def the_only_one(records: Any, at: int) -> Any:
    """The records themselves, where there is one setting and nothing to pick."""
    return records


def packable(records: tuple[Any, ...]) -> bool:
    """Whether records hold nothing but what keeps its type when packed."""
    return all(_place(part) for part in _parts(records))


def pack(settings: Sequence[tuple[Any, ...]]) -> Packed:
    """The records of all settings; an array that several of them share is there once."""
    parts = [list(_parts(records)) for records in settings]
    float_bounds, float_arrays = _end_to_end(parts, "float_arrays", np.float64)
    whole_bounds, whole_arrays = _end_to_end(parts, "whole_arrays", np.int64)
    return Packed(
        floats=_rows([[part for part in row if _place(part) == "floats"] for row in parts]),
        wholes=_rows([[part for part in row if _place(part) == "wholes"] for row in parts], int),
        float_bounds=float_bounds,
        whole_bounds=whole_bounds,
        float_arrays=float_arrays,
        whole_arrays=whole_arrays,
    )


def _rows(rows: list[list[Any]], dtype: Any = float) -> Any:
    return np.array(rows, dtype).reshape(len(rows), -1)


def _end_to_end(parts: list[list[Any]], place: str, dtype: Any) -> tuple[Counts, Any]:
    """The bounds of all arrays of a place, and the arrays."""
    starts: dict[int, int] = {}
    arrays, size = [np.zeros(0, dtype)], 0
    bounds: list[list[int]] = []
    for row in parts:
        bounds.append([])
        for array in (part for part in row if _place(part) == place):
            if id(array) not in starts:
                starts[id(array)] = size
                arrays.append(array)
                size += array.size
            start = starts[id(array)]
            bounds[-1] += [start, start + array.size]
    return _rows(bounds, int), np.concatenate(arrays)


def picker(records: tuple[Any, ...]) -> Function:
    """The kernel for `pick` where records have the form of these."""
    types: list[type] = []
    taken = dict.fromkeys(Packed._fields, 0)

    def words(part: Any) -> str:
        if not isinstance(part, tuple):
            place = _place(part)
            i = taken[place]
            taken[place] += 1
            if place.endswith("_arrays"):
                bounds = "packed." + place.replace("arrays", "bounds")
                return f"packed.{place}[{bounds}[at, {2 * i}]:{bounds}[at, {2 * i + 1}]]"
            return f"packed.{place}[at, {i}]" + " != 0" * isinstance(part, (bool, np.bool_))
        inner = "".join(words(one) + ", " for one in part)
        if type(part) is tuple:
            return f"({inner})"
        types.append(type(part))
        return f"Type{len(types) - 1}({inner})"

    return _written(words(records), tuple(types))


@lru_cache(maxsize=256)
def _written(words: str, types: tuple[type, ...]) -> Function:
    """A kernel that gives back what the words say: the same one for the same words."""
    names: dict[str, Any] = {f"Type{i}": one for i, one in enumerate(types)}
    names["__name__"] = __name__
    # docs/decisions/0020-generated-picker.md
    exec(f"def picked(packed, at):\n    return {words}\n", names)
    return kernel(names["picked"])


def _parts(record: Any) -> Iterator[Any]:
    """The numbers and arrays of a record, in order."""
    if isinstance(record, tuple):
        for part in record:
            yield from _parts(part)
    else:
        yield record


def _place(part: Any) -> str:
    """The field of `Packed` where this number or array lies; none if it would change its type."""
    if isinstance(part, np.ndarray):
        return ARRAYS.get(part.dtype, "") if part.ndim == 1 else ""
    return NUMBERS.get(type(part), "")
