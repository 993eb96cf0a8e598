"""The configuration of a service."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from floorline.core.checks import number, require
from floorline.service.alerts.watch import INTERVAL_SECONDS
from floorline.service.data import DATABASE
from floorline.service.host.folder import KEYS_FILE
from floorline.service.http.cors import Cors
from floorline.service.http.gate import LOOPBACK
from floorline.service.listening import url_of

MAX_WORKERS = 64

ANY_ADDRESS = ("0.0.0.0", "::", "")
"""Addresses to listen on that cannot be called."""


@dataclass(frozen=True)
class Config:
    """The configuration of a service.

    Args:
        data: the folder of the ledgers and keys, or the URL of a PostgreSQL database.
        host: the address to listen on. Without keys it must be a loopback address.
        port: the port to listen on; 0 for any free one.
        rate: requests a second for each key.
        create: whether `data` may be a new folder, or a database without tables.
        tls_cert: file of the certificate with its chain, in PEM.
        tls_key: file of its private key. With both, the service uses HTTPS.
        cors_origins: origins of the web pages that may call the service from a browser.
        advertise: the URL at which other servers of the same database reach this one; unless
            given, the address to listen on.
        workers: how many processes serve; several need a database.
        shares_port: whether other processes listen on the same port.
        alert_interval: seconds between checks for alerts.
    """

    data: Path | str
    host: str = "127.0.0.1"
    port: int = 8400
    rate: float = 20_000.0
    create: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    cors_origins: tuple[str, ...] = ()
    advertise: str | None = None
    workers: int = 1
    shares_port: bool = False
    alert_interval: float = INTERVAL_SECONDS

    def __post_init__(self) -> None:
        number("rate", self.rate, 0, 1e9, open_low=True)
        number("alert_interval", self.alert_interval, 0.1, 86_400)
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key: both are needed, or none of them")
        require(0 <= self.port <= 65535, "port", "between 0 and 65535", self.port)
        Cors(self.cors_origins)  # raises if one is not an origin
        require(1 <= self.workers <= MAX_WORKERS, "workers", f"1 to {MAX_WORKERS}", self.workers)
        if self.workers > 1 and not self.is_database:
            raise ValueError(
                "workers: a folder has one server; several need --data postgresql://..."
            )
        if self.is_database:
            own_url = self.advertise is not None or self.host not in ANY_ADDRESS
            require(own_url, "advertise", f"given, since others cannot call {self.host}", None)
        elif not (Path(self.data) / KEYS_FILE).exists():
            self.refuse_without_keys()

    @property
    def is_database(self) -> bool:
        """Whether campaigns are in a database, which several servers may share."""
        return str(self.data).startswith(DATABASE)

    def own_url(self, listening: socket.socket, scheme: str) -> str:
        """Return the URL by which other servers reach the one that listens on this socket."""
        if self.advertise is None:
            return url_of(listening, scheme)
        if not self.shares_port:
            return self.advertise
        return url_of(listening, scheme, urlsplit(self.advertise).hostname)

    def refuse_without_keys(self) -> None:
        """Raise ValueError if web pages or other machines may call a service without keys."""
        shown = "URL" if self.is_database else self.data
        if self.cors_origins:
            raise ValueError(
                "cors_origin: a web page needs a key, and there are none. Create one with: "
                f"floorline key create --data {shown} --scopes decide,reward --campaign NAME "
                "(and --create for a new folder)"
            )
        if self.host not in LOOPBACK:
            raise ValueError(
                f"host: {self.host} can be reached by others, and there are no keys. Create one "
                f"with: floorline key create --data {shown} --scopes admin,read,decide,reward "
                "(and --create for a new folder)"
            )
