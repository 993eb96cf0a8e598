"""Records taken apart into a few arrays, from which compiled code picks them again.

Records are named tuples of numbers, one-dimensional arrays and further records. A GPU gets those of
many settings in one launch, all of the same form, and each thread picks its own; machine code of
live campaigns gets those of its campaign. The picking kernel is generated from the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from floorline.core.kernel import Function, kernel, slot
from floorline.core.records import Counts, Floats

NUMBERS: dict[type, str] = {
    float: "floats",
    np.float64: "floats",
    int: "wholes",
    np.int64: "wholes",
    bool: "bools",
    np.bool_: "bools",
}
ARRAYS = {np.dtype(np.float64): "float_arrays", np.dtype(np.int64): "whole_arrays"}
"""The kind of each type of part; booleans are packed as integers."""

OTHER = "other"
"""A part whose type would change when packed."""

SHORT_ARRAY = 64
"""The longest array, in numbers, that is compared by value; longer ones by identity."""


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


class Parts(NamedTuple):
    """The records of one setting, taken apart."""

    form: Any
    """The type of every record with the forms of its parts; of a number or array, what it is."""
    floats: list[float]
    wholes: list[int]
    float_arrays: list[Floats]
    whole_arrays: list[Counts]
    packable: bool
    """Whether every part keeps its type when packed."""

    def content(self) -> tuple[object, ...]:
        """Return a key that settings have in common only if all their numbers are the same.

        A long array counts as the same only if it is the same object.
        """
        arrays = [*self.float_arrays, *self.whole_arrays]
        return (
            np.array(self.floats).tobytes(),
            tuple(self.wholes),
            *(array.tobytes() if array.size <= SHORT_ARRAY else id(array) for array in arrays),
        )


@slot
def pick(packed: Any, at: int) -> Any:
    """Return the records of setting number `at`."""
    raise NotImplementedError


@kernel
def the_only_one(records: Any, at: int) -> Any:
    """Return the records themselves, where there is only one setting."""
    return records


def take_apart(records: tuple[Any, ...]) -> Parts:
    """Return the numbers and arrays of records, in order, and their form."""
    found: dict[str, list[Any]] = {name: [] for name in (*NUMBERS.values(), *ARRAYS.values())}
    found["bools"] = found["wholes"]
    found[OTHER] = []

    def visit(part: Any) -> Any:
        if isinstance(part, tuple):
            return type(part), *map(visit, part)
        if isinstance(part, np.ndarray):
            kind = ARRAYS.get(part.dtype, OTHER) if part.ndim == 1 else OTHER
        else:
            kind = NUMBERS.get(type(part), OTHER)
        found[kind].append(part)
        return kind

    form = visit(records)
    return Parts(
        form=form,
        floats=found["floats"],
        wholes=found["wholes"],
        float_arrays=found["float_arrays"],
        whole_arrays=found["whole_arrays"],
        packable=not found[OTHER],
    )


def pack(settings: Sequence[Parts]) -> Packed:
    """Return the records of all settings; an array that several of them share is stored once."""
    float_bounds, float_arrays = _concatenated([each.float_arrays for each in settings], float)
    whole_bounds, whole_arrays = _concatenated([each.whole_arrays for each in settings], np.int64)
    return Packed(
        floats=_rows([each.floats for each in settings], float),
        wholes=_rows([each.wholes for each in settings], np.int64),
        float_bounds=float_bounds,
        whole_bounds=whole_bounds,
        float_arrays=float_arrays,
        whole_arrays=whole_arrays,
    )


def _rows(rows: list[list[Any]], dtype: Any) -> Any:
    return np.array(rows, dtype).reshape(len(rows), -1)


def _concatenated(settings: list[list[Any]], dtype: Any) -> tuple[Counts, Any]:
    """Return the bounds of all arrays, and the concatenated arrays."""
    starts: dict[int, int] = {}
    arrays, size = [np.zeros(0, dtype)], 0
    bounds: list[list[int]] = []
    for row in settings:
        bounds.append([])
        for array in row:
            if id(array) not in starts:
                starts[id(array)] = size
                arrays.append(array)
                size += array.size
            start = starts[id(array)]
            bounds[-1] += [start, start + array.size]
    return _rows(bounds, np.int64), np.concatenate(arrays)


@lru_cache(maxsize=256)
def picker(form: Any) -> Function:
    """Return the kernel for `pick` for records of a form; the same kernel for the same form."""
    types: list[type] = []
    used = dict.fromkeys(Packed._fields, 0)

    def expression(part: Any) -> str:
        if isinstance(part, str):
            field = "wholes" if part == "bools" else part
            i = used[field]
            used[field] += 1
            if field.endswith("_arrays"):
                bounds = "packed." + field.replace("arrays", "bounds")
                return f"packed.{field}[{bounds}[at, {2 * i}]:{bounds}[at, {2 * i + 1}]]"
            return f"packed.{field}[at, {i}]" + " != 0" * (part == "bools")
        kind, *parts = part
        inner = "".join(expression(item) + ", " for item in parts)
        if kind is tuple:
            return f"({inner})"
        types.append(kind)
        return f"Type{len(types) - 1}({inner})"

    code = expression(form)
    names: dict[str, Any] = {f"Type{i}": kind for i, kind in enumerate(types)}
    names["__name__"] = __name__
    # docs/decisions/0020-generated-picker.md
    exec(f"def picked(packed, at):\n    return {code}\n", names)
    return kernel(names["picked"])
