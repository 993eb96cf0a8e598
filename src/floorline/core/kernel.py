"""Kernels: formulas written once, then called as plain Python or compiled.

A kernel is an ordinary function of scalars, named tuples and one-dimensional
arrays. It may call other kernels, by name. A slot is a kernel left open: the
loop calls `propose`, and `bind` decides which formula that is.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
Function = Callable[..., Any]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function`, marked as a kernel: an ordinary Python function that can be compiled.

    >>> @kernel
    ... def first_arm(rules, arms, memory, round, rng):
    ...     return 0
    >>> from floorline import Proposer
    >>> always_default = Proposer(first_arm)
    """
    function.__kernel__ = True  # type: ignore[attr-defined]
    return function


def slot(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function`, marked as a slot, for which `bind` substitutes a kernel."""
    function.__slot__ = True  # type: ignore[attr-defined]
    return kernel(function)


def rough(function: Callable[P, R]) -> Callable[P, R]:
    """Return `function`, marked as a kernel in which a GPU may use fast approximate functions."""
    function.__rough__ = True  # type: ignore[attr-defined]
    return kernel(function)


def is_kernel(value: object) -> bool:
    """Return whether `value` is a function marked by `kernel` or `slot`."""
    return getattr(value, "__kernel__", False) is True


def is_slot(value: object) -> bool:
    """Return whether `value` is a function marked by `slot`."""
    return getattr(value, "__slot__", False) is True


def global_names(function: Function) -> list[str]:
    """Return the global names that `function` uses, builtins included."""
    return _global_names(function.__code__)


@cache  # reading the code of all kernels would take longer than a short simulation
def _global_names(code: types.CodeType) -> list[str]:
    instructions = dis.get_instructions(code)
    return sorted({item.argval for item in instructions if item.opname == "LOAD_GLOBAL"})


def callees(function: Function) -> dict[str, Function]:
    """Return the kernels that `function` calls, by the global name it uses for them.

    Raises:
        ValueError: it calls a function that is not a kernel, or closes over
            variables; neither can be compiled and cached.
    """
    if function.__code__.co_freevars:
        raise ValueError(
            f"kernel {function.__qualname__}: must not use variables of an enclosing function "
            f"({', '.join(function.__code__.co_freevars)}); pass them in its rules"
        )
    kernels = {}
    for name in global_names(function):
        value = function.__globals__.get(name)
        if value is not None and is_kernel(value):
            kernels[name] = value
        elif isinstance(value, types.FunctionType):
            raise ValueError(
                f"kernel {function.__qualname__}: calls {name}, which is not a kernel; "
                "decorate it with @kernel"
            )
    return kernels


def reachable(function: Function, choices: Mapping[Function, Function]) -> list[Function]:
    """Return `function` and every kernel it calls, directly or not, with the slots filled."""
    visited: dict[Function, None] = {}

    def visit(callee: Function) -> None:
        chosen = choices.get(callee, callee)
        if chosen in visited:
            return
        if is_slot(chosen):
            raise ValueError(f"kernel slot {chosen.__qualname__} is not filled")
        if chosen is not callee:
            _check_parameters(chosen, callee)
        visited[chosen] = None
        for inner in callees(chosen).values():
            visit(inner)

    visit(function)
    return list(visited)


def _check_parameters(function: Function, filled: Function) -> None:
    """Raise unless `function` can be called as the slot that it fills is."""
    given, wanted = (
        one.__code__.co_varnames[: one.__code__.co_argcount] for one in (function, filled)
    )
    optional = len(function.__defaults__ or ())
    if not len(given) - optional <= len(wanted) <= len(given):
        raise ValueError(
            f"kernel {function.__qualname__}: must take ({', '.join(wanted)}), as "
            f"{filled.__name__} does, not ({', '.join(given)})"
        )


def bind(
    function: Function,
    choices: Mapping[Function, Function],
    wrap: Callable[[Function, Function], Function] | None = None,
) -> Function:
    """Return a copy of `function` with the slots filled in all kernels that it calls.

    Each of those is copied too, with the kernels it calls bound as its globals,
    and passed through `wrap`, a compiler, with the kernel that it is a copy of. The
    outermost copy is returned unwrapped, because engines compile it with other options.
    Interpreted copies are shared by all that make the same choices.
    """
    copies = _interpreted(frozenset(choices.items())) if wrap is None else {}

    def copy_of(original: Function) -> types.FunctionType:
        names = {name: bound(callee) for name, callee in callees(original).items()}
        copy = types.FunctionType(
            original.__code__.replace(),  # Python adapts it to the globals of this copy
            {**original.__globals__, **names},
            original.__name__,
            original.__defaults__,
        )
        copy.__qualname__ = original.__qualname__
        copy.__module__ = original.__module__
        copy.__kwdefaults__ = original.__kwdefaults__
        copy.__dict__.update(original.__dict__)
        return copy

    def bound(callee: Function) -> Function:
        chosen = choices.get(callee, callee)
        if chosen not in copies:
            copy = copy_of(chosen)
            copies[chosen] = copy if wrap is None else wrap(copy, chosen)
        return copies[chosen]

    if wrap is None and function in copies:
        return copies[function]
    reachable(function, choices)  # fails on an unfilled slot, before any work
    copy = copy_of(function)
    return copies.setdefault(function, copy) if wrap is None else copy


@lru_cache(maxsize=256)
def _interpreted(choices: frozenset[tuple[Function, Function]]) -> dict[Function, Function]:
    """Return the interpreted copies made so far with these choices."""
    return {}
