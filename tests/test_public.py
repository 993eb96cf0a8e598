"""What `import floorline` offers, and when it is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

import floorline
from floorline import public


def fresh(program: str) -> str:
    """What a program says in a process of its own."""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_all_names_are_there() -> None:
    found: dict[str, object] = {}
    exec("from floorline import *", found)
    for name in public.__all__:
        assert found[name] is getattr(floorline, name) is getattr(public, name)
    assert set(public.__all__) <= set(dir(floorline))


def test_nothing_is_loaded_before_it_is_used() -> None:
    look = "import floorline, sys; print('numpy' in sys.modules); floorline.Gaussian; "
    assert fresh(look + "print('numpy' in sys.modules)").split() == ["False", "True"]


def test_simulate_stays_the_function_though_a_folder_has_its_name() -> None:
    look = "import floorline.simulation.progress; from floorline import simulate; "
    assert fresh(look + "print(type(simulate).__name__)") == "function"


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = floorline.nothing
    with pytest.raises(ImportError, match="nothing"):
        from floorline import nothing  # noqa: F401
