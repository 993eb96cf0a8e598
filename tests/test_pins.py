"""Everything that `make setup` installs is pinned, and nothing names where it comes from."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LISTS = ("constraints.txt", "constraints-generator.txt")


def pins(name: str) -> list[Requirement]:
    lines = (ROOT / name).read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def needed(wanted: list[str]) -> set[str]:
    """The distributions that these requirements lead to here."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    todo = [(Requirement(text), "") for text in wanted]
    while todo:
        requirement, extra = todo.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        for inner in ("", *requirement.extras):
            if (name, inner) in seen:
                continue
            seen.add((name, inner))
            try:
                todo += [(Requirement(text), inner) for text in requires(name) or []]
            except PackageNotFoundError:  # an extra that nobody has installed here
                continue
            found.add(name)
    return found


def test_everything_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = re.findall(r"-e '\.\[([\w,]+)\]'", (ROOT / "Makefile").read_text())[0].split(",")
    optional = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(text for extra in extras for text in optional[extra])]
    known = {canonicalize_name(pin.name) for pin in pins("constraints.txt")}
    found = needed([text for text in wanted if not text.startswith("floorline[")])
    assert len(found) > 100
    assert sorted(found - known) == []


@pytest.mark.parametrize("name", LISTS)
def test_a_pin_is_a_name_and_one_version(name: str) -> None:
    for pin in pins(name):
        assert pin.url is None
        assert [part.operator for part in pin.specifier] == ["=="], str(pin)
