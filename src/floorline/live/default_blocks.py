"""The default's plays in the order of decisions, cut into blocks, as every drift watch counts them.

This is on the path of each decision: a watch looks at the blocks only when one begins or closes.
"""

from __future__ import annotations

from array import array
from typing import Any

from floorline.live.settings import CampaignSettings

BLOCK = 100
"""Plays of the default arm in a block."""


class DefaultBlocks:
    """Counts of the default's plays and rewards, block by block, and what a watch concluded."""

    def __init__(self, settings: CampaignSettings) -> None:
        self.alarm: str | None = None
        """The alarm as a sentence; None if there is none."""
        self.plays = array("q")
        """Plays in each block."""
        self.seen = array("q")
        """Rewards seen in each block."""
        self.totals = array("d")
        """Sum of the rewards seen in each block."""
        self._settings = settings
        self._first_changed = 0  # no earlier block has changed since the watch set this

    def decided(self) -> int:
        """Count a play of the default arm and return the number of its block."""
        plays = self.plays
        if not plays or plays[-1] == BLOCK:
            self._begin_block()
            plays.append(0)
            self.seen.append(0)
            self.totals.append(0.0)
        plays[-1] += 1
        return len(plays) - 1

    def observed(self, block: int, reward: float) -> None:
        """Count the reward of a play."""
        self.totals[block] += reward
        self.seen[block] = seen = self.seen[block] + 1
        if block < self._first_changed:
            self._first_changed = block
        if seen == self.plays[block] and self._is_closed(block):
            self._close_block()

    def skipped(self, block: int) -> None:
        """Remove a play whose reward will never be known."""
        self.plays[block] -= 1
        self._first_changed = min(self._first_changed, block)
        self._close_block()

    def _is_closed(self, block: int) -> bool:
        plays = self.plays[block]
        full = plays == BLOCK or block < len(self.plays) - 1
        return full and self.seen[block] == plays

    def _begin_block(self) -> None:
        """Look at the blocks: a new one is about to begin."""
        raise NotImplementedError

    def _close_block(self) -> None:
        """Look at the blocks: one of them may now be closed, with all rewards known."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return everything that cannot be derived, as plain values."""
        blocks = zip(self.plays, self.seen, self.totals, strict=True)
        return {"alarm": self.alarm, "blocks": [list(block) for block in blocks]}

    def restore(self, values: dict[str, Any]) -> None:
        """Restore what `to_json` returned."""
        self.alarm = values["alarm"]
        for plays, seen, total in values["blocks"]:
            self.plays.append(plays)
            self.seen.append(seen)
            self.totals.append(total)
