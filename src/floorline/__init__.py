"""Floorline: explore with a bandit while reward stays above a floor, at every moment.

An implementation of Conservative Bandits (Wu, Shariff, Lattimore, Szepesvári 2016).

The public names are in `floorline.public`, which is imported on first use: a web server that only
calls the service with `floorline.client` loads neither the simulator nor NumPy.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floorline.public import *  # noqa: F403

__version__ = "0.2.0"

_PACKAGES = ("client", "live", "offpolicy", "sweeping", "testing", "theory")
"""Public packages, imported on first use: `floorline.live` works after `import floorline`."""


if not TYPE_CHECKING:  # with it, a type checker would accept any name

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
