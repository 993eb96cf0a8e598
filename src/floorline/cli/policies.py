"""`floorline policies`: the catalogue, and what plug-ins add to it."""

from __future__ import annotations


def policies() -> None:
    """List the policies and what each guarantees; those marked `live` can run live campaigns."""
    from rich.console import Console
    from rich.table import Table

    from floorline.policies import CATALOGUE, added_policies

    table = Table(box=None, pad_edge=False)
    table.add_column("policy", no_wrap=True)
    for heading in ("live", "what it does", "what it guarantees"):
        table.add_column(heading)
    rows = list(CATALOGUE.items())
    for name, plugin in added_policies().items():
        rows.append((f"{name}\n  of {plugin.package}", plugin.entry))
    for name, entry in rows:
        table.add_row(name, "yes" if entry.live else "", entry.summary, entry.guarantee)
    Console().print(table)
