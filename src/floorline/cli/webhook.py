"""`floorline webhook`: where alerts are sent."""

from __future__ import annotations

import typer

from floorline.cli.options import DATA

webhook = typer.Typer(
    help="Manage the webhooks that receive alerts.",
    no_args_is_help=True,
    add_completion=False,
)

ID = typer.Argument(..., metavar="ID", help="The id, as listed.")


@webhook.command("add")
def add(
    url: str = typer.Argument(..., help="The address that alerts are posted to."),
    data: str = DATA,
    kinds: str = typer.Option("", help="Kinds of alerts, separated by commas.", show_default="all"),
) -> None:
    """Send alerts to an address from now on, and show the secret that signs them, once."""
    from floorline.service.alerts.conditions import KINDS
    from floorline.service.data import opened_data

    wanted = [kind for kind in kinds.split(",") if kind] or KINDS
    with opened_data(data) as opened:
        added = opened.webhooks.add(url, wanted)
    typer.echo(added.secret)
    # On standard error: scripts read the secret from standard output.
    typer.echo(f"webhook {added.id}: {', '.join(added.kinds)}", err=True)


@webhook.command("list")
def list_webhooks(data: str = DATA) -> None:
    """List the addresses, without their secrets."""
    from rich.console import Console
    from rich.table import Table

    from floorline.service.data import opened_data

    table = Table("id", "url", "alerts")
    with opened_data(data) as opened:
        entries = opened.webhooks.webhooks()
    for entry in entries:
        table.add_row(entry.id, entry.url, ", ".join(entry.kinds))
    Console().print(table)


@webhook.command("remove")
def remove(webhook_id: str = ID, data: str = DATA) -> None:
    """Stop sending alerts to an address. A running service notices at once."""
    from floorline.service.data import opened_data

    with opened_data(data) as opened:
        opened.webhooks.remove(webhook_id)
    typer.echo(f"webhook {webhook_id} is removed")


@webhook.command("test")
def test(webhook_id: str = ID, data: str = DATA) -> None:
    """Send one test message, and say whether it was accepted."""
    from floorline.core.checks import require
    from floorline.service.alerts.delivery import new_alert, send
    from floorline.service.data import opened_data

    with opened_data(data) as opened:
        known = {entry.id: entry for entry in opened.webhooks.webhooks()}
    require(webhook_id in known, "webhook_id", "one of those listed", webhook_id)
    try:
        send(known[webhook_id], new_alert("test", "raised", None, "a test of this webhook"))
    except OSError as error:
        url = known[webhook_id].url
        raise typer.TyperException(f"{url} did not accept it: {error}") from None
    typer.echo("accepted")
