"""What a command loads before it knows what to do."""

import subprocess
import sys

HEAVY = (
    *("numpy", "numba", "matplotlib", "pandas", "scipy", "pyarrow"),
    *("starlette", "uvicorn", "msgspec", "apsw", "psycopg", "asyncio"),
)
SHOW_EVERY_HELP = """
import contextlib, typer.main, floorline.cli.main as program

def show(group, words):
    with contextlib.suppress(SystemExit):
        program.app([*words, "--help"])
    for name, command in getattr(group, "commands", {}).items():
        show(command, [*words, name])

show(typer.main.get_command(program.app), [])
"""


def run(code: str, *modules: str) -> tuple[str, str]:
    """What a program prints, and which of the modules it has loaded at its end."""
    ending = f"import sys; print([m for m in {modules} if m in sys.modules], file=sys.stderr)"
    command = [sys.executable, "-c", f"{code}\n{ending}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return found.stdout, found.stderr


def test_the_command_line_loads_nothing_heavy_before_a_command_runs() -> None:
    assert run("import floorline.cli.main", "rich", *HEAVY) == ("", "[]\n")


def test_no_help_loads_anything_heavy() -> None:
    shown, loaded = run(SHOW_EVERY_HELP, *HEAVY)
    for command in ("serve", "key create", "ledger export", "webhook add", "plan"):
        assert f" {command} [OPTIONS]" in shown
    assert loaded == "[]\n"
