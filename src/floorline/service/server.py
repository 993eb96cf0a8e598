"""The server process: listens, serves, and shuts down gracefully."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from functools import partial
from typing import Any, cast

import uvicorn

from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host.descriptors import raise_limit
from floorline.service.http.connections import connection_count
from floorline.service.http.protocol import Protocol
from floorline.service.logs import log_to_stderr

log = logging.getLogger("floorline.service")

SHUTDOWN_SECONDS = 10
"""For open requests to finish when the service is told to stop."""

KEEP_ALIVE_SECONDS = 30
BACKLOG = 2048
"""Connections that may wait to be accepted."""


def serve(config: Config) -> None:
    """Serve until a signal comes, then finish the open requests and close the ledgers.

    Raises:
        ValueError: the folder, the keys or the port cannot be used.
    """
    os.umask(0o077)  # ledgers hold what visitors did: they are their owner's business
    raise_limit()
    service = Service(config)
    service.keys.keys()  # an unreadable file must stop the start, not puzzle clients
    listening = _listen(config)
    with listening, service.host.folder.locked():
        log_to_stderr()
        if not service.keys.required:
            log.warning("no keys: whoever can reach this address has full access")
        _run(service, listening)


def _run(service: Service, listening: socket.socket) -> None:
    config = uvicorn.Config(
        service,
        http=cast(Any, partial(Protocol, connection_count())),  # uvicorn only calls it
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        ssl_certfile=service.config.tls_cert,
        ssl_keyfile=service.config.tls_key,
    )
    try:
        config.load()
    except OSError as error:  # of which errors of TLS are a kind
        raise ValueError(f"tls_cert: {service.config.tls_cert} cannot be used: {error}") from None
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    scheme = "http" if service.config.tls_cert is None else "https"
    address = {"address": f"{scheme}://{shown}:{port}", "data": str(service.config.data)}
    log.info("listening", extra=address)
    # There are no cycles to collect, and a search through all open decisions delays everybody.
    gc.set_threshold(10_000, 20, 1000)
    signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again at the end
    Server(config, service).run(sockets=[listening])


class Server(uvicorn.Server):
    """Ends live streams before it waits for open requests."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down gracefully."""
        await self._service.host.registry.end_feeds()
        await super().shutdown(sockets)


def _listen(config: Config) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let another process take the port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
    except OSError as error:
        listening.close()
        raise ValueError(f"port: {config.host}:{config.port} cannot be used: {error}") from None
    listening.listen(BACKLOG)
    return listening
