"""Deprecated names that still work, each with a warning that gives the new name."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def warn_renamed(old: str, new: str, stacklevel: int = 3) -> None:
    """Warn that `old` is now called `new` and will be removed."""
    warnings.warn(
        f"{old} is now called {new}; the old name will be removed in version 0.3",
        DeprecationWarning,
        stacklevel=stacklevel,
    )


def renamed_arguments(**names: str) -> Callable[[C], C]:
    """Return a class decorator that accepts renamed arguments, given as old="new"."""

    def accept(kind: C) -> C:
        init: Any = kind.__init__  # type: ignore[misc]

        @functools.wraps(init)
        def __init__(self: Any, *args: Any, **settings: Any) -> None:  # noqa: N807
            for old in names.keys() & settings.keys():
                warn_renamed(f"{kind.__name__}({old}=...)", names[old])
                settings[names[old]] = settings.pop(old)
            init(self, *args, **settings)

        kind.__init__ = __init__  # type: ignore[misc]
        return kind

    return accept
