"""Repairing a ledger that was written while the clock was ahead."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

from floorline.live.clock import MAX_STEP_SECONDS
from floorline.live.ledgers import read_ledger
from floorline.live.opening import open_recorder


def repair_clock(locator: str, clock: Callable[[], float] | None = None) -> float:
    """Set a ledger's time back to its clock's, or to another; return the seconds that it was ahead.

    Windows ended too soon by the wrong time, and their decisions may have counted as zeros. So no
    promise rests on them: a new epoch starts, unless the campaign has ended. A ledger that is not
    ahead is left as it is, and 0 is returned.

    Raises:
        LedgerError: there is no campaign there, it cannot be used, or it is open elsewhere.
    """
    with closing(read_ledger(locator)) as ledger:
        ledger.opened()  # otherwise a new one would be started
    recorder, _ = open_recorder(locator, clock, {})
    try:
        ahead = recorder.ahead
        if ahead <= MAX_STEP_SECONDS:
            return 0.0
        recorder.set_time_back()
        return ahead
    finally:
        recorder.close()
