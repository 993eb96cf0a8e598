"""Compiles kernels to machine code that can be loaded without numba."""

# mypy: allow-untyped-calls

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from floorline.core.compiler import INNER, OPTIONS, bind_compiled, compilation
from floorline.core.kernel import Function
from floorline.core.machine_code import ENTRY, LOG_GAMMA, target_machine
from floorline.core.packing import Packed

ENOUGH = 2**40
"""The stated length of packed arrays: what is in them is bounded by `Packed` itself."""

LIBRARY = frozenset(("exp", "expm1", "log", "log1p", "log2", "pow", "sqrt", LOG_GAMMA))
"""The only functions that machine code may call, since numba's own are not there when it runs."""

TRAMPOLINE = """
define i32 @{entry}(ptr %table) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @{compiled}(ptr %result, ptr %error, ptr %table)
  ret i32 %status
}}
"""
"""Calls a function as numba's functions call each other; the status is 0 unless it raised."""


def machine_code(function: Function, choices: Mapping[Function, Function]) -> bytes:
    """Return the machine code of `function(packed)`, with the entry point `ENTRY`.

    The entry point takes the address of a table with the addresses of the arrays of `Packed`.

    Raises:
        ValueError: a kernel cannot be compiled, or needs more than the C library.
    """
    with compilation():
        run = numba.njit(**INNER)(bind_compiled(function, choices))

        def call(table: Any) -> int:
            run(
                Packed(
                    float_rows(table[0]),
                    whole_rows(table[1]),
                    whole_rows(table[2]),
                    whole_rows(table[3]),
                    floats(table[4]),
                    wholes(table[5]),
                )
            )
            return 0

        signature: Any = types.int64(types.CPointer(types.int64))
        options = {**OPTIONS, "no_cpython_wrapper": True}
        compiled: Any = numba.njit(signature, **options)(call)
        (overload,) = compiled.overloads.values()
    text = overload.library.get_llvm_str()
    text += TRAMPOLINE.format(entry=ENTRY, compiled=overload.fndesc.llvm_func_name)
    module = llvm.parse_assembly(re.sub(r"@lgamma\b", f"@{LOG_GAMMA}", text))
    called = {one.name for one in module.functions if one.is_declaration}
    missing = {name for name in called - LIBRARY if not name.startswith("llvm.")}
    if missing:
        raise ValueError(f"kernel {function.__qualname__}: needs {', '.join(sorted(missing))}")
    return target_machine().emit_object(module)  # type: ignore[no-any-return]


def _array_at(kind: types.Array) -> Any:
    """Return a function for compiled code: the array of this type at an address."""

    @intrinsic
    def array_at(context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            size, item, one = (context.get_constant(types.intp, n) for n in (ENOUGH, 8, 1))
            rows = kind.ndim == 2  # one row, of any length
            array = make_array(kind)(context, builder)
            populate_array(
                array,
                data=builder.inttoptr(arguments[0], context.get_data_type(kind.dtype).as_pointer()),
                shape=cgutils.pack_array(builder, [one, size] if rows else [size]),
                strides=cgutils.pack_array(builder, [item, item] if rows else [item]),
                itemsize=item,
                meminfo=None,
            )
            return array._getvalue()

        return kind(types.int64), generate

    return array_at


floats, wholes, float_rows, whole_rows = (
    _array_at(types.Array(dtype, dimensions, "C"))
    for dimensions in (1, 2)
    for dtype in (types.float64, types.int64)
)
