"""Address arithmetic that a GPU's compiler can follow.

An array that is not contiguous, as each lane's part of shared memory is, numba addresses by a
pointer turned into a number and back. What comes back may point anywhere: every load and store then
looks up at run time which memory it is for, and nothing stays in a register from one to the next.
Adding to the pointer itself gives the same addresses, and adversarial policies twice the speed
(docs/optimisations.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba.cuda.cgutils as _cgutils

cgutils: Any = _cgutils


@contextmanager
def followed_pointers() -> Iterator[None]:
    """Have numba add to pointers in what is compiled meanwhile."""
    previous = cgutils.pointer_add
    cgutils.pointer_add = pointer_add
    try:
        yield
    finally:
        cgutils.pointer_add = previous


def pointer_add(builder: Any, pointer: Any, offset: Any, return_type: Any = None) -> Any:
    """Return the pointer `offset` bytes further on; it takes the place of numba's own."""
    if isinstance(offset, int):
        offset = cgutils.intp_t(offset)
    start = builder.bitcast(pointer, cgutils.voidptr_t)
    return builder.bitcast(builder.gep(start, [offset]), return_type or pointer.type)
