"""The configuration of a service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from floorline.core.checks import number, require
from floorline.service.alerts.watch import INTERVAL_SECONDS
from floorline.service.host.folder import KEYS_FILE
from floorline.service.http.cors import Cors
from floorline.service.http.gate import LOOPBACK


@dataclass(frozen=True)
class Config:
    """The configuration of a service.

    Args:
        data: the folder of the ledgers and keys.
        host: the address to listen on. Without keys it must be a loopback address.
        port: the port to listen on; 0 for any free one.
        rate: requests a second for each key.
        create: whether `data` may be a new folder.
        tls_cert: file of the certificate, with those that lead to its authority, in PEM.
        tls_key: file of its private key. With both, the service speaks HTTPS.
        cors_origins: origins of the web pages that may call the service from a browser.
        alert_interval: seconds between two looks for alerts.
    """

    data: Path
    host: str = "127.0.0.1"
    port: int = 8400
    rate: float = 20_000.0
    create: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    cors_origins: tuple[str, ...] = ()
    alert_interval: float = INTERVAL_SECONDS

    def __post_init__(self) -> None:
        number("rate", self.rate, 0, 1e9, open_low=True)
        number("alert_interval", self.alert_interval, 0.1, 86_400)
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key: both are needed, or none of them")
        require(0 <= self.port <= 65535, "port", "between 0 and 65535", self.port)
        Cors(self.cors_origins)  # raises if one is not an origin
        has_keys = (self.data / KEYS_FILE).exists()
        if self.cors_origins and not has_keys:
            raise ValueError(
                "cors_origin: a web page needs a key, and there are none. Create one with: "
                f"floorline key create --data {self.data} --scopes decide,reward --campaign NAME "
                "(and --create for a new folder)"
            )
        if self.host not in LOOPBACK and not has_keys:
            raise ValueError(
                f"host: {self.host} can be reached by others, and there are no keys. Create one "
                f"with: floorline key create --data {self.data} --scopes admin,read,decide,reward "
                "(and --create for a new folder)"
            )
