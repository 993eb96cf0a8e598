"""What a command loads before it knows what to do."""

import inspect
import subprocess
import sys
from collections.abc import Iterator

import pytest

from floorline.cli.commands import ENTRIES, load

HEAVY = (
    *("numpy", "numba", "matplotlib", "pandas", "scipy", "pyarrow"),
    *("starlette", "uvicorn", "msgspec", "apsw", "psycopg", "asyncio"),
)
COMMANDS = [f"floorline.cli.{entry.module}" for entry in ENTRIES.values()]
SHOW_EVERY_HELP = """
import contextlib, floorline.cli.main as program
from floorline.cli.commands import ENTRIES, load

def show(command, words):
    with contextlib.suppress(SystemExit):
        program.app([*words, "--help"])
    for name, inner in getattr(command, "commands", {}).items():
        show(inner, [*words, name])

for name in ENTRIES:
    show(load(name), [name])
"""


def run(code: str, *modules: str) -> tuple[str, str]:
    """Return what a program prints, and which of the modules it has loaded at its end."""
    ending = f"import sys; print([m for m in {modules} if m in sys.modules], file=sys.stderr)"
    command = [sys.executable, "-c", f"{code}\n{ending}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return found.stdout, found.stderr


def test_help_loads_nothing_heavy_and_no_command() -> None:
    code = 'from floorline.cli.main import app; app(["--help"], standalone_mode=False)'
    shown, loaded = run(code, "rich", *HEAVY, *COMMANDS)
    lines = shown.splitlines()
    names = [line.split()[0] for line in lines if line[:2] == "  " and line[2:3].islower()]
    assert (names, loaded) == ([*ENTRIES], "[]\n")


def test_no_help_loads_anything_heavy() -> None:
    shown, loaded = run(SHOW_EVERY_HELP, *HEAVY)
    for command in ("serve", "key create", "ledger export", "webhook add", "plan"):
        assert f" {command} [OPTIONS]" in shown
    assert "--install-completion" not in shown, "it would be that of one group of commands"
    assert "``" not in shown, "what was in brackets was taken for markup"
    assert loaded == "[]\n"


def test_the_service_loads_no_compiler_and_nothing_for_figures_or_databases() -> None:
    unused = ("numba", "matplotlib", "pandas", "scipy", "pyarrow", "psycopg")
    assert run("import floorline.service.server", "uvicorn", *unused)[1] == "['uvicorn']\n"


def test_python_ends_without_a_search_for_garbage() -> None:
    code = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 0)); "
        "sys.argv = ['floorline', '--version']; from floorline.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[1:] == ["True"]


@pytest.mark.parametrize("name", ENTRIES)
def test_help_says_of_a_command_what_the_command_says(name: str) -> None:
    assert load(name).get_short_help_str(200) == ENTRIES[name].summary


def test_what_prints_json_names_its_settings() -> None:
    """Each command with --format has its context, from which `settings_of` reads them."""

    def commands(command: object) -> Iterator[object]:
        inner = getattr(command, "commands", None)
        if inner is None:
            yield command
        for one in (inner or {}).values():
            yield from commands(one)

    shown = {"export"}  # which prints what was asked for, not an answer
    for name in ENTRIES:
        for command in commands(load(name)):
            if any(one.name == "format" for one in command.params) and command.name not in shown:
                assert "settings_of(" in inspect.getsource(inspect.unwrap(command.callback))
