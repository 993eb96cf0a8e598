"""Compile kernels with numba and cache them on disk.

Numba's own disk cache does not notice an edit in another file. So compiled code is cached
in a folder named after a hash of the package, under a name made of a fingerprint of every
kernel in it: after an edit anywhere, stale code is never loaded.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from floorline.core.code_cache import folder_for
from floorline.core.fingerprint import Fingerprint, fingerprint
from floorline.core.kernel import Function, bind, reachable

# No fastmath: compiled and interpreted must choose the same arms. Division by zero
# follows NumPy, since kernels guard it where it could happen. Kernels never allocate,
# so the reference counting of arrays is switched off (_nrt), which makes them three times
# as fast. Nothing calls them from C.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
# Kernels called by kernels are inlined, or each call would copy all records. They need no
# Python wrapper, and compile in half the time without one.
INNER: dict[str, Any] = {**OPTIONS, "forceinline": True, "no_cpython_wrapper": True}

# Matches the lines of a numba error that state its cause, not only where it was noticed.
CAUSE = re.compile("NameError|Unknown attribute|Unsupported|Cannot|Invalid use|not supported")
CONTEXT = re.compile("Failed in|During")
ALLOCATION = "NRT required"

_compiled: dict[object, Function] = {}
_inner: dict[object, Function] = {}
_lock = Lock()


def compiled(function: Function, choices: Mapping[Function, Function]) -> Function:
    """Return `function` with its slots filled, compiled for the CPU or loaded from the cache."""
    mark = fingerprint(function, choices)
    # The key includes the functions, so that two with equal fingerprints are never confused.
    key = (mark, function, frozenset(choices.items()))
    with _lock:
        if key not in _compiled:
            _compiled[key] = _compile(function, choices, mark)
        return _compiled[key]


def _compile(
    function: Function, choices: Mapping[Function, Function], mark: Fingerprint
) -> Function:
    import numba

    entry = bind_compiled(function, choices)
    folder = cache_folder() if mark.complete else None
    if folder is None:
        return numba.njit(**OPTIONS)(entry)  # type: ignore[no-any-return]
    # A unique name: numba tells cached functions apart by name, not by what they call.
    entry.__qualname__ += "_" + mark.digest[:32]
    settings: Any = numba.config
    previous, settings.CACHE_DIR = settings.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=True, **OPTIONS)(entry)  # type: ignore[no-any-return]
    finally:
        settings.CACHE_DIR = previous


def bind_compiled(function: Function, choices: Mapping[Function, Function]) -> Function:
    """Return a copy of `function` whose kernels are bound and compiled, for numba to compile."""
    return bind(
        function, choices, wrap=lambda copy, original: _compile_inner(copy, original, choices)
    )


def _compile_inner(
    copy: Function, original: Function, choices: Mapping[Function, Function]
) -> Function:
    """Return the bound `copy` of a kernel, compiled once for all policies that share it."""
    from floorline.core.inlined import compiled_for_callers

    mark = fingerprint(original, choices)
    # In order: two slots whose kernels are swapped must not share a key.
    key = (mark, *reachable(original, choices))
    if key not in _inner or not mark.complete:
        _inner[key] = compiled_for_callers(copy, INNER)
    return _inner[key]


@contextmanager
def compilation() -> Iterator[None]:
    """Run a compilation without garbage collection, and raise its errors as a one-line ValueError.

    Collection would take a sixth of the time: numba makes millions of objects and keeps most.
    """
    from numba.core.errors import NumbaError

    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    except NumbaError as error:
        raise ValueError(
            f'{_cause(str(error))} (simulate with device="python" to see where it fails)'
        ) from None
    finally:
        if collecting:
            gc.enable()


def _cause(message: str) -> str:
    """Return the innermost kernel that a numba error is about, and why, in one line."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", message)
    inner = re.search(r"CPUDispatcher\(<function (\S+) at", plain)
    kernel = f"kernel {inner[1]}" if inner else "kernel"
    if ALLOCATION in plain:
        return f"{kernel}: cannot be compiled: it makes an array, or uses a list or a text"
    lines = [line.strip(" >-") for line in plain.splitlines()]
    causes = [line for line in lines if CAUSE.search(line)][-1:]
    others = [line for line in lines if line and not CONTEXT.match(line)]
    # A line that ends with a colon continues on the next.
    ends = next((i for i, line in enumerate(others) if not line.endswith(":")), 0)
    return f"{kernel}: cannot be compiled: {' '.join(causes or others[: ends + 1])}"


def cache_folder() -> Path | None:
    """Return the folder of compiled code, or None if there is none that can be written."""
    return folder_for(f"{OPTIONS} {INNER}")
