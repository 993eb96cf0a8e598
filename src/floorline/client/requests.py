"""What the parts of the client need to send requests."""

from __future__ import annotations

from typing import Protocol

from .deadline import Deadline


class Requests(Protocol):
    """Sends requests: a ConnectionPool, or a substitute in a test."""

    def request(
        self, method: str, path: str, body: bytes | None, deadline: Deadline
    ) -> tuple[int, bytes]:
        """Return status and body of the response.

        Raises:
            ServiceError: there was none.
        """
