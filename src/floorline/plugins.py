"""Plug-ins: policies that other installed packages add to the catalogue.

A package declares them in its entry-point group `floorline.policies`: the name of the policy, and
where an `Entry` for it can be imported from.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import entry_points
from typing import NamedTuple

from floorline.policy_setup import Entry

GROUP = "floorline.policies"


class Plugin(NamedTuple):
    """A policy of another package."""

    entry: Entry
    package: str


@cache
def plugin_entries() -> dict[str, Plugin]:
    """Return the policies of all plug-ins by name; warn of those that cannot be loaded."""
    plugins = {}
    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist is not None else "an unknown package"
        try:
            entry = point.load()
            if not isinstance(entry, Entry):
                raise TypeError(f"{point.value} is not a floorline.Entry")
        except Exception as error:  # whatever a plug-in does wrong must not harm the rest
            warnings.warn(
                f"plug-in {point.name} of {package} cannot be loaded and is left out: "
                f"{type(error).__name__}: {error}",
                stacklevel=3,
            )
            continue
        plugins[point.name] = Plugin(entry, package)
    return plugins
