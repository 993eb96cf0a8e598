"""The server process: listens, serves, and shuts down gracefully."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
from functools import partial
from typing import Any, cast

import uvicorn

from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host.descriptors import make_room, raise_limit
from floorline.service.http.connections import connection_count
from floorline.service.http.exchange import Outbox
from floorline.service.http.protocol import Protocol
from floorline.service.listening import listen, url_of
from floorline.service.logs import log_to_stderr
from floorline.service.workers import run_workers

log = logging.getLogger("floorline.service")

SHUTDOWN_SECONDS = 10
"""How long open requests may take to finish when the service is asked to stop."""

KEEP_ALIVE_SECONDS = 30


def serve(config: Config) -> None:
    """Serve until a signal comes, then finish the open requests and close the ledgers.

    Raises:
        ValueError: the folder, the keys or the port cannot be used.
    """
    os.umask(0o077)  # ledgers hold what visitors did: only their owner may read them
    raise_limit()
    make_room()
    if config.workers > 1:
        log_to_stderr()
        run_workers(config, serve)
        return
    service = Service(config)
    service.keys.keys()  # an unreadable file must fail here, not on a client's request
    listening = listen(config.host, config.port, shared=config.shares_port)
    with listening, service.host.data.locked():
        log_to_stderr()
        if not service.keys.required:
            config.refuse_without_keys()
            log.warning("no keys: whoever can reach this address has full access")
        _run(service, listening)


def _run(service: Service, listening: socket.socket) -> None:
    config = uvicorn.Config(
        service,
        http=cast(Any, partial(Protocol, connection_count(), Outbox())),  # uvicorn only calls it
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
    scheme = "http" if service.config.tls_cert is None else "https"
    # A port of its own, by which the other workers reach this one.
    own = listen(service.config.host, 0) if service.config.shares_port else listening
    service.host.data.owners.address = service.config.own_url(own, scheme)
    extra = {"address": url_of(listening, scheme), "data": service.host.data.shown}
    log.info("listening", extra=extra)
    gc.freeze()  # what is loaded by now stays
    # There are no cycles to collect, and searching all open decisions would delay every request.
    # 512 requests on their way are nearly 10,000 objects, which must not start one each time.
    gc.set_threshold(50_000, 4, 1000)
    signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it again at the end
    Server(config, service).run(sockets=list({listening, own}))


class Server(uvicorn.Server):
    """Ends live streams before it waits for open requests."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down gracefully."""
        await self._service.host.registry.end_feeds()
        await super().shutdown(sockets)
