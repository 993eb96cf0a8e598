"""Words for people: numbers with their nouns."""

from __future__ import annotations


def counted(number: float, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "play"), counted(2000, "play")
    ('1 play', '2,000 plays')
    """
    return f"{number:,.0f} {noun}{'' if number == 1 else 's'}"


def six_digits(value: float) -> str:
    """Return a number with six digits, or all before the point if there are more.

    >>> six_digits(1234.56789), six_digits(1220870.4)
    ('1,234.57', '1,220,870')
    """
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"
