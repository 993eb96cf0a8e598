"""`floorline serve`: live campaigns over HTTP."""

from __future__ import annotations

from pathlib import Path

import typer

DATA = typer.Option(..., envvar="FLOORLINE_DATA", help="Folder of the ledgers and keys.")
CREATE = typer.Option(
    False, "--create", help="Begin with an empty folder if there is no data folder yet."
)


def serve(
    data: Path = DATA,
    create: bool = CREATE,
    host: str = typer.Option("127.0.0.1", envvar="FLOORLINE_HOST", help="Address to listen on."),
    port: int = typer.Option(8400, envvar="FLOORLINE_PORT", help="Port; 0 for any free one."),
    rate: float = typer.Option(
        20_000.0, envvar="FLOORLINE_RATE", help="Requests a second for each key."
    ),
) -> None:
    """Serve live campaigns over HTTP, until interrupted."""
    try:
        from floorline.service.config import Config
        from floorline.service.server import serve as run
    except ImportError as error:
        raise ValueError(
            f"the service needs the extra [service]: pip install 'floorline[service]' ({error})"
        ) from None
    run(Config(data, host, port, rate, create))
