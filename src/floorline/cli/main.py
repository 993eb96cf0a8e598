"""The `floorline` program: its commands, and errors as one line with exit code 2."""

from __future__ import annotations

import atexit
import gc
import re
import sys
import warnings
from typing import Any

import typer

from floorline import __version__
from floorline.cli.commands import Commands
from floorline.cli.interrupts import INTERRUPTED, CtrlC, ending_within_a_second

app = typer.Typer(
    cls=Commands,
    help="Explore with a bandit while reward stays above a floor, at every moment.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # drawing boxes would double the time that --help takes
)

OPTIONS = {
    "environment": "--noise or --adversary",
    "table": "--adversary",
    "changes": "--change",
    "period": "--season",
    "swing": "--season",
    "by_kind": "--segments",
    "key_id": "ID",
    "webhook_id": "ID",
}
"""What sets an argument of the library, where it has a different name here."""

WITH_A_SERVICE = ("serve", "demo")
"""Commands that stop a service cleanly on Ctrl-C, however long that takes."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"floorline {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Explore with a bandit while reward stays above a floor, at every moment."""


def main() -> None:
    """Run the program."""
    gc.set_threshold(100_000)  # loading modules makes many objects, and no garbage
    atexit.register(gc.freeze)  # the last garbage collection takes up to 0.4 seconds
    warnings.showwarning = lambda message, *_: print(
        f"floorline: warning: {message}", file=sys.stderr
    )
    try:
        code = _run()
    except typer.TyperException as error:
        _fail(_refused(error) if isinstance(error, typer.BadParameter) else str(error))
    except ValueError as error:
        # The library's errors name the argument; show the option instead.
        _fail(re.sub(r"^(\w+):", lambda name: f"{option_of(name[1])}:", str(error)))
    else:
        sys.exit(code)


def _run() -> int:
    """Run the command, and return its exit code."""
    if sys.argv[1:2] and sys.argv[1] in WITH_A_SERVICE:
        ctrl_c, code = CtrlC(), app(standalone_mode=False)
    else:
        with ending_within_a_second() as ctrl_c:
            try:
                code = app(standalone_mode=False)
            except Exception:
                if not ctrl_c.pressed:
                    raise
                code = INTERRUPTED  # the compiler raised another error in its place
    if code == INTERRUPTED:
        ctrl_c.end()
    return int(code or 0)


def option_of(argument: str) -> str:
    """Return the option, or argument, that sets an argument of the library."""
    return OPTIONS.get(argument, f"--{argument.replace('_', '-')}")


def _refused(error: typer.BadParameter) -> str:
    """Return why a value was refused, in the words of the library's own checks where it can."""
    details: list[dict[str, Any]] = getattr(error.__cause__, "errors", list)()
    allowed = {"float_parsing": "a number", "int_parsing": "a whole number"}
    if error.param is None or len(details) != 1 or details[0]["type"] not in allowed:
        return error.format_message()
    given = details[0]["input"]
    return f"{error.param.opts[0]}: must be {allowed[details[0]['type']]}, not {given!r}"


def _fail(message: str) -> None:
    if message:  # empty if no command was given and help was shown
        print(f"floorline: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
