"""The default's plays in the order of decisions, cut into blocks, as every drift watch counts them.

This is on the path of each decision: a watch looks at the blocks only when one begins or closes.
"""

from __future__ import annotations

from typing import Any

from floorline.live.settings import CampaignSettings

BLOCK = 100
"""Plays of the default arm in a block."""

LENGTH, SEEN, TOTAL = 0, 1, 2


class DefaultBlocks:
    """Counts of the default's plays and rewards, block by block, and what a watch concluded."""

    def __init__(self, settings: CampaignSettings) -> None:
        self.alarm: str | None = None
        """The alarm as a sentence; None if there is none."""
        self.blocks: list[list[float]] = []
        """Plays, rewards seen and their sum, for each block."""
        self._settings = settings
        self._first_changed = 0  # no earlier block has changed since the watch set this

    def decided(self) -> int:
        """Count a play of the default arm and return the number of its block."""
        blocks = self.blocks
        if not blocks or blocks[-1][LENGTH] == BLOCK:
            self._begin_block()
            blocks.append([0, 0, 0.0])
        blocks[-1][LENGTH] += 1
        return len(blocks) - 1

    def observed(self, block: int, reward: float) -> None:
        """Count the reward of a play."""
        counts = self.blocks[block]
        counts[SEEN] += 1
        counts[TOTAL] += reward
        if block < self._first_changed:
            self._first_changed = block
        if counts[SEEN] == counts[LENGTH] and self._is_closed(block):
            self._close_block()

    def skipped(self, block: int) -> None:
        """Remove a play whose reward will never be known."""
        self.blocks[block][LENGTH] -= 1
        self._first_changed = min(self._first_changed, block)
        self._close_block()

    def _is_closed(self, block: int) -> bool:
        plays, seen, _ = self.blocks[block]
        full = plays == BLOCK or block < len(self.blocks) - 1
        return full and seen == plays

    def _begin_block(self) -> None:
        """Look at the blocks: a new one is about to begin."""
        raise NotImplementedError

    def _close_block(self) -> None:
        """Look at the blocks: one of them may now be closed, with all rewards known."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return everything that cannot be derived, as plain values."""
        return {"alarm": self.alarm, "blocks": [list(block) for block in self.blocks]}

    def restore(self, values: dict[str, Any]) -> None:
        """Restore what `to_json` returned."""
        self.alarm, self.blocks = values["alarm"], values["blocks"]
