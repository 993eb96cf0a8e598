"""Tables of radii: many counts at once, each equal to the formula's result to the last bit.

A formula is evaluated on arrays. Only operations with one correctly rounded result are done by
NumPy; logarithms are those of the C library, as everywhere else.
"""

from __future__ import annotations

import math
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from floorline.core.kernel import Function, bind
from floorline.core.records import Floats

BLOCK = 8192
"""Counts whose radii are computed at once."""

CACHED_BLOCKS = 64
"""Blocks of logarithms to cache: tables of one kind need the same ones, whatever their delta."""

CORRECTLY_ROUNDED = (np.add, np.subtract, np.multiply, np.true_divide, np.negative)


@lru_cache(maxsize=64)
def radius_table(formula: Function, inverse_error: float, scale: float, size: int) -> Floats:
    """Return the radius of every count below `size` at its index; infinity at index 0."""
    table = np.full(size, math.inf)
    try:
        fill_at_once(table, formula, inverse_error, scale)
    except (TypeError, ValueError, AttributeError, ArithmeticError):  # not for arrays, or no number
        table[1:] = [scale * formula(inverse_error, seen) for seen in range(1, size)]
    table.flags.writeable = False
    return table


def fill_at_once(table: Floats, formula: Function, inverse_error: float, scale: float) -> None:
    """Fill the table; raise an error if the formula has an operation not exact on arrays."""
    of_arrays = _for_arrays(bind(formula, {}, lambda copy, original: _for_arrays(copy)))
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        for start in range(1, table.size, BLOCK):
            seen = np.arange(start, start + BLOCK).view(ExactArray)
            radii = np.broadcast_to(scale * of_arrays(inverse_error, seen), BLOCK)
            table[start : start + BLOCK] = radii[: table.size - start]


def _for_arrays(formula: Function) -> Function:
    """Return the bound formula with `math` and `max` replaced by versions for arrays."""
    formula.__globals__.update(ARRAY_FUNCTIONS)
    return formula


class ExactArray(np.ndarray[Any, Any]):
    """Numbers that allow only correctly rounded operations; all others raise TypeError."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc not in CORRECTLY_ROUNDED or method != "__call__" or options:
            raise TypeError(f"{ufunc.__name__} may differ in the last bit")
        result = ufunc(*(_plain(value) for value in inputs))
        if result.dtype != np.float64:
            raise TypeError(f"whole numbers, of which {ufunc.__name__} may exceed 64 bits")
        return result.view(ExactArray)


def _plain(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, ExactArray) else value


def _log(value: Any) -> Any:
    if not isinstance(value, ExactArray):
        return math.log(value)
    return _logarithms(_plain(value).astype(float).tobytes()).view(ExactArray)


@lru_cache(maxsize=CACHED_BLOCKS)
def _logarithms(values: bytes) -> Floats:
    """Return the C library's logarithms; NumPy's own may differ in the last bit."""
    return np.fromiter(map(math.log, memoryview(values).cast("d")), float)


def _sqrt(value: Any) -> Any:
    if not isinstance(value, ExactArray):
        return math.sqrt(value)
    return np.sqrt(_plain(value)).view(ExactArray)


def _max(first: Any, second: Any) -> Any:
    """Return the larger one, or the first of two equal ones, as Python does."""
    if not isinstance(first, ExactArray) and not isinstance(second, ExactArray):
        return max(first, second)
    first, second = _plain(first), _plain(second)
    return np.where(second > first, second, first).view(ExactArray)


ARRAY_FUNCTIONS = {"math": SimpleNamespace(log=_log, sqrt=_sqrt), "max": _max}
