"""The configuration of a service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from floorline.core.checks import number, require
from floorline.service.data import DATABASE
from floorline.service.host.folder import KEYS_FILE
from floorline.service.http.gate import LOOPBACK

ANY_ADDRESS = ("0.0.0.0", "::", "")
"""Addresses to listen on that are no addresses to call."""


@dataclass(frozen=True)
class Config:
    """The configuration of a service.

    Args:
        data: the folder of the ledgers and keys, or the URL of a database of PostgreSQL.
        host: the address to listen on. Without keys it must be a loopback address.
        port: the port to listen on; 0 for any free one.
        rate: requests a second for each key.
        create: whether `data` may be a new folder, or a database without tables.
        tls_cert: file of the certificate, with those that lead to its authority, in PEM.
        tls_key: file of its private key. With both, the service speaks HTTPS.
        advertise: the URL at which other servers of the same database reach this one; unless
            given, the address to listen on.
    """

    data: Path | str
    host: str = "127.0.0.1"
    port: int = 8400
    rate: float = 20_000.0
    create: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    advertise: str | None = None

    def __post_init__(self) -> None:
        number("rate", self.rate, 0, 1e9, open_low=True)
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key: both are needed, or none of them")
        require(0 <= self.port <= 65535, "port", "between 0 and 65535", self.port)
        if self.is_database:
            own_url = self.advertise is not None or self.host not in ANY_ADDRESS
            require(own_url, "advertise", f"given, since others cannot call {self.host}", None)
        elif not (Path(self.data) / KEYS_FILE).exists():
            self.refuse_others()

    @property
    def is_database(self) -> bool:
        """Whether campaigns are in a database, which several servers may share."""
        return str(self.data).startswith(DATABASE)

    def refuse_others(self) -> None:
        """Raise ValueError if others than this machine can reach a service without keys."""
        if self.host not in LOOPBACK:
            shown = "URL" if self.is_database else self.data
            raise ValueError(
                f"host: {self.host} can be reached by others, and there are no keys. Create one "
                f"with: floorline key create --data {shown} --scopes admin,read,decide,reward "
                "(and --create for a new folder)"
            )
