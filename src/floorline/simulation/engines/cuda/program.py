"""Programs of a GPU: compiled by numba once, then loaded from disk as machine code.

numba's own cache would first load its tables of all known functions. That takes most of a second,
and machine code needs none of them: only the name of its entry point, and its arguments laid out as
numba does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np
from cuda.core import LaunchConfig, ObjectCode, launch
from numba import cuda as _cuda

from floorline.core.code_cache import write_code
from floorline.core.compiler import cache_folder, compilation
from floorline.core.fingerprint import Fingerprint, fingerprint
from floorline.core.kernel import Function, bind
from floorline.simulation.engines.cuda.pointers import followed_pointers

cuda: Any = _cuda

_programs: dict[object, Program] = {}


def program(
    function: Function,
    choices: Mapping[Function, Function],
    constants: Mapping[str, int],
    registers: int | None = None,
    *,
    followed: bool = False,
) -> Program:
    """Return the program of a function with its slots filled.

    Args:
        function: what each thread calls.
        choices: the kernel for each slot.
        constants: replace global numbers of its module: sizes known at compile time.
        registers: the most that a thread uses; by default as many as it needs.
        followed: whether to compile with `followed_pointers`.
    """
    mark = fingerprint(function, choices)
    variant = (*sorted(constants.items()), registers, followed)
    # The key includes the functions, so that two with equal fingerprints are never confused.
    key = (mark, function, frozenset(choices.items()), variant)
    if key not in _programs:
        build = partial(_compiler, function, choices, constants, registers)
        _programs[key] = Program(build, mark, repr(variant), followed=followed)
    return _programs[key]


def _compiler(
    function: Function,
    choices: Mapping[Function, Function],
    constants: Mapping[str, int],
    registers: int | None,
) -> Any:
    """Return numba's compiler of the function."""
    if simulated():  # numba's simulator runs plain functions, and much faster
        entry, options = bind(function, choices, _keep), {}
    else:
        entry, options = bind(function, choices, _compile_inner), {"max_registers": registers}
    entry.__globals__.update(constants)
    return cuda.jit(**options)(entry)


def _keep(copy: Function, original: Function) -> Function:
    return copy


def _compile_inner(copy: Function, original: Function) -> Any:
    return cuda.jit(device=True, fastmath=getattr(original, "__rough__", False))(copy)


def simulated() -> bool:
    """Return whether there is no GPU, only numba's simulator, in which kernels have no atomics."""
    settings: Any = numba.config
    return bool(settings.ENABLE_CUDASIM)


class Program:
    """The program of a GPU's threads, in machine code for each form of its arguments."""

    def __init__(
        self, build: Callable[[], Any], mark: Fingerprint, variant: str, *, followed: bool
    ) -> None:
        self._build, self._mark, self._variant, self._followed = build, mark, variant, followed
        self._kernels: dict[str, Any] = {}

    @cached_property
    def _compiler(self) -> Any:
        return self._build()

    @property
    def loaded(self) -> bool:
        """Whether there is machine code for some form of arguments, or none is needed."""
        return simulated() or bool(self._kernels)

    def start(self, blocks: int, threads: int, stream: Any, *arguments: Any) -> None:
        """Start it on a grid, without waiting for its end."""
        if simulated():
            self._compiler[blocks, threads, stream](*arguments)
            return
        values: list[Any] = []
        form = flatten(arguments, values)
        if form not in self._kernels:
            self._kernels[form] = self._kernel(form, arguments)
        launch(stream, LaunchConfig(grid=blocks, block=threads), self._kernels[form], *values)

    def _kernel(self, form: str, arguments: tuple[Any, ...]) -> Any:
        """Return the machine code for arguments of a form, from disk or compiled."""
        path = self._path(form)
        if path is not None and path.exists():
            name, _, code = path.read_bytes().partition(b"\n")
        else:
            name, code = self._compile(arguments)
            if path is not None:
                write_code(path, name + b"\n" + code)
        return ObjectCode.from_cubin(code).get_kernel(name.decode())

    def _path(self, form: str) -> Path | None:
        """Return the file of the machine code; None if it must not or cannot be stored."""
        folder = code_folder() if self._mark.complete else None
        if folder is None:
            return None
        card = cuda.get_current_device().compute_capability
        facts = f"{self._mark.digest} {self._variant} {form} {card} {compiler_version()}"
        return folder / (hashlib.sha256(facts.encode()).hexdigest()[:32] + ".cubin")

    def _compile(self, arguments: tuple[Any, ...]) -> tuple[bytes, bytes]:
        """Return the name of the entry and the machine code."""
        from numba.cuda.typing.typeof import typeof

        with compilation(), followed_pointers() if self._followed else nullcontext():
            kernel = self._compiler.compile(tuple(typeof(argument) for argument in arguments))
        return kernel.entry_name.encode(), bytes(kernel._codelibrary.get_cubin().code)


def code_folder() -> Path | None:
    """Return the folder of machine code, with all that is read only once to find a file in it."""
    compiler_version()
    return cache_folder()


@cache
def compiler_version() -> str:
    """Return the version of the compiler, looked up once, since that takes milliseconds."""
    return version("numba-cuda")


def flatten(argument: Any, values: list[Any]) -> str:
    """Append an argument's parts to `values`, as numba lays them out; return its form."""
    if isinstance(argument, tuple):
        parts = ",".join(flatten(part, values) for part in argument)
        kind = type(argument)
        return f"{kind.__module__}.{kind.__qualname__}{getattr(kind, '_fields', '')}({parts})"
    if cuda.is_cuda_array(argument):
        address, _ = argument.__cuda_array_interface__["data"]
        values += [0, 0, argument.size, argument.dtype.itemsize, address]
        values += [*argument.shape, *argument.strides]
        return str(argument._numba_type_)
    dtype = np.asarray(argument).dtype
    values.append(np.ctypeslib.as_ctypes_type(dtype)(argument))
    return dtype.str
