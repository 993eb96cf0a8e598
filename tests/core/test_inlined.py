"""Kernels that others inline are translated once, whatever they are called with."""

import numpy as np

from floorline import kernel
from floorline.core import compiler
from floorline.core.inlined import InlinedLibrary


@kernel
def shifted(values, place):
    return values[place] + place


@kernel
def of_a_constant_and_a_variable(values, place):
    return shifted(values, 0) + 10.0 * shifted(values, place)


def test_a_constant_and_a_variable_share_a_translation(monkeypatch):
    monkeypatch.setattr(compiler, "_inner", {})
    monkeypatch.setattr(compiler, "cache_folder", lambda: None)  # it may have been run before
    run = compiler.compiled(of_a_constant_and_a_variable, {})
    assert run(np.array([1.0, 2.0, 3.0]), 2) == 51.0
    (inner,) = compiler._inner.values()
    (overload,) = inner.overloads.values()
    assert isinstance(overload.library, InlinedLibrary)
