"""Names of arms and campaigns: letters and digits of any script, and some signs."""

from __future__ import annotations

import re
import unicodedata

from floorline.core.checks import require

MAX_NAME = 64
"""Characters of a name."""
MAX_BYTES = 200
"""Of a campaign's name in UTF-8: file names have at most 255."""
BEYOND_ASCII = r"[^\x00-\xa0]"
"""Negated, since the range above takes Python a hundred times as long to compile."""
ARM_NAME = re.compile(rf"(\w|{BEYOND_ASCII})([\w .:/-]|{BEYOND_ASCII})*", re.ASCII)
CAMPAIGN_NAME = re.compile(rf"([\w.-]|{BEYOND_ASCII})*", re.ASCII)


def check_arm_name(name: str, field: str = "arms") -> None:
    """Raise ValueError, naming the field, unless this is a valid arm name."""
    fits = ARM_NAME.fullmatch(name) is not None and _is_plain(name)
    require(fits, field, f"names of at most {MAX_NAME} letters, digits, spaces and _.:/-", name)


def check_campaign_name(name: str) -> None:
    """Raise ValueError unless this is a valid campaign name."""
    begins = name[:1].isalnum()  # it is the name of a file
    fits = begins and CAMPAIGN_NAME.fullmatch(name) is not None and _is_plain(name)
    expected = f"at most {MAX_NAME} letters, digits and . _ -, a letter or digit first"
    require(fits and len(name.encode()) <= MAX_BYTES, "name", expected, name)


def _is_plain(name: str) -> bool:
    """Return whether a name is short, visible and in Unicode's normal form."""
    fits = len(name) <= MAX_NAME and name.isprintable()
    return fits and unicodedata.is_normalized("NFC", name)
