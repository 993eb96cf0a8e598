"""A watch on the default arm: has its mean changed?

The default's plays, in the order of decisions, are cut into blocks, and the plays before a change
point are compared with those since (change_search.py). An alarm is evidence against every unchanged
mean, with missing rewards at the worst (filled_evidence.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floorline.live.block_ends import BlockEnds
from floorline.live.change_search import ChangeSearch
from floorline.live.default_blocks import BLOCK, DefaultBlocks
from floorline.live.drift_of_earlier_ledgers import EarlierDriftWatch
from floorline.live.filled_evidence import Counts
from floorline.live.settings import CampaignSettings


def new_drift_watch(settings: CampaignSettings) -> DriftWatch | EarlierDriftWatch:
    """Return the watch that a campaign was opened with."""
    if settings.drift_watch == "filled-evidence":
        return DriftWatch(settings)
    return EarlierDriftWatch(settings)


class DriftWatch(DefaultBlocks):
    """The default's rewards in blocks, and an alarm if their mean has surely changed."""

    def __init__(self, settings: CampaignSettings) -> None:
        super().__init__(settings)
        known = settings.default_mean
        mean = None if known is None else float(self._in_unit(1, known))
        self._search = ChangeSearch(settings.drift_level, mean)
        self._ends = BlockEnds()

    @property
    def total(self) -> float:
        """The sum of the default's observed rewards, even if `default_mean` is given."""
        return sum(self.totals)

    def _look(self) -> None:
        """Raise an alarm if there is evidence for a change, at some point and up to some end."""
        if self.alarm:
            return
        ends, full = self._ends, self._full_blocks()
        if self._first_changed >= full == ends.last:
            return  # nothing is new
        start = min(self._first_changed, ends.last)
        ends.replace_after(start, self._counted(start, full))
        self._first_changed = full
        self._compare()

    _begin_block = _look
    _close_block = _look

    def _full_blocks(self) -> int:
        """Return how many blocks there are, without one that has just begun."""
        plays = self.plays
        return len(plays) - 1 if plays and plays[-1] < BLOCK else len(plays)

    def _compare(self) -> None:
        """Raise an alarm if the cumulative sums are evidence for a change."""
        ends = self._ends
        found = self._search.find(ends)
        if found is not None:
            point, end = found
            self.alarm = self._words(ends.counts(0, point), ends.counts(point, end))

    def skipped(self, block: int) -> None:
        """Remove a play whose reward will never be known.

        The watch looks after each. If the sums are up to date, they need not be added up again.
        """
        last = self._ends.last
        up_to_date = self._first_changed >= self._full_blocks() == last
        if up_to_date and not self.alarm and block < min(last, len(self.plays) - 1):
            self.plays[block] -= 1
            self._ends.remove_missing(block)
            self._compare()
        else:
            super().skipped(block)

    def _counted(self, start: int, end: int) -> Any:
        """Return rows of plays, earnings (up to 1 each) and missing rewards of these blocks."""
        plays, seen = np.array(self.plays[start:end]), np.array(self.seen[start:end])
        up = self._in_unit(seen, np.array(self.totals[start:end]))
        return np.array((plays, up, plays - seen))

    def _in_unit(self, plays: Any, total: Any) -> Any:
        """Return the sum of the rewards of some plays, each moved to [0, 1]."""
        low, high = self._settings.low, self._settings.high
        return np.clip((total - plays * low) / (high - low), 0.0, plays)

    def _words(self, before: Counts, since: Counts) -> str:
        fallen = self._search.has_fallen(before, since)
        known = self._settings.default_mean
        now = f"{self._average(since, highest=fallen)} a play in"
        if known is not None:
            return (
                f"the default's mean was given as {known:.4g}; "
                f"it earned {now} {sum(since):,.0f} plays"
            )
        was = f"{self._average(before, highest=not fallen)} a play in"
        return (
            f"the default earned {was} its first {sum(before):,.0f} plays, "
            f"and {now} the {sum(since):,.0f} after them"
        )

    def _average(self, plays: Counts, *, highest: bool) -> str:
        """Return the average reward in words: the highest or lowest that it can be."""
        low, high = self._settings.low, self._settings.high
        up = plays.up + (plays.missing if highest else 0.0)
        bound = ("at most " if highest else "at least ") if plays.missing else ""
        return f"{bound}{low + (high - low) * up / sum(plays):.4g}"
