"""Words for people: numbers with their nouns."""

from __future__ import annotations


def counted(number: float, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "play"), counted(2000, "play")
    ('1 play', '2,000 plays')
    """
    return f"{number:,.0f} {noun}{'' if number == 1 else 's'}"
