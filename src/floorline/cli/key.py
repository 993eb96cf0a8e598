"""`floorline key`: create, list and revoke the service's keys."""

from __future__ import annotations

import time
from collections.abc import Iterable

import typer

from floorline.cli.options import DATA

key = typer.Typer(
    help="Create, list and revoke the keys of a service.",
    no_args_is_help=True,
    add_completion=False,
)

CAMPAIGN = typer.Option([], help="Limit the key to this campaign; repeatable.")
CREATE = typer.Option(False, "--create", help="Create an empty data folder if there is none yet.")


def _shown(campaigns: Iterable[str] | None) -> str:
    """Return the campaigns that a key is limited to, for display."""
    return ", ".join(campaigns or ()) or "all"


@key.command("create")
def create_key(
    data: str = DATA,
    scopes: str = typer.Option(..., help="One or more of decide,reward,read,admin."),
    name: str = typer.Option("", help="What the key is for."),
    campaign: list[str] = CAMPAIGN,
    create: bool = CREATE,
) -> None:
    """Create a key and show it, once. Only its hash is stored."""
    from floorline.service.data import opened_data

    chosen = [scope for scope in scopes.split(",") if scope]
    with opened_data(data, create=create) as opened:
        typer.echo(opened.keys.create(chosen, name, campaign or None))
    # On standard error: scripts read the key from standard output.
    typer.echo(f"scopes: {', '.join(chosen)}; campaigns: {_shown(campaign)}", err=True)


@key.command("list")
def list_keys(data: str = DATA) -> None:
    """List the keys, without their secrets."""
    from rich.console import Console
    from rich.table import Table

    from floorline.service.data import opened_data

    table = Table("id", "name", "scopes", "campaigns", "created")
    with opened_data(data) as opened:
        entries = opened.keys.keys().values()
    for entry in entries:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.created_at))
        table.add_row(entry.id, entry.name, ",".join(entry.scopes), _shown(entry.campaigns), when)
    Console().print(table)


@key.command("revoke")
def revoke(
    key_id: str = typer.Argument(..., metavar="ID", help="The id, as listed."), data: str = DATA
) -> None:
    """Make a key invalid. A running service notices within a second."""
    from floorline.service.data import opened_data

    with opened_data(data) as opened:
        opened.keys.revoke(key_id)
    typer.echo(f"key {key_id} is revoked")
