"""Streams of a GPU that all launches share."""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import cuda as _cuda

from floorline.simulation.engines.cuda.program import simulated

cuda: Any = _cuda

HIGH_PRIORITY = -1
"""Of a stream; other streams have 0."""


@cache
def uploads() -> Any:
    """Return a stream for uploads, which does not wait for other streams."""
    return cuda.stream()


@cache
def reductions() -> Any:
    """Return a stream for sums over runs, which start before the runs of other launches.

    In the stream of their own launch they would wait until all other runs are under way.
    """
    if simulated():
        return cuda.stream()
    from numba.cuda.cudadrv.driver import driver

    return cuda.external_stream(int(driver.cuStreamCreateWithPriority(0, HIGH_PRIORITY)))
