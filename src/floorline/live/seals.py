"""Personal data in events: kept beside what checksums cover, so that it can be erased.

The stored body of a sealed event is two lines of JSON. The first is chained, and its last field
`sealed` is a digest of the rest. The second holds that rest: a nonce and the context. The request
key is in a separate column. Without nonce, key and context, the digest reveals nothing, and the
chain still holds.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import msgspec

PRIVATE_FIELDS = ("nonce", "context")
DIGEST_BYTES = 16
NONCE_BYTES = 16
NONCES_DRAWN = 256
MAY_BE_SEALED = '"sealed":"'
"""Part of the text of every sealed body, and perhaps of others."""
_NAME = ('{"sealed":"', ',"sealed":"')
_DIGEST = slice(-len('"}') - 2 * DIGEST_BYTES, -len('"}'))
_BEFORE_DIGEST = slice(_DIGEST.start - len(_NAME[0]), _DIGEST.start)

_encode = msgspec.json.Encoder().encode


class Nonces:
    """Random nonces, which keep keys from being guessed from their digest. One thread at a time.

    They are drawn many at a time: each call to the operating system lets all other threads run.
    """

    def __init__(self) -> None:
        self._drawn: list[str] = []

    def new(self) -> str:
        """Return a nonce that was not used before."""
        if not self._drawn:
            drawn = os.urandom(NONCES_DRAWN * NONCE_BYTES)
            self._drawn = drawn.hex(" ", NONCE_BYTES).split()
        return self._drawn.pop()


def has_private_part(stored: str) -> bool:
    """Return whether a stored body has a private part, which can be erased."""
    return "\n" in stored


def stored_parts(key: str | None, body: dict[str, Any]) -> tuple[str, str | None]:
    """Return the two lines in which a body is stored, the chained and the private one.

    The private line is None if the body is not sealed, which one with a nonce is, and empty if it
    was erased.
    """
    if "nonce" not in body and "sealed" not in body:
        return _encode(body).decode(), None
    chained, private = dict(body), ""
    if "nonce" in body:
        hidden = {name: chained.pop(name) for name in PRIVATE_FIELDS if name in chained}
        private = _encode(hidden).decode()
        digest = _digest(key, private)
    else:
        digest = chained.pop("sealed")
    chained["sealed"] = digest  # the last field, where `chained_part` looks for it
    return _encode(chained).decode(), private


def read_body(text: str) -> dict[str, Any]:
    """Return the body that `stored_parts` was given; an erased one keeps the field `sealed`."""
    chained, _, private = text.partition("\n")
    body: dict[str, Any] = msgspec.json.decode(chained)
    if private:
        del body["sealed"]
        body |= msgspec.json.decode(private)
    return body


def chained_part(text: str) -> str | None:
    """Return the part of a sealed body that checksums cover; None if it is not sealed."""
    chained = text.partition("\n")[0]
    return chained if chained[_BEFORE_DIGEST] in _NAME else None


def seal_holds(key: str | None, text: str) -> bool:
    """Return whether key and context are those that were sealed, or both are erased."""
    chained = chained_part(text)
    if chained is None:
        return "\n" not in text
    private = text[len(chained) + 1 :]
    if not private:
        return key is None
    return chained[_DIGEST] == _digest(key, private)


def _digest(key: str | None, private: str) -> str:
    text = f"{private} {key!r}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).digest()[:DIGEST_BYTES].hex()
