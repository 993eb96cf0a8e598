"""A watch on the default arm: has its mean changed?

The default's plays, in the order of decisions, are cut into blocks, and the plays before a change
point are compared with those since (change_search.py). An alarm is evidence against every unchanged
mean, with missing rewards at the worst (filled_evidence.py).
"""

from __future__ import annotations

from floorline.live.change_search import START, ChangeSearch, add_blocks
from floorline.live.default_blocks import BLOCK, LENGTH, TOTAL, DefaultBlocks
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
        mean = None if known is None else self._in_unit(1, known)
        self._search = ChangeSearch(settings.drift_level, mean)
        self._ends = [START]

    @property
    def total(self) -> float:
        """The sum of the default's observed rewards, even if `default_mean` is given."""
        return sum(block[TOTAL] for block in self.blocks)

    def _look(self) -> None:
        """Raise an alarm if there is evidence for a change, at some point and up to some end."""
        if self.alarm:
            return
        blocks, ends = self.blocks, self._ends
        full = len(blocks) - (bool(blocks) and blocks[-1][LENGTH] < BLOCK)
        if self._first_changed >= full == len(ends) - 1:
            return  # nothing is new
        del ends[self._first_changed + 1 :]
        add_blocks(ends, map(self._counted, blocks[len(ends) - 1 : full]))
        self._first_changed = full
        found = self._search.find(ends)
        if found is not None:
            start, end = ends[found[0]], ends[found[1]]
            self.alarm = self._words(start.counts(START), end.counts(start))

    _begin_block = _look
    _close_block = _look

    def _counted(self, block: list[float]) -> tuple[int, float, int]:
        """Return the plays of a block, what they earned (up to 1 each), and missing rewards."""
        plays, seen, total = block
        return int(plays), self._in_unit(seen, total), int(plays - seen)

    def _in_unit(self, plays: float, total: float) -> float:
        """Return the sum of the rewards of some plays, each moved to [0, 1]."""
        low, high = self._settings.low, self._settings.high
        return min(max((total - plays * low) / (high - low), 0.0), float(plays))

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
