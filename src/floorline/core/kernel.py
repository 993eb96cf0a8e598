"""Kernels: formulas written once, then called as plain Python or compiled.

A kernel is an ordinary function of scalars, named tuples and one-dimensional
arrays. It may call other kernels, by name. A slot is a kernel left open: the
loop calls `propose`, and which formula that is gets decided by `bind`.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
Function = Callable[..., Any]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Mark `function` as a kernel. It stays an ordinary Python function."""
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def slot(function: Callable[P, R]) -> Callable[P, R]:
    """Mark `function` as an open place in a kernel, to be filled by `bind`."""
    function.__slot__ = True  # type: ignore[attr-defined]
    return kernel(function)


def rough(function: Callable[P, R]) -> Callable[P, R]:
    """Mark `function` as a kernel for which a GPU may take its fast, less exact functions."""
    function.__rough__ = True  # type: ignore[attr-defined]
    return kernel(function)


def is_kernel(value: object) -> bool:
    """Whether `value` is a function marked by `kernel` or `slot`."""
    return getattr(value, "__kernel__", False) is True


def global_names(function: Function) -> list[str]:
    """The names that `function` looks up outside itself, builtins included."""
    return _global_names(function.__code__)


@cache  # reading the code of all kernels would take longer than a short simulation
def _global_names(code: types.CodeType) -> list[str]:
    steps = dis.get_instructions(code)
    return sorted({step.argval for step in steps if step.opname == "LOAD_GLOBAL"})


def callees(function: Function) -> dict[str, Function]:
    """The kernels that `function` calls, by the global name it uses for them.

    Raises:
        ValueError: it calls a function that is not a kernel, or closes over
            variables; neither can be compiled and kept.
    """
    if function.__code__.co_freevars:
        raise ValueError(
            f"kernel {function.__qualname__}: must not use variables of an enclosing function "
            f"({', '.join(function.__code__.co_freevars)}); pass them in its rules"
        )
    found = {}
    for name in global_names(function):
        value = function.__globals__.get(name)
        if value is not None and is_kernel(value):
            found[name] = value
        elif isinstance(value, types.FunctionType):
            raise ValueError(
                f"kernel {function.__qualname__}: calls {name}, which is not a kernel; "
                "decorate it with @kernel"
            )
    return found


def reachable(function: Function, choices: Mapping[Function, Function]) -> list[Function]:
    """`function` and every kernel it leads to once the slots are filled, each once."""
    found: dict[Function, None] = {}

    def visit(one: Function) -> None:
        one = choices.get(one, one)
        if one in found:
            return
        if getattr(one, "__slot__", False):
            raise ValueError(f"kernel slot {one.__qualname__} is not filled")
        found[one] = None
        for callee in callees(one).values():
            visit(callee)

    visit(function)
    return list(found)


def bind(
    function: Function,
    choices: Mapping[Function, Function],
    wrap: Callable[[Function, Function], Function] = lambda twin, one: twin,
) -> Function:
    """A copy of `function` whose slots are filled, all the way down.

    Every kernel on the way is copied too, with the kernels it calls bound as
    its globals, and handed to `wrap` (a compiler, or nothing) with the kernel
    that it is a copy of. The outermost copy is returned unwrapped, because
    engines compile it with other options.
    """
    copies: dict[Function, Function] = {}

    def copy(one: Function) -> types.FunctionType:
        names = {name: bound(callee) for name, callee in callees(one).items()}
        twin = types.FunctionType(
            one.__code__, {**one.__globals__, **names}, one.__name__, one.__defaults__
        )
        twin.__qualname__ = one.__qualname__
        twin.__module__ = one.__module__
        twin.__kwdefaults__ = one.__kwdefaults__
        twin.__dict__.update(one.__dict__)
        return twin

    def bound(one: Function) -> Function:
        one = choices.get(one, one)
        if one not in copies:
            copies[one] = wrap(copy(one), one)
        return copies[one]

    reachable(function, choices)  # an unfilled slot is an error before any work
    return copy(function)
