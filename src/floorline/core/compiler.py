"""The only file that knows numba: its options, and where compiled code is kept.

Numba's own disk cache does not notice an edit in another file. So compiled
code is kept in a folder named after a hash of every source that went in; an
edit anywhere leads to another folder, never to stale code.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import sys
import types
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from floorline.core.kernel import Function, bind, callees, global_names, reachable

PACKAGE = Path(__file__).resolve().parents[1]

# No fastmath: compiled and interpreted must choose the same arms. Division by zero
# follows NumPy, since kernels guard it where it could happen. Kernels never allocate,
# so the reference counting of arrays is left out (_nrt), which makes them three times
# as fast. Nothing calls them from C.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
# Kernels called by kernels are inlined, or each call would copy all records; and they are
# not called from Python, which halves the time of compilation.
INNER: dict[str, Any] = {**OPTIONS, "forceinline": True, "no_cpython_wrapper": True}

_compiled: dict[tuple[object, ...], Function] = {}
_lock = Lock()


def compiled(function: Function, choices: Mapping[Function, Function]) -> Function:
    """`function` with its slots filled, compiled for the CPU, from disk if it can be."""
    key = (function, *sorted(((id(a), id(b)) for a, b in choices.items())))
    with _lock:
        if key not in _compiled:
            _compiled[key] = _compile(function, choices)
        return _compiled[key]


def _compile(function: Function, choices: Mapping[Function, Function]) -> Function:
    import numba

    entry = bind(function, choices, wrap=numba.njit(**INNER))
    parts = reachable(function, choices)
    folder = cache_folder(parts)
    if folder is None:
        return numba.njit(**OPTIONS)(entry)  # type: ignore[no-any-return]
    # A unique name: numba tells cached functions apart by name, not by what they call.
    names = "\n".join(f"{part.__module__}.{part.__qualname__}" for part in parts)
    entry.__qualname__ += "_" + hashlib.sha256(names.encode()).hexdigest()[:16]
    settings: Any = numba.config
    previous, settings.CACHE_DIR = settings.CACHE_DIR, str(folder)
    try:
        return numba.njit(cache=True, **OPTIONS)(entry)  # type: ignore[no-any-return]
    finally:
        settings.CACHE_DIR = previous


def compiled_for_gpu(
    function: Function, choices: Mapping[Function, Function], constants: Mapping[str, int]
) -> Any:
    """`function` with its slots filled, to be launched on a GPU.

    `constants` replace global numbers of its module: sizes that must be known when compiling.
    """
    from numba import cuda

    compiler: Any = cuda
    entry = bind(function, choices, wrap=compiler.jit(device=True))
    entry.__globals__.update(constants)
    return compiler.jit(entry)


def cache_folder(parts: list[Function]) -> Path | None:
    """Where code compiled from `parts` is kept; None if it must not or cannot be kept."""
    import numba

    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    digest.update(package_hash().encode())
    for part in parts:
        path = inspect.getsourcefile(part)
        if path is not None and Path(path).resolve().is_relative_to(PACKAGE):
            continue
        told = _outside_source(part, path)
        if told is None:
            return None
        digest.update(told)
    folder = cache_root() / digest.hexdigest()[:32]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def cache_root() -> Path:
    """The user's folder for compiled code: FLOORLINE_CACHE_DIR, else the system's cache folder."""
    told = os.environ.get("FLOORLINE_CACHE_DIR")
    if told:
        return Path(told)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "floorline"


@cache
def package_hash() -> str:
    """A hash of every source file of this package."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _outside_source(part: Function, path: str | None) -> bytes | None:
    """All that a kernel from outside the package depends on; None if that cannot be read."""
    if path is None or not Path(path).is_file():
        return None
    told = [f"{part.__module__}.{part.__qualname__}".encode(), Path(path).read_bytes()]
    kernels = callees(part)
    for name in global_names(part):
        value = part.__globals__.get(name)
        if name in kernels or value is None or isinstance(value, (types.ModuleType, type)):
            continue
        if not isinstance(value, (bool, int, float, tuple)):
            return None  # its value may have come from anywhere
        told.append(f"{name}={value!r}".encode())
    return b"\0".join(told)
