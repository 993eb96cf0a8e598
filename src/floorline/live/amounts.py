"""Amounts, shares and settings as text, the same wherever people read them.

Rounded as browsers round: from the shortest decimal number, halves away from zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

UNKNOWN = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
TINY = 1e-9
"""Rounding errors of sums are smaller than this."""


def amount(value: float | None, unit: str | None = None) -> str:
    """Return four digits, or all before the decimal point, and the unit; a dash if None.

    >>> amount(1234.5, "EUR"), amount(0.04374)
    ('1,235 EUR', '0.04374')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    size = 0.0 if abs(value) < TINY else abs(value)
    digits = _rounded(size, 0) if size >= 1000 else _significant(size, 4)
    sign = MINUS if value < 0 and size > 0 else ""
    return f"{sign}{digits}{'' if unit is None else f' {unit}'}"


def _significant(size: float, digits: int) -> str:
    """Return this many digits, without an exponent or trailing zeros."""
    return _rounded(size, digits - 1 - Decimal(repr(float(size))).adjusted())


def _rounded(size: float, places: int) -> str:
    """Return a number with this many decimal places, without trailing zeros."""
    number = Decimal(repr(float(size))).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{number.normalize():,f}"


def percent(share: float | None) -> str:
    """Return a share in percent, rounded to the nearest tenth.

    >>> percent(0.93799)
    '93.8%'
    """
    return sure_percent(None if share is None else share + 0.0005)


def sure_percent(share: float | None) -> str:
    """Return a share in percent, never rounded up, so that a guarantee is never overstated.

    >>> sure_percent(0.93799)
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
    return f"{_significant(100 * share, 6)}%"


def setting(value: object) -> str:
    """Return the value of a setting as text.

    >>> setting(False), setting(0.0), setting("joint"), setting(None), setting([])
    ('false', '0', 'joint', 'not given', 'none')
    >>> setting([{"name": "ms", "limit": 500.0, "unit": None}])
    'name=ms limit=500'
    """
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return _shortest(value)
    if isinstance(value, Mapping):
        given = {name: part for name, part in value.items() if part is not None}
        return " ".join(f"{name}={setting(part)}" for name, part in given.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(setting, value)) or "none"
    return str(value)


def _shortest(number: float) -> str:
    """Return the shortest digits that say exactly this number, with an exponent if it is tiny."""
    if 0 < abs(number) < 1e-6:
        return repr(number).replace("e-0", "e-")
    return f"{Decimal(repr(number + 0.0)).normalize():f}"


def sentence(text: str) -> str:
    """Return a clause as a sentence of its own.

    >>> sentence("no reward has come"), sentence("are rewards reported?")
    ('No reward has come.', 'Are rewards reported?')
    """
    return f"{text[0].upper()}{text[1:]}{'' if text[-1] in '.?' else '.'}"
