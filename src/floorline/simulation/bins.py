"""Bins of equal relative width, for the quantiles of any number of values in little memory.

A bin is the sign, the exponent and ten bits of the mantissa of a single-precision number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from floorline.core.kernel import kernel
from floorline.core.records import Floats

DROPPED_BITS = 13
BINS = 2 ** (32 - DROPPED_BITS)
"""The number of bins; half of them, with keys below 0, are for negative values."""


@kernel
def key_of(bits: Any) -> Any:
    """Return the bin's key for the bits of a single-precision number, or of many at once."""
    sign = bits >> 31  # 0, or -1: the order of negative numbers is reversed
    return (((bits & 0x7FFFFFFF) ^ sign) - sign) >> DROPPED_BITS


def keys_of(values: Floats) -> NDArray[np.int32]:
    """Return the keys of the bins that contain the values."""
    keys: NDArray[np.int32] = key_of(np.ascontiguousarray(values, np.float32).view(np.int32))
    return keys


def middle_of(key: int) -> float:
    """Return the value in the middle of a bin."""
    bits = (int(key) << DROPPED_BITS) + (1 << DROPPED_BITS >> 1)
    magnitude = np.array([abs(bits)], np.int32).view(np.float32)[0]
    return float(magnitude if bits >= 0 else -magnitude)
