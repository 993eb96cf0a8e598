"""Floorline: explore with a bandit while reward stays above a floor, at every moment.

An implementation of Conservative Bandits (Wu, Shariff, Lattimore, Szepesvári 2016).

What it offers is in `floorline.public`, imported when first used: a web server that only calls
the service, with `floorline.client`, loads no simulator and no NumPy.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floorline.public import *  # noqa: F403

__version__ = "0.2.0"

_PACKAGES = ("client", "live", "offpolicy", "sweeping", "testing", "theory")
"""Packages for users, loaded when first used: `floorline.live` needs no import of its own."""


if not TYPE_CHECKING:  # a type checker would take any name for known

    def __getattr__(name: str) -> Any:
        if name in _PACKAGES:
            return import_module(f"{__name__}.{name}")
        if name != "__all__" and (name.startswith("_") or find_spec(f"{__name__}.{name}")):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return _public(name)


def __dir__() -> list[str]:
    return ["__version__", *_PACKAGES, *_public("__all__")]


def _public(name: str) -> Any:
    return getattr(import_module("floorline.public"), name)
