"""Machine code of kernels: compiled by numba once, then loaded from disk without numba.

Importing numba and loading its own compiled functions would take most of a second in every process.
Results are the same as interpreted to the last bit: both call the C library's functions, and for
the one that Python does not take from there, machine code calls Python's. Kernels multiply instead
of raising to a constant power, which numba turns into a product and Python does not.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import mmap
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any

from floorline.core.code_cache import folder_for, write_code
from floorline.core.fingerprint import fingerprint
from floorline.core.kernel import Function

LOG_GAMMA = "floorline_lgamma"
"""The name by which machine code calls Python's `math.lgamma`."""

ENTRY = "floorline_entry"
"""The name of the function in a file of machine code."""

Native = Callable[[int], int]
"""Runs machine code on the arrays in a table of addresses, given the table's own address; returns 0
unless a kernel failed."""


class DamagedCodeError(OSError):
    """A file of machine code is damaged."""


_loading = Lock()

_loaded: dict[Path, tuple[Native, Any]] = {}
"""Loaded functions, each with the engine that owns its memory."""


def path_of(function: Function, choices: Mapping[Function, Function]) -> Path | None:
    """Return the file of the machine code of `function` with its slots filled.

    None if it cannot be stored: kernels of unknown origin, or no folder that can be written.
    """
    mark = fingerprint(function, choices)
    folder = folder_for("machine code") if mark.complete else None
    if folder is None:
        return None
    facts = f"{mark.digest} {_processor()} {version('llvmlite')}"
    return folder / (hashlib.sha256(facts.encode()).hexdigest()[:32] + ".o")


def load(path: Path) -> Native:
    """Return the machine code in a file as a function, which is kept for the whole process.

    It keeps the interpreter's lock: releasing it would let another thread in at every call.

    Not for the main thread, where Ctrl-C could interrupt LLVM and corrupt its memory.

    Raises:
        DamagedCodeError: the file is damaged.
        OSError: there is no such file, or this process may not run new code.
    """
    with _loading:  # an engine that is replaced frees its code, which may be in use
        if path not in _loaded:
            _loaded[path] = _load(path)
        return _loaded[path][0]


def _load(path: Path) -> tuple[Native, Any]:
    import llvmlite.binding as llvm

    if not may_run_new_code():
        raise OSError("this process may not make memory executable")
    code = _read(path)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(ENTRY)
    return ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address), engine


@cache
def may_run_new_code() -> bool:
    """Return whether memory that was written to may be executed; if not, LLVM would crash.

    systemd's MemoryDenyWriteExecute and SELinux forbid it.
    """
    if not hasattr(mmap, "PROT_EXEC"):  # on Windows nothing forbids it
        return True
    page = mmap.mmap(-1, mmap.PAGESIZE)
    page.write(b"\0")
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return bool(protect(address, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) == 0)


def store(path: Path, code: bytes) -> None:
    """Store machine code in a file, with a checksum: damaged code could do anything."""
    write_code(path, hashlib.sha256(code).digest() + code)


def _read(path: Path) -> bytes:
    """Return the machine code that `store` has written."""
    content = path.read_bytes()
    size = hashlib.sha256().digest_size
    if hashlib.sha256(content[size:]).digest() != content[:size]:
        raise DamagedCodeError(f"{path}: is damaged")
    return content[size:]


def target_machine() -> Any:
    """Return LLVM's description of this machine, for code that is loaded into this process."""
    import llvmlite.binding as llvm

    _start_llvm()
    cpu, features = _processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="jitdefault", jit=True
    )


@cache
def _processor() -> tuple[str, str]:
    """Return the name of this processor, and what it can do."""
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def _start_llvm() -> Any:
    """Prepare LLVM to load code; return what must not be discarded."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    log_gamma = ctypes.PYFUNCTYPE(ctypes.c_double, ctypes.c_double)(math.lgamma)
    llvm.add_symbol(LOG_GAMMA, ctypes.cast(log_gamma, ctypes.c_void_p).value)
    return log_gamma
