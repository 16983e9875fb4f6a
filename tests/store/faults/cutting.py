"""A way to a server that cuts connections after so many bytes, in either direction."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Final, Literal, NamedTuple

__all__ = ["Cut", "CuttingProxy", "cutting"]

_AT_ONCE: Final = 65536


class Cut(NamedTuple):
    """Where a connection ends: after so many bytes to the server, or from it; with a reset, or in order."""

    way: Literal["there", "back"]
    after_bytes: int
    reset: bool


class CuttingProxy:
    """Forwards bytes; each connection takes the next cut of the plan, until there are no more."""

    def __init__(self, port: int) -> None:
        self.plan: list[Cut | None] = []
        self.cuts = 0
        self._port = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
                cut = self.plan.pop(0) if self.plan else None
                for way, source, sink in (("there", client, server), ("back", server, client)):
                    most = cut if cut is not None and cut.way == way else None
                    Thread(target=self._pump, args=(source, sink, most), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, cut: Cut | None) -> None:
        left = _AT_ONCE**2 if cut is None else cut.after_bytes
        with suppress(OSError):
            while left > 0 and (read := source.recv(min(left, _AT_ONCE))):
                sink.sendall(read)
                left -= len(read)
        if cut is not None and left == 0:
            self.cuts += 1
        for each in (source, sink):
            _end(each, reset=cut is not None and cut.reset)


def _end(connection: socket.socket, *, reset: bool) -> None:
    with suppress(OSError):
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        # The thread of the other way waits for bytes, and keeps the connection open until it has noticed.
        connection.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
    connection.close()


@contextmanager
def cutting(port: int) -> Iterator[CuttingProxy]:
    """A proxy to a port of this machine, while a block lasts."""
    proxy = CuttingProxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
