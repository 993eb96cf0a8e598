"""Plug-ins: policies that other installed packages add to the catalogue.

A package declares them in the entry-point group `floorline.policies`: the name of a policy, and
where its `Entry` can be imported from. A faulty plug-in is reported in one line and does not affect
the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from floorline.policy import Policy
from floorline.policy_setup import Entry, PolicySetup

GROUP = "floorline.policies"


class Plugin(NamedTuple):
    """A policy from another package."""

    entry: Entry
    package: str


@cache
def plugin_entries(taken: tuple[str, ...]) -> dict[str, Plugin]:
    """Return the policies of all plug-ins by name; warn about those that cannot be loaded.

    Plug-ins may not use the names in `taken`.
    """
    plugins: dict[str, Plugin] = {}
    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist is not None else "an unknown package"
        try:
            if point.name in (*taken, *plugins):
                raise ValueError("a policy of that name already exists")
            plugins[point.name] = Plugin(_load(point, package), package)
        except (Exception, SystemExit) as error:
            warnings.warn(
                f"plug-in {point.name} of {package} cannot be loaded and is left out: "
                f"{_in_one_line(error)}",
                stacklevel=3,
            )
    return plugins


def _load(point: EntryPoint, package: str) -> Entry:
    """Return a plug-in's entry, with a check of every policy that it builds."""
    entry = point.load()
    if not isinstance(entry, Entry):
        raise TypeError(f"{point.value} is not a floorline.Entry")
    return entry._replace(build=partial(_build, entry.build, f"plug-in {point.name} of {package}"))


def _build(build: Callable[[PolicySetup], Policy], who: str, setup: PolicySetup) -> Policy:
    """Return the policy that a plug-in builds; raise ValueError if it does not build one."""
    try:
        policy = build(setup)
    except ValueError:  # an invalid setting; the message says which
        raise
    except Exception as error:
        raise ValueError(f"{who} cannot make its policy: {_in_one_line(error)}") from error
    if not isinstance(policy, Policy):
        raise ValueError(f"{who} made {policy!r}, which is not a floorline.Policy")
    return policy


def _in_one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
