"""The server process: listens, serves, and ends in order."""

from __future__ import annotations

import gc
import logging
import signal
import socket

import uvicorn

from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.logs import log_to_stderr

log = logging.getLogger("floorline.service")

PATIENCE = 10
"""Seconds that open requests have when the service is told to end."""


def serve(config: Config) -> None:
    """Serve until a signal comes: what is asked by then is answered, and the ledgers are closed.

    Raises:
        ValueError: the folder, the keys or the port cannot be used.
    """
    service = Service(config)
    service.keys.keys()  # what is wrong with them shall be said now, not to clients
    listening = _listen(config)
    with listening, service.folder.locked():
        log_to_stderr()
        _run(service, listening)


def _run(service: Service, listening: socket.socket) -> None:
    server = Server(uvicorn.Config(
        service, log_config=None, access_log=False, server_header=False, lifespan="on",
        proxy_headers=False,
        timeout_keep_alive=30, timeout_graceful_shutdown=PATIENCE,
    ), service)  # fmt: skip
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    where = {"address": f"http://{shown}:{port}", "data": str(service.config.data)}
    log.info("listening", extra=where)
    # To look through all open decisions for cycles, of which there are none, makes everybody wait.
    gc.set_threshold(10_000, 20, 1000)
    signal.signal(signal.SIGTERM, lambda *_: None)  # sent again when all is closed; not an error
    server.run(sockets=[listening])


class Server(uvicorn.Server):
    """Ends the streams of those who watch before it waits for open requests."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in order."""
        await self._service.registry.end_feeds()
        await super().shutdown(sockets)


def _listen(config: Config) -> socket.socket:
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((config.host, config.port))
    except OSError as error:
        listening.close()
        raise ValueError(f"port: {config.host}:{config.port} cannot be used: {error}") from None
    listening.listen(2048)
    return listening
