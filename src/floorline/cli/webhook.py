"""`floorline webhook`: where alerts are sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from floorline.service.alerts.webhooks import WebhookFile

webhook = typer.Typer(help="Say where a service sends its alerts.", no_args_is_help=True)

DATA = typer.Option(..., envvar="FLOORLINE_DATA", help="The service's data folder.")
ID = typer.Argument(..., metavar="ID", help="The id, as listed.")


def _file(data: Path) -> WebhookFile:
    from floorline.service.alerts.webhooks import WebhookFile
    from floorline.service.host.folder import Folder

    return WebhookFile(Folder(data, create=False).path)


@webhook.command("add")
def add(
    url: str = typer.Argument(..., help="The address that alerts are posted to."),
    data: Path = DATA,
    kinds: str = typer.Option("", help="Only these, separated by commas.", show_default="all"),
) -> None:
    """Send alerts to an address from now on; shows the secret that signs them, once."""
    from floorline.service.alerts.conditions import KINDS

    wanted = [kind for kind in kinds.split(",") if kind] or KINDS
    added = _file(data).add(url, wanted)
    typer.echo(added.secret)
    # Not on standard output, which a script takes for the secret.
    typer.echo(f"webhook {added.id}: {', '.join(added.kinds)}", err=True)


@webhook.command("list")
def list_webhooks(data: Path = DATA) -> None:
    """List the addresses, without their secrets."""
    from rich.console import Console
    from rich.table import Table

    table = Table("id", "url", "alerts")
    for entry in _file(data).webhooks():
        table.add_row(entry.id, entry.url, ", ".join(entry.kinds))
    Console().print(table)


@webhook.command("remove")
def remove(webhook_id: str = ID, data: Path = DATA) -> None:
    """Send nothing more to an address. A running service notices at once."""
    _file(data).remove(webhook_id)
    typer.echo(f"webhook {webhook_id} is removed")


@webhook.command("test")
def test(webhook_id: str = ID, data: Path = DATA) -> None:
    """Send one test message, and say whether it was accepted."""
    from floorline.core.checks import choice
    from floorline.service.alerts.delivery import new_alert, send

    known = {entry.id: entry for entry in _file(data).webhooks()}
    choice("webhook", webhook_id, list(known))
    try:
        send(known[webhook_id], new_alert("test", "raised", None, "a test of this webhook"))
    except OSError as error:
        raise ValueError(f"webhook: {known[webhook_id].url} did not accept it: {error}") from None
    typer.echo("accepted")
