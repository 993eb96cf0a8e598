"""Amounts, counts and shares as text, the same wherever people read them."""

from __future__ import annotations

import math

UNKNOWN = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
TINY = 1e-9
"""Sums of rounded numbers differ from 0 by less."""


def amount(value: float | None, unit: str | None = None) -> str:
    """Return four digits, or all before the point, and the unit; a dash if there is no value.

    >>> amount(1234.5, "EUR"), amount(0.04374)
    ('1,234 EUR', '0.04374')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    size = 0.0 if abs(value) < TINY else abs(value)
    digits = f"{size:,.0f}" if size >= 1000 else _significant(size)
    sign = MINUS if value < 0 and size > 0 else ""
    return f"{sign}{digits}{'' if unit is None else f' {unit}'}"


def _significant(size: float) -> str:
    """Return four digits without an exponent or zeros at the end."""
    places = 3 if size == 0 else max(0, 3 - math.floor(math.log10(size)))
    text = f"{size:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: float | None) -> str:
    """Return a share in percent, never rounded up: what is guaranteed must stay so.

    >>> percent(0.93799)
    '93.7%'
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    return f"{math.floor(1000 * share + 1e-6) / 10:.1f}%"


def exact_percent(share: float) -> str:
    """Return a share in percent with as many digits as it has.

    >>> exact_percent(0.9), exact_percent(0.9995)
    ('90%', '99.95%')
    """
    return f"{100 * share:.6g}%"


def sentence(text: str) -> str:
    """Return a clause as a sentence of its own.

    >>> sentence("no reward has come"), sentence("are rewards reported?")
    ('No reward has come.', 'Are rewards reported?')
    """
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.?' else '.'}"
