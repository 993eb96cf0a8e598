"""`floorline serve`: live campaigns over HTTP."""

from __future__ import annotations

from pathlib import Path

import typer

DATA = typer.Option(
    ...,
    envvar="FLOORLINE_DATA",
    help="Folder of the ledgers and keys, or postgresql://HOST/DATABASE.",
)
CREATE = typer.Option(
    False, "--create", help="Create an empty data folder or database if there is none yet."
)
ADVERTISE = typer.Option(
    None,
    envvar="FLOORLINE_ADVERTISE",
    help="URL at which other servers with the same database reach this one.",
)
TLS_CERT = typer.Option(None, envvar="FLOORLINE_TLS_CERT", help="Certificate in PEM, for HTTPS.")
CORS_ORIGIN = typer.Option(
    [],
    envvar="FLOORLINE_CORS_ORIGINS",
    help="Origin of web pages that may call the service, such as https://shop.example; repeatable. "
    "They need a key for one campaign.",
)
TLS_KEY = typer.Option(None, envvar="FLOORLINE_TLS_KEY", help="Its private key in PEM.")
WORKERS = typer.Option(
    1, envvar="FLOORLINE_WORKERS", help="Processes that share the port; needs a database."
)


def serve(
    data: str = DATA,
    create: bool = CREATE,
    host: str = typer.Option("127.0.0.1", envvar="FLOORLINE_HOST", help="Address to listen on."),
    port: int = typer.Option(8400, envvar="FLOORLINE_PORT", help="Port; 0 for any free one."),
    rate: float = typer.Option(
        20_000.0, envvar="FLOORLINE_RATE", help="Requests a second for each key."
    ),
    tls_cert: Path | None = TLS_CERT,
    tls_key: Path | None = TLS_KEY,
    cors_origin: list[str] = CORS_ORIGIN,
    advertise: str | None = ADVERTISE,
    workers: int = WORKERS,
    alert_interval: float = typer.Option(
        15.0, envvar="FLOORLINE_ALERT_INTERVAL", help="Seconds between checks for alerts."
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
    run(
        Config(
            data,
            host,
            port,
            rate,
            create,
            tls_cert,
            tls_key,
            tuple(cors_origin),
            advertise=advertise,
            workers=workers,
            alert_interval=alert_interval,
        )
    )
