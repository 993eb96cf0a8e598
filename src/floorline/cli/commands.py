"""The commands of `floorline`, each imported on first use.

Importing and describing all of them would take longer than many of them take to run.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup


class CommandEntry(NamedTuple):
    """The module and name of a command, and its line in `floorline --help`."""

    module: str
    name: str
    summary: str


ENTRIES = {
    "simulate": CommandEntry("simulate", "simulate", "Simulate many runs of one policy."),
    "sweep": CommandEntry(
        "sweep",
        "sweep",
        "Simulate every combination of a grid: results.csv, results.parquet, a figure per "
        "instance.",
    ),
    "policies": CommandEntry(
        "policies",
        "policies",
        "List the policies and what each guarantees; those marked `live` can run live campaigns.",
    ),
    "demo": CommandEntry(
        "demo",
        "demo",
        "Run the paper's story: a landing page, its alternatives and a floor under its clicks.",
    ),
    "paper": CommandEntry(
        "paper",
        "paper",
        "Reproduce the paper's experiments: results.csv, figures and report.html.",
    ),
    "bounds": CommandEntry(
        "bounds",
        "bounds",
        "Show every bound of the paper for one setting, and the regret of policies in simulation.",
    ),
    "plan": CommandEntry(
        "plan",
        "plan",
        "Plan a campaign: when it explores, how soon it pays off, and what it may cost.",
    ),
    "replay": CommandEntry(
        "replay",
        "replay",
        "Run a policy on logged data, such as the output of `floorline ledger export`.",
    ),
    "verify": CommandEntry(
        "verify",
        "verify",
        "Count the runs below the floor, and those in which an interval missed its arm's mean.",
    ),
    "serve": CommandEntry("serve", "serve", "Serve live campaigns over HTTP, until interrupted."),
    "backup": CommandEntry(
        "backup",
        "backup",
        "Copy the data folder of a service, which may be running, to a new folder.",
    ),
    "report": CommandEntry(
        "report",
        "report",
        "Write a report of what a campaign promised, earned and did, as one self-contained page.",
    ),
    "campaign": CommandEntry("campaign", "campaign", "Manage the campaigns of a service."),
    "key": CommandEntry("key", "key", "Create, list and revoke the keys of a service."),
    "ledger": CommandEntry(
        "ledger_commands", "app", "Verify, export and explain the ledger of a live campaign."
    ),
    "webhook": CommandEntry("webhook", "webhook", "Manage the webhooks that receive alerts."),
}


@cache
def load(name: str) -> Any:
    """Import and return the command, or group of commands, with this name."""
    entry = ENTRIES[name]
    found = getattr(import_module(f"floorline.cli.{entry.module}"), entry.name)
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        found.command(name)(function)
    command = typer.main.get_command(found)
    command.name = name
    return command


class Commands(TyperGroup):
    """The group of all commands; its help loads none of them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = dict.fromkeys(ENTRIES)  # for its messages about unknown names

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command with this name, or None if there is none."""
        return load(cmd_name) if cmd_name in ENTRIES else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the name and summary of each command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in ENTRIES.items()])
