"""Where the joint floor keeps its numbers."""

from __future__ import annotations

DEFAULT, CHALLENGERS = 0, 4
"""Where the sums of the default, and those of all challengers, begin."""

PLAYS, TOTAL, COST, SPREAD = range(4)
"""In each: plays counted, the sum of their rescaled rewards, the cost of mixing over it, and the
spread of the rewards if the form uses it."""

SURE = 8
"""The least sum of the challengers' means that is not refuted, if the default's mean is known."""

VOIDED = 9
"""Challengers' plays that reached nobody: their means count, and they earned nothing."""

DEFAULT_MISSING, CHALLENGERS_MISSING = 10, 11
"""How many rewards are missing among the plays counted, and filled in."""

ON_THEIR_WAY = 12
"""Ratio of the challengers' plays not counted to those counted, if all have one mean; else 0."""

STATED, STATED_FOR = 13, 14
"""Cache: the guaranteed budget if a challenger is played, and the round it is for (0: stale)."""

REFUSAL, REFUSAL_FOR = 15, 16
"""Cache: the refusal probability of a challenger, and the round it is for (0: stale)."""

MEMORY = 17
