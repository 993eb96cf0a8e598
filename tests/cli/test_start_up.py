"""What a command loads before it knows what to do."""

import subprocess
import sys

HEAVY = ("numpy", "numba", "matplotlib", "pandas", "rich", "starlette", "uvicorn")


def test_the_command_line_loads_nothing_heavy_before_a_command_runs() -> None:
    code = f"import floorline.cli.main, sys; print([m for m in {HEAVY} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
