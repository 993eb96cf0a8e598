"""Where the joint floor keeps its numbers."""

from __future__ import annotations

DEFAULT, CHALLENGERS = 0, 3
"""Where the sums of the default, and those of all challengers, begin."""

PLAYS, TOTAL, COST = range(3)
"""In each: plays counted, their moved rewards, and what it costs to mix over these."""

SURE = 6
"""The least sum of the challengers' means that is not refuted; where the default's is known."""

VOIDED = 7
"""Challengers' plays that reached nobody: their means count, and they earned nothing."""

MEMORY = 8
