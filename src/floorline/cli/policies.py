"""`floorline policies`: the catalogue."""

from __future__ import annotations


def policies() -> None:
    """List the policies, and what each guarantees."""
    from rich.console import Console
    from rich.table import Table

    from floorline.policies import CATALOGUE

    table = Table("policy", "what it does", "what it guarantees", box=None, pad_edge=False)
    for name, entry in CATALOGUE.items():
        table.add_row(name, entry.summary, entry.guarantee)
    Console().print(table)
