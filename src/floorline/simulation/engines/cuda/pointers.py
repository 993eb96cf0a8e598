"""Address arithmetic that a GPU's compiler can follow.

numba addresses an array that is not contiguous, such as each lane's part of shared memory, by
converting a pointer to an integer and back. The result may point anywhere: every load and store
then looks up at run time which memory it is for, and nothing stays in a register from one to the
next. Adding to the pointer itself gives the same addresses, and twice the speed for adversarial
policies (docs/optimisations.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba.cuda.cgutils as _cgutils

cgutils: Any = _cgutils


@contextmanager
def followed_pointers() -> Iterator[None]:
    """Make numba add to pointers in everything compiled inside the block."""
    previous = cgutils.pointer_add
    cgutils.pointer_add = pointer_add
    try:
        yield
    finally:
        cgutils.pointer_add = previous


def pointer_add(builder: Any, pointer: Any, offset: Any, return_type: Any = None) -> Any:
    """Return the pointer `offset` bytes further on; it replaces numba's own function."""
    if isinstance(offset, int):
        offset = cgutils.intp_t(offset)
    start = builder.bitcast(pointer, cgutils.voidptr_t)
    return builder.bitcast(builder.gep(start, [offset]), return_type or pointer.type)
