"""Sockets whose every read and write keeps to one deadline."""

from __future__ import annotations

import socket
import ssl
from typing import Any

from .deadline import Deadline


class DeadlineSocket(socket.socket):
    """A socket with a deadline instead of a timeout.

    A timeout restarts with every read, so a server that sends a byte at a time never exceeds it.
    """

    deadline: Deadline

    def recv_into(self, *arguments: Any, **options: Any) -> int:
        """Read, by the deadline."""
        self.settimeout(self.deadline.left())
        return super().recv_into(*arguments, **options)

    def send(self, *arguments: Any, **options: Any) -> int:
        """Write a part, by the deadline."""
        self.settimeout(self.deadline.left())
        return super().send(*arguments, **options)

    def sendall(self, *arguments: Any, **options: Any) -> None:
        """Write everything, by the deadline."""
        self.settimeout(self.deadline.left())
        super().sendall(*arguments, **options)


class DeadlineTLSSocket(DeadlineSocket, ssl.SSLSocket):
    """The same, encrypted: `ssl` calls the methods above for each part of a message."""
