"""The time of live campaigns: a wall clock, the machine's or a database's, without its jumps.

Windows are measured by this time. A clock that is set a year ahead, if only for two seconds, would
end all of them at once and permanently: the ledger's time never goes back.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from functools import partial

log = logging.getLogger("floorline.live")

MAX_STEP_SECONDS = 60.0
"""Steps up to this size are trusted: time servers correct a clock by less."""

COMPARE_EVERY_SECONDS = 1.0
"""A wall clock that moved ahead by less than this is trusted without another look."""


def boot_clock() -> Callable[[], float]:
    """Return a clock that nobody can set and that keeps running while the machine sleeps.

    Linux has one. So has macOS, where it is CLOCK_MONOTONIC_RAW: `time.monotonic` stops there
    during sleep, and the wall clock would then seem to have jumped. Elsewhere it is
    `time.monotonic`, which keeps running during sleep on Windows.

    >>> boot_clock()() <= boot_clock()()
    True
    """
    if hasattr(time, "CLOCK_BOOTTIME"):
        return partial(time.clock_gettime, time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return partial(time.clock_gettime, time.CLOCK_MONOTONIC_RAW)
    return time.monotonic


seconds_since_boot = boot_clock()
"""The seconds since the machine was started, or since another fixed moment."""


class SteadyClock:
    """The wall clock; after a jump, the time that it should show.

    What it should show is what it showed last, plus the seconds since.

    >>> wall, elapsed = [1000.0], [0.0]
    >>> clock = SteadyClock(lambda: wall[0], lambda: elapsed[0])
    >>> wall[0], elapsed[0] = 1005.0 + 86_400, 5.0
    >>> clock(), clock.step
    (1005.0, 86400.0)
    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        elapsed: Callable[[], float] = seconds_since_boot,
    ) -> None:
        self._wall = wall
        self._elapsed = elapsed
        self._compared = wall()
        """What the wall clock showed when it was last compared."""
        self._offset = self._compared - elapsed()
        self.step = 0.0
        """Seconds by which the wall clock is ahead of this one; 0 while it is trusted."""

    def __call__(self) -> float:
        """Return the time in seconds since 1970."""
        wall = self._wall()
        if not self.step and 0.0 <= wall - self._compared < COMPARE_EVERY_SECONDS:
            return wall
        expected = self._offset + self._elapsed()
        step = wall - expected
        if -MAX_STEP_SECONDS <= step <= MAX_STEP_SECONDS:
            if self.step:
                log.warning("the clock is right again", extra={"step_seconds": round(step)})
                self.step = 0.0
            self._offset += step
            self._compared = wall
            return wall
        if not self.step:
            log.warning(
                "the clock was set; campaigns continue with the time before, until it is right "
                "again or they are opened by a new process",
                extra={"step_seconds": round(step)},
            )
        self.step = step
        return expected

    def current_step(self) -> float:
        """Return `step` as of now."""
        self()
        return self.step


def clock_problems(step: float, ahead: float) -> list[str]:
    """Return what is wrong with the time, in sentences; nothing if all is well.

    Args:
        step: seconds by which the clock was set, if that is held back.
        ahead: seconds by which the ledger's last event is ahead of the clock.
    """
    problems = []
    if step:
        problems.append(
            f"the clock was set {_duration(step)} {'ahead' if step > 0 else 'back'}; the campaign "
            "continues with the time before until the clock is right or the service starts again"
        )
    if ahead > MAX_STEP_SECONDS:
        problems.append(
            f"the ledger's last event is {_duration(ahead)} ahead of the clock. If that is right, "
            "the ledger was written with a wrong one: stop the service and run "
            "floorline ledger repair-clock"
        )
    return problems


def _duration(seconds: float) -> str:
    """Return the length of a time in words.

    >>> _duration(-90), _duration(86_400 * 365)
    ('90 seconds', '365.0 days')
    """
    length = abs(seconds)
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if length >= 2 * size:
            return f"{length / size:.1f} {unit}"
    return f"{length:.0f} seconds"


machine_clock = SteadyClock()
"""The machine's clock, shared by all campaigns of this process that have no other one."""
