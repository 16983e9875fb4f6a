"""Serves an engine over HTTP, in a thread or in the caller's."""

from __future__ import annotations

import asyncio
import signal
import ssl
from collections.abc import Callable
from importlib.util import find_spec
from threading import Event, Thread
from types import TracebackType

from pksk.engine import Engine
from pksk.errors import PkskError

from .http import Limits, Verify, checked_origin
from .listener import open_socket, server_url
from .log import EventLog, QuietLog


class Server:
    """DynamoDB's HTTP interface to an engine; closing the server leaves the engine open.

    As a context manager it runs in a thread; `run` serves in the caller's thread. Without `verify`, requests need no
    signature, and the server listens on loopback addresses only.

    Example:
        >>> from urllib.request import urlopen
        >>> with Engine.open() as engine, Server(engine) as server:
        ...     urlopen(f"{server.url}/health").status
        200
    """

    def __init__(  # noqa: PLR0913 - each is a thing of its own that callers set
        self,
        engine: Engine,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        data: str = "memory",
        limits: Limits | None = None,
        verify: Verify | None = None,
        tls: ssl.SSLContext | None = None,
        cors: str | None = "*",
        log: EventLog | None = None,
        loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
    ) -> None:
        if find_spec("httptools") is None:
            raise _not_installed()
        self._engine = engine
        self._cors = checked_origin(cors)
        self._socket = open_socket(host, port, open_to_all=verify is not None)
        self._host = host
        self.port: int = self._socket.getsockname()[1]
        self._data = data
        self._limits = limits or Limits()
        self._verify = verify
        self._tls = tls
        self._log = log or QuietLog()
        self._loop_factory = loop_factory or _new_loop
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: Thread | None = None
        self._failure: BaseException | None = None

    @property
    def url(self) -> str:
        """The `endpoint_url` for clients.

        Example:
            >>> with Engine.open() as engine, Server(engine) as server:
            ...     server.url.startswith("http://127.0.0.1:")
            True
        """
        return server_url(self._host, self.port, secure=self._tls is not None)

    def start(self) -> None:
        """Serve in a thread; returns when the server is ready."""
        ready = Event()
        self._thread = Thread(target=self._run_in_thread, args=(ready,), name="pksk-server-loop", daemon=True)
        self._thread.start()
        ready.wait()
        if self._failure is not None:
            self.close()
            raise self._failure

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve in this thread until SIGINT or SIGTERM; a second signal ends the process at once."""
        try:
            self._run(ready, (signal.SIGINT, signal.SIGTERM))
        finally:
            self._socket.close()

    def close(self) -> None:
        """Answer the requests that have arrived, and close all connections."""
        thread, loop, stop = self._thread, self._loop, self._stop
        if thread is not None:
            if loop is not None and stop is not None and thread.is_alive() and not loop.is_closed():
                loop.call_soon_threadsafe(stop.set)
            thread.join()
        self._socket.close()

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run_in_thread(self, ready: Event) -> None:
        try:
            self._run(ready.set)
        except BaseException as failure:
            self._failure = failure
        finally:
            ready.set()

    def _run(self, ready: Callable[[], None], signals: tuple[signal.Signals, ...] = ()) -> None:
        with asyncio.Runner(loop_factory=self._loop_factory) as runner:
            runner.run(self._serve(ready, signals))

    async def _serve(self, ready: Callable[[], None], signals: tuple[signal.Signals, ...]) -> None:
        # Here since these need httptools, whose absence the constructor reports.
        from .connections import Connection, Connections
        from .service import Service

        self._loop = loop = asyncio.get_running_loop()
        self._stop = stop = asyncio.Event()
        connections = Connections(loop, self._limits, self._log)
        service = Service(
            self._engine,
            loop,
            connections,
            url=self.url,
            data=self._data,
            log=self._log,
            verify=self._verify,
            cors=self._cors,
        )
        seconds = self._limits.request_seconds if self._tls is not None else None
        listener = await loop.create_server(
            lambda: Connection(connections, service.receive),
            sock=self._socket,
            ssl=self._tls,
            ssl_handshake_timeout=seconds,
        )
        for each in signals:
            loop.add_signal_handler(each, self._stop_by, each)
        watching = loop.create_task(connections.watch())
        self._log("started", url=self.url, data=self._data)
        try:
            ready()
            await stop.wait()
        finally:
            listener.close()
            watching.cancel()
            await connections.drain()
            service.close()
            self._log("stopped")

    def _stop_by(self, received: signal.Signals) -> None:
        """Stop gracefully; the next signal has its default effect."""
        assert self._loop is not None
        assert self._stop is not None
        for each in (signal.SIGINT, signal.SIGTERM):
            self._loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        self._log("stopping", signal=received.name)
        self._stop.set()


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # there is none for this system
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def _not_installed() -> PkskError:
    return PkskError(
        "server-not-installed",
        "The server of pksk needs httptools, which is not installed.",
        expected="The extra 'server' installs httptools, which parses HTTP, and uvloop, a faster event loop.",
        fix='pip install "pksk[server]".',
    )
