"""Machine code for a GPU, stored and loaded, and how its arguments are laid out; without a GPU."""

import ctypes
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from numba.cuda import types
from numba.cuda.args import ArgHint
from numba.cuda.dispatcher import _Kernel

from floorline.core.fingerprint import Fingerprint
from floorline.simulation.engines.cuda import program as module
from floorline.simulation.engines.cuda.program import Program, flatten


class OnDevice(ArgHint):
    """A two-dimensional array that says it is on a GPU."""

    def __init__(self, address: int) -> None:
        self.shape, self.strides, self.size = (3, 4), (32, 8), 12
        self.dtype, self.ptr = np.dtype(np.float64), address
        self._layout = SimpleNamespace(strides_in_bytes=self.strides)
        self._numba_type_ = types.Array(types.float64, 2, "C")
        self.__cuda_array_interface__ = {"data": (address, False)}

    def to_device(self, writebacks, stream):
        return self


class Record(NamedTuple):
    table: object
    share: float
    fast: bool
    count: int


def plain(values):
    return [value.value if isinstance(value, ctypes._SimpleCData) else value for value in values]


def test_arguments_are_laid_out_as_numba_lays_them_out():
    record = Record(OnDevice(4096), 0.25, True, -7)
    arguments = ((record,), np.uint64(2**64 - 1), 5)
    fields = [record.table._numba_type_, types.float64, types.boolean, types.int64]
    kinds = (types.Tuple([types.NamedTuple(fields, Record)]), types.uint64, types.int64)
    numbas: list = []
    kernel = _Kernel.__new__(_Kernel)
    kernel.extensions = []
    for kind, argument in zip(kinds, arguments, strict=True):
        kernel._prepare_args(kind, argument, 0, [], numbas)
    ours: list = []
    flatten(arguments, ours)
    assert plain(ours) == plain(numbas)
    sizes = [ctypes.sizeof(value) for value in ours if isinstance(value, ctypes._SimpleCData)]
    assert sizes == [8, 1, 8, 8, 8]


def test_arguments_of_another_type_have_another_form():
    arguments = [
        (1, 2.0),
        (1.0, 2.0),
        (True, 2.0),
        (np.uint64(1), 2.0),
        ((1, 2.0),),
        (1, 2.0, 3),
        Record(1, 2.0, True, 3),
        (1, 2.0, True, 3),
        (OnDevice(0), 2.0),
        NamedTuple("Pair", [("a", float), ("b", float)])(1.0, 2.0),
        NamedTuple("Pair", [("b", float), ("a", float)])(1.0, 2.0),
    ]
    forms = [flatten(one, []) for one in arguments]
    assert len(set(forms)) == len(forms)
    assert flatten((5, -1.0), []) == forms[0]


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """The forms that were compiled; machine code is the text of its form."""
    forms: list = []

    def compile_arguments(self, arguments):
        forms.append(flatten(arguments, []))
        return b"entry", b"code\n" + forms[-1].encode()

    loaded = SimpleNamespace(
        from_cubin=lambda code: SimpleNamespace(get_kernel=lambda name: (name, code))
    )
    card = SimpleNamespace(get_current_device=lambda: SimpleNamespace(compute_capability=(9, 0)))
    card.is_cuda_array = lambda argument: False
    monkeypatch.setattr(Program, "_compile", compile_arguments)
    monkeypatch.setattr(module, "ObjectCode", loaded)
    monkeypatch.setattr(module, "cuda", card)
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(module, "launch", lambda stream, grid, kernel, *values: stream(kernel))
    return forms


def start(mark: Fingerprint, variant: str, *arguments: object) -> tuple[str, bytes]:
    """Return the machine code that a new process starts."""
    started: list = []
    Program(lambda: None, mark, variant, followed=False).start(1, 32, started.append, *arguments)
    return started[0]


def test_machine_code_is_compiled_once_and_found_on_disk(compiled):
    mark = Fingerprint("abc", True)
    first = start(mark, "80 registers", 1, 2.0)
    assert first == ("entry", b"code\n" + compiled[0].encode())
    assert start(mark, "80 registers", 3, 4.0) == first and len(compiled) == 1
    start(mark, "80 registers", 1, 2)
    start(mark, "96 registers", 1, 2.0)
    start(Fingerprint("abd", True), "80 registers", 1, 2.0)
    assert len(compiled) == 4, "other arguments, other options, other kernels"


def test_what_has_no_full_fingerprint_is_never_stored(compiled, tmp_path):
    for _ in range(2):
        start(Fingerprint("abc", False), "", 1)
    assert len(compiled) == 2 and not list(tmp_path.iterdir())
