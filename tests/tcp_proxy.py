"""A TCP proxy that simulates a network partition: bytes stop, and no connection is closed."""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import suppress


class TcpProxy:
    """Forwards connections to an address. After a cut, open connections never carry data again."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._is_cut = False
        self._generation = 0
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Stop forwarding."""
        self._is_cut = True
        self._generation += 1

    def heal(self) -> None:
        """Forward new connections again."""
        self._is_cut = False

    def close(self) -> None:
        """Close everything."""
        self.cut()
        for opened in (self._listening, *self._sockets):
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                self._sockets.append(client)
                if not self._is_cut:  # else it is accepted and never answered
                    try:
                        server = socket.create_connection(self._target)
                    except OSError:  # nobody listens there
                        client.close()
                        continue
                    self._sockets.append(server)
                    args = (client, server, self._generation)
                    threading.Thread(target=self._relay, args=args, daemon=True).start()

    def _relay(self, client: socket.socket, server: socket.socket, generation: int) -> None:
        with suppress(OSError, ValueError), selectors.DefaultSelector() as waiting:
            waiting.register(client, selectors.EVENT_READ, server)
            waiting.register(server, selectors.EVENT_READ, client)
            while self._pass_on(waiting, generation):
                pass
        if generation == self._generation:  # one side has closed, and not the network
            client.close()
            server.close()

    def _pass_on(self, waiting: selectors.BaseSelector, generation: int) -> bool:
        """Forward what has come; return whether there may be more."""
        for key, _ in waiting.select():
            data = key.fileobj.recv(65536)  # type: ignore[union-attr]
            if generation != self._generation or not data:
                return False
            key.data.sendall(data)
        return True
