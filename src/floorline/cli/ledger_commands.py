"""All commands of `floorline ledger`."""

from __future__ import annotations

from floorline.cli.ledger import app
from floorline.cli.ledger_evaluate import evaluate
from floorline.cli.ledger_move import migrate, move

app.command("evaluate")(evaluate)
app.command("move")(move)
app.command("migrate")(migrate)

__all__ = ["app"]
