"""What a command loads before it knows what to do."""

import subprocess
import sys

import pytest

from floorline.cli.commands import ENTRIES, load

HEAVY = (
    *("numpy", "numba", "matplotlib", "pandas", "scipy", "pyarrow"),
    *("starlette", "uvicorn", "msgspec", "apsw", "psycopg", "asyncio"),
)
COMMANDS = [f"floorline.cli.{entry.module}" for entry in ENTRIES.values()]


def test_help_loads_nothing_heavy_and_no_command() -> None:
    code = f"""
import sys
from floorline.cli.main import app
app(["--help"], standalone_mode=False)
print([m for m in {("rich", *HEAVY, *COMMANDS)} if m in sys.modules])"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *help_text, loaded = found.stdout.splitlines()
    assert loaded == "[]"
    assert [line.split()[0] for line in help_text if line[:2] == "  " and line[2:3].islower()] == [
        *ENTRIES
    ]


def test_no_help_of_a_command_loads_anything_heavy() -> None:
    code = f"""
import sys
from floorline.cli.commands import ENTRIES, load
from floorline.cli.main import app

def show(command, words):
    app([*words, "--help"], standalone_mode=False)
    for name, inner in getattr(command, "commands", {{}}).items():
        show(inner, [*words, name])

for name in ENTRIES:
    show(load(name), [name])
print([m for m in {HEAVY} if m in sys.modules])"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for command in ("serve", "key create", "ledger export", "webhook add", "plan"):
        assert f" {command} [OPTIONS]" in found.stdout
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", ENTRIES)
def test_help_says_of_a_command_what_the_command_says(name: str) -> None:
    assert load(name).get_short_help_str(200) == ENTRIES[name].summary
