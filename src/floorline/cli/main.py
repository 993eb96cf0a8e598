"""The `floorline` program: its commands, and errors as one line with exit code 2."""

from __future__ import annotations

import re
import sys
import warnings

import typer

from floorline import __version__
from floorline.cli import (
    backup,
    bounds,
    demo,
    key,
    ledger,
    ledger_move,
    paper,
    plan,
    policies,
    report,
    serve,
    simulate,
    sweep,
    verify,
)

app = typer.Typer(
    help="Explore with a bandit while reward stays above a floor, at every moment.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("simulate")(simulate.simulate)
app.command("sweep")(sweep.sweep)
app.command("policies")(policies.policies)
app.command("demo")(demo.demo)
app.command("paper")(paper.paper)
app.command("bounds")(bounds.bounds)
app.command("plan")(plan.plan)
app.command("verify")(verify.verify)
app.command("serve")(serve.serve)
app.command("backup")(backup.backup)
app.command("report")(report.report)
app.add_typer(key.key, name="key")
ledger.app.command("move")(ledger_move.move)
ledger.app.command("migrate")(ledger_move.migrate)
app.add_typer(ledger.app, name="ledger")


OPTIONS = {"environment": "--noise or --adversary", "table": "--adversary"}
"""The options for arguments of the library that go by another name here."""

INTERRUPTED = 130
"""The exit code of a program ended by Ctrl-C."""


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
    warnings.showwarning = lambda message, *_: print(
        f"floorline: warning: {message}", file=sys.stderr
    )
    try:
        code = app(standalone_mode=False)
    except typer.TyperException as error:
        _fail(error.format_message() if isinstance(error, typer.BadParameter) else str(error))
    except ValueError as error:
        # The library names the argument; here the same words name the option.
        _fail(re.sub(r"^(\w+):", lambda name: f"{option_of(name[1])}:", str(error)))
    else:
        if code == INTERRUPTED:
            print("floorline: stopped", file=sys.stderr)
        sys.exit(code)


def option_of(argument: str) -> str:
    """Return the option that sets an argument of the library."""
    return OPTIONS.get(argument, f"--{argument.replace('_', '-')}")


def _fail(message: str) -> None:
    if message:  # there is none when nothing was asked for and help was shown
        print(f"floorline: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
