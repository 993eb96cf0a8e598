"""A fingerprint of compiled code: everything that its result depends on.

What counts is the code as it was loaded, not the file it came from, which may have been
edited since.
"""

from __future__ import annotations

import builtins
import hashlib
import inspect
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from floorline.core.kernel import Function, callees, global_names, reachable

PACKAGE = "floorline"
KNOWN_MODULES = ("math", "numpy", "numba.cuda")


class Fingerprint(NamedTuple):
    """A hash, and whether it covers everything: if not, the code must not be cached on disk."""

    digest: str
    complete: bool


def fingerprint(function: Function, choices: Mapping[Function, Function]) -> Fingerprint:
    """Return the fingerprint of `function` with its slots filled."""
    digest = hashlib.sha256()
    complete = True
    for part in reachable(function, choices):
        complete &= is_package(part) or has_source(part)
        for fact in part_facts(part, choices):
            complete &= fact is not None
            digest.update(repr(fact).encode())
    return Fingerprint(digest.hexdigest(), complete)


def part_facts(part: Function, choices: Mapping[Function, Function]) -> Iterator[object]:
    """Yield what one kernel's result depends on; None for what cannot be determined."""
    yield part.__module__, part.__qualname__, part.__defaults__, part.__kwdefaults__
    yield sorted(part.__dict__)
    yield from code_facts(part.__code__)
    kernels = callees(part)
    for name in global_names(part):
        if name in kernels:
            chosen = choices.get(kernels[name], kernels[name])
            yield name, chosen.__module__, chosen.__qualname__
        elif name in part.__globals__:
            yield name
            yield value_fact(part.__globals__[name])
        elif not hasattr(builtins, name):
            yield None


def code_facts(code: types.CodeType) -> Iterator[object]:
    """Yield the instructions, names and constants of a code object."""
    yield code.co_code, code.co_names, code.co_varnames
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_facts(constant)
        else:
            yield "constant", constant


def value_fact(value: object) -> object:
    """Return a description of a global value, or None if its origin is unknown."""
    if isinstance(value, (bool, int, float, str, np.generic)) and not hasattr(value, "_value_"):
        return repr(value)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        parts = [value_fact(part) for part in value]
        return None if None in parts else tuple(parts)
    if isinstance(value, types.ModuleType) and value.__name__ in KNOWN_MODULES:
        return value.__name__
    if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
        return value.__module__, value.__qualname__, value._fields
    if isinstance(value, (type, types.BuiltinFunctionType)):
        module = value.__module__ or ""
        if module.split(".")[0] in (PACKAGE, "builtins", *KNOWN_MODULES):
            return module, value.__qualname__
    return None


def is_package(part: Function) -> bool:
    """Return whether a kernel belongs to this package."""
    return part.__module__.split(".")[0] == PACKAGE


def has_source(part: Function) -> bool:
    """Return whether a kernel's module is known by its name, and its source file exists.

    numba imports the module by that name when it loads code from the disk.
    """
    path = inspect.getsourcefile(part)
    return part.__module__ in sys.modules and path is not None and Path(path).is_file()
