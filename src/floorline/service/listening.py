"""Sockets to listen on."""

from __future__ import annotations

import socket
import sys

BACKLOG = 2048
"""Connections that may wait to be accepted."""


def listen(
    host: str, port: int, *, shared: bool = False, backlog: int | None = BACKLOG
) -> socket.socket:
    """Return a socket on an address.

    Args:
        host: the address.
        port: the port; 0 for any free one.
        shared: whether other processes may use the same port; connections are then spread.
        backlog: None for a socket that only reserves the port.

    Raises:
        ValueError: the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let another process take the port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if shared:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise ValueError(f"port: {host}:{port} cannot be used: {error}") from None
    if backlog is not None:
        listening.listen(backlog)
    return listening


def url_of(listening: socket.socket, scheme: str, host: str | None = None) -> str:
    """Return the URL of a socket, with another host if one is given."""
    own_host, port = listening.getsockname()[:2]
    name = host or own_host
    return f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}"
