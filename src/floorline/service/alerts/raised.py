"""Raised alerts, kept so that a server that takes over a campaign can report them as cleared."""

from __future__ import annotations

from collections.abc import Collection

AlertKey = tuple[str | None, str]
"""A campaign, or None for the service, and the kind of an alert."""

Raised = dict[AlertKey, str]
"""The text of each alert that is raised."""


class RaisedAlerts:
    """Stores nothing: the only server of a data folder knows what it has raised."""

    def read(self) -> Raised:
        """Return what all servers have raised."""
        return {}

    def change(self, raised: Raised, cleared: Collection[AlertKey]) -> None:
        """Store what was raised, and remove what was cleared."""
