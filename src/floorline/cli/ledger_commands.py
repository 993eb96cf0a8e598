"""All commands of `floorline ledger`."""

from __future__ import annotations

from floorline.cli.ledger import app
from floorline.cli.ledger_evaluate import evaluate
from floorline.cli.ledger_move import migrate, move
from floorline.cli.ledger_remove import delete, erase

app.command("evaluate")(evaluate)
app.command("move")(move)
app.command("migrate")(migrate)
app.command("erase")(erase)
app.command("delete")(delete)

__all__ = ["app"]
