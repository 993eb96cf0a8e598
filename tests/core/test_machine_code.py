"""Machine code of kernels: what it computes, where it is stored, and what is refused."""

import math
import random
import subprocess
import sys

import numpy as np
import pytest

from floorline.core import machine_code
from floorline.core.kernel import kernel
from floorline.core.machine_code import DamagedCodeError, load, path_of, store
from floorline.core.machine_code_compiler import machine_code as compiled
from floorline.core.packing import pack, pick, picker, take_apart


@kernel
def functions(packed):
    """Apply every function that kernels use."""
    (numbers,) = pick(packed, 0)
    x = numbers[0]
    numbers[1] = math.log(x)
    numbers[2] = math.log1p(x)
    numbers[3] = math.exp(-x)
    numbers[4] = math.expm1(-x)
    numbers[5] = math.sqrt(x)
    numbers[6] = math.lgamma(x)
    numbers[7] = x**0.7
    numbers[8] = 0.1 * x + 0.3 - x * x  # to be neither reordered nor fused


@kernel
def one_of_two(packed):
    """Index a tuple, which may raise."""
    records = pick(packed, 0)
    records[0][0] = records[1][int(records[0][0])]


@kernel
def texts(packed):
    """Call what only numba has."""
    (numbers,) = pick(packed, 0)
    numbers[0] = float(str(int(numbers[0])).count("1"))


def stored(tmp_path, function, records):
    form = take_apart(records).form
    path = tmp_path / "code.o"
    store(path, compiled(function, {pick: picker(form)}))
    return path


def native(tmp_path, function, *records):
    """The machine code of a function, and the views of the arrays that it works on."""
    packed = pack([take_apart(records)])
    run = load(stored(tmp_path, function, records))
    table = np.array([array.ctypes.data for array in packed])
    return lambda: run(table.ctypes.data), packed.float_arrays


def test_results_are_the_same_as_interpreted_to_the_last_bit(tmp_path):
    run, numbers = native(tmp_path, functions, np.zeros(9))
    rng = random.Random(1)
    for _ in range(20_000):
        numbers[0] = x = math.exp(rng.uniform(-20, 12))
        assert run() == 0
        expected = [x, math.log(x), math.log1p(x), math.exp(-x), math.expm1(-x), math.sqrt(x)]
        expected += [math.lgamma(x), x**0.7, 0.1 * x + 0.3 - x * x]
        assert numbers.tolist() == expected


def test_a_kernel_that_raises_returns_another_status(tmp_path):
    run, numbers = native(tmp_path, one_of_two, np.zeros(1), (2.0, 3.0))
    numbers[0] = 1.0
    assert run() == 0 and numbers[0] == 3.0
    numbers[0] = 2.0
    assert run() != 0 and numbers[0] == 2.0


def test_code_that_needs_numba_when_it_runs_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"kernel|cannot be compiled"):
        stored(tmp_path, texts, (np.zeros(1),))


def test_code_that_needs_an_unknown_function_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("floorline.core.machine_code_compiler.LIBRARY", frozenset(["log"]))
    with pytest.raises(ValueError, match=r"kernel functions: needs .*expm1.*floorline_lgamma"):
        stored(tmp_path, functions, (np.zeros(9),))


def test_code_is_found_again_unless_kernel_or_form_has_changed(tmp_path, monkeypatch):
    monkeypatch.setenv("FLOORLINE_CACHE_DIR", str(tmp_path))
    forms = [take_apart(records).form for records in ((np.zeros(1),), (np.zeros(1), 1.0))]
    paths = [path_of(one, {pick: picker(form)}) for one in (functions, texts) for form in forms]
    assert len(set(paths)) == 4
    assert path_of(functions, {pick: picker(forms[0])}) == paths[0]
    monkeypatch.setattr(machine_code, "_processor", lambda: ("another", ""))
    assert path_of(functions, {pick: picker(forms[0])}) != paths[0]


def test_damaged_code_is_not_loaded(tmp_path):
    path = stored(tmp_path, functions, (np.zeros(9),))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedCodeError):
        load(path)


def test_a_kernel_of_unknown_origin_is_not_stored():
    function = kernel(eval("lambda packed: None"))
    assert path_of(function, {}) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the system call is Linux's")
def test_where_new_code_is_forbidden_nothing_is_loaded(tmp_path):
    path = stored(tmp_path, functions, (np.zeros(9),))
    program = (
        "import ctypes, pathlib; from floorline.core.machine_code import load; "
        "refused = ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0\n"  # PR_SET_MDWE, since Linux 6.3
        f"try: load(pathlib.Path({str(path)!r})); print('loaded', refused)\n"
        "except OSError as error: print(error, refused)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout in (
        "this process may not make memory executable True\n",
        "loaded False\n",  # an older Linux
    )


def test_a_process_that_loads_code_does_not_import_numba(tmp_path):
    path = stored(tmp_path, functions, (np.zeros(9),))
    program = (
        "import pathlib, sys; from floorline.core.machine_code import load; "
        f"load(pathlib.Path({str(path)!r})); print('numba' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ("False\n", "")
