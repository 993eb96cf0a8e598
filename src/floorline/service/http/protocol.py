"""HTTP/1.1 on a connection: uvicorn's protocol, with pipelines that clients cut off."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle


class Protocol(HttpToolsProtocol):
    """Drops what is left of a pipeline when its connection is lost.

    Uvicorn tells only the last request of a pipeline that the client has gone. The one being
    answered would fail on the closed connection, and be logged as an internal error.
    """

    _answering: RequestResponseCycle | None = None

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered, and forget those that wait for it."""
        self.pipeline.clear()
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)
