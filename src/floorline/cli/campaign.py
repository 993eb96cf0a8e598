"""`floorline campaign`: manage the campaigns of a service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from floorline.client import CampaignView

campaign = typer.Typer(
    help="Manage the campaigns of a service.", no_args_is_help=True, add_completion=False
)

NAME = typer.Argument(..., metavar="CAMPAIGN", help="The campaign's name.")
ARM = typer.Argument(..., metavar="ARM", help="The arm's name.")
URL = typer.Option("http://127.0.0.1:8400", envvar="FLOORLINE_URL", help="The service's URL.")
KEY = typer.Option(
    None, envvar="FLOORLINE_KEY", help="An API key with the admin scope, if the service has keys."
)


@campaign.command("pause")
def pause(name: str = NAME, url: str = URL, key: str | None = KEY) -> None:
    """Play the default arm until the campaign is resumed."""
    _change("pause", name, url=url, key=key)


@campaign.command("resume")
def resume(name: str = NAME, url: str = URL, key: str | None = KEY) -> None:
    """Resume exploring after a pause."""
    _change("resume", name, url=url, key=key)


@campaign.command("add-arm")
def add_arm(name: str = NAME, arm: str = ARM, url: str = URL, key: str | None = KEY) -> None:
    """Add a challenger to a campaign that was opened with arms_may_change."""
    _change("add_arm", name, arm, url=url, key=key)


@campaign.command("retire-arm")
def retire_arm(name: str = NAME, arm: str = ARM, url: str = URL, key: str | None = KEY) -> None:
    """Stop playing a challenger. Rewards for its past decisions are still accepted."""
    _change("retire_arm", name, arm, url=url, key=key)


@campaign.command("promote-arm")
def promote_arm(name: str = NAME, arm: str = ARM, url: str = URL, key: str | None = KEY) -> None:
    """Make a challenger the new default; the old default becomes a challenger."""
    _change("promote_arm", name, arm, url=url, key=key)


@campaign.command("finish")
def finish(name: str = NAME, arm: str = ARM, url: str = URL, key: str | None = KEY) -> None:
    """Declare a winner, which is the only arm played from now on."""
    _change("finish", name, arm, url=url, key=key)


@campaign.command("stop")
def stop(
    name: str = NAME,
    arm: str | None = typer.Argument(
        None, metavar="[ARM]", help="The arm to play from now on; by default the default arm."
    ),
    url: str = URL,
    key: str | None = KEY,
) -> None:
    """End a campaign for good. Rewards for past decisions are still accepted."""
    _change("stop", name, arm, url=url, key=key)


def _change(method: str, *names: str | None, url: str, key: str | None) -> None:
    """Ask the service for a change, and print the changed campaign."""
    from floorline.client import Client, ServiceError

    with Client(url, key) as client:
        try:
            _show(getattr(client.campaigns, method)(*names))
        except ServiceError as error:
            raise typer.TyperException(str(error)) from None


def _show(view: CampaignView) -> None:
    """Print the campaign's state, its arms and its headline."""
    status = view.status
    if status is None:
        raise typer.TyperException(f"{view.name} is not available: {view.problem}")
    retired = status["retired"]
    default, *others = [arm["name"] for arm in status["arms"] if arm["name"] not in retired]
    challengers = ", ".join(others) or "no challenger"
    typer.echo(f"{view.name} ({status['state']}): {default} is the default, against {challengers}")
    typer.echo(status["headline"])
