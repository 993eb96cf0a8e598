"""What is wrong with a request, in words. The decoder's own messages show types and patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

SHOWN = 60
"""Characters of a value that an error shows."""

KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
LIMITS = {">=": "at least", "<=": "at most", ">": "above", "<": "below"}

PLACE = re.compile(r" - at `\$(?P<place>[^`]*)`$")
STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def in_words(message: str, kind: Any, value: Any) -> str:
    """Return the decoder's `message` about `value`, which is not of `kind`, in plain words.

    >>> class Order(msgspec.Struct):
    ...     count: int
    >>> in_words("Expected `int`, got `str` - at `$.count`", Order, {"count": "two"})
    "count: must be a whole number, not 'two'"
    >>> in_words("Object missing required field `count`", Order, {})
    'count: must be given'
    """
    found = PLACE.search(message)
    place = found["place"] if found else ""
    text = message[: found.start()] if found else message
    field = place.removeprefix(".")
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", text):
        return f"{_join(field, missing[1])}: must be given"
    if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", text, re.DOTALL):
        return f"{_join(field, unknown[1])}: is not known here"
    expected = _expectation(text, kind, place)
    if expected is None:
        return message
    given = repr(_value_at(value, place))
    shown = given if len(given) <= SHOWN else f"{given[:SHOWN]}..."
    return f"{field or 'the body'}: must {expected}, not {shown}"


def _join(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def _expectation(text: str, kind: Any, place: str) -> str | None:
    """Return what must be at `place`, as `be a number`; None for an unknown form of message."""
    if text.startswith("Invalid enum value"):
        words = [word for node in _schemas_at(kind, place) for word in node.get("enum", ())]
        return f"be one of {', '.join(str(word) for word in words if word is not None)}"
    if re.match(r"Expected `\w+` matching regex", text):
        described = [node["description"] for node in _schemas_at(kind, place) if "pattern" in node]
        return f"be {described[0]}" if described else None
    if size := re.fullmatch(r"Expected `(\w+)` of length ([<>]=) (\d+)", text):
        things = "characters" if size[1] == "str" else "items"
        return f"have {LIMITS[size[2]]} {size[3]} {things if size[3] != '1' else things[:-1]}"
    if limit := re.fullmatch(r"Expected `\w+` ([<>]=?) (\S+)", text):
        return f"be {LIMITS[limit[1]]} {float(limit[2]):g}"
    if wrong := re.fullmatch(r"Expected `([\w |]+)`(?:, got `\w+`)?", text):
        kinds = wrong[1].split(" | ")
        if all(name in KINDS for name in kinds):
            return f"be {' or '.join(KINDS[name] for name in kinds)}"
    return None


def _value_at(value: Any, place: str) -> Any:
    for name, index in STEP.findall(place):
        value = value[name] if name else value[int(index)]
    return value


def _schemas_at(kind: Any, place: str) -> list[dict[str, Any]]:
    """Return the JSON schemas that a value at `place` may have."""
    (root,), components = msgspec.json.schema_components([kind], ref_template="{name}")

    def options(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if "$ref" in node:
            yield from options(components[node["$ref"]])
        elif "anyOf" in node:
            for option in node["anyOf"]:
                yield from options(option)
        else:
            yield node

    nodes = list(options(root))
    for name, _ in STEP.findall(place):
        inner = [node.get("properties", {}).get(name) or node.get("items") for node in nodes]
        nodes = [option for node in inner if node for option in options(node)]
    return nodes
