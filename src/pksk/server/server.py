"""A server over an engine: in a thread of its own, or for as long as a command runs."""

from __future__ import annotations

import asyncio
import signal
import ssl
from collections.abc import Callable, Coroutine
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final

from pksk.engine import Engine
from pksk.errors import PkskError, quote

from .address import listening, loopback_only
from .connection import Connection
from .hall import Hall, Verify
from .limits import Limits
from .log import QuietLog, Writes
from .pages import Pages

__all__ = ["Server"]

# How often connections are looked at for those whose time is over.
_LOOK_SECONDS: Final = 0.5
_STOP_LOOK_SECONDS: Final = 0.005


class Server:
    """DynamoDB's HTTP interface to an engine, which stays its owner's to close.

    As a context manager it runs in a thread; `run` serves in the thread that calls it.

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
        log: Writes | None = None,
    ) -> None:
        if verify is None and not loopback_only(host):
            raise _open_to_all(host)
        self._engine = engine
        self._socket = listening(host, port)
        self._host = host
        self.port: int = self._socket.getsockname()[1]
        self._data = data
        self._limits = limits or Limits()
        self._verify = verify
        self._tls = tls
        self._cors = cors
        self._log = log or QuietLog()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: Thread | None = None

    @property
    def url(self) -> str:
        """What clients take as `endpoint_url`.

        Example:
            >>> with Engine.open() as engine, Server(engine) as server:
            ...     server.url.startswith("http://127.0.0.1:")
            True
        """
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}"

    def start(self) -> None:
        """Serve in a thread; returns when requests are taken."""
        ready = Event()
        self._thread = Thread(
            target=_run, args=(self._serve(ready.set),), name="pksk-server-loop", daemon=True
        )
        self._thread.start()
        ready.wait()

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve in this thread until SIGINT or SIGTERM."""
        _run(self._serve(ready, signals=(signal.SIGINT, signal.SIGTERM)))

    def close(self) -> None:
        """Stop: requests under way are answered, and then all connections end."""
        if self._thread is not None and self._loop is not None and self._stop is not None:
            if self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()
        self._socket.close()

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _serve(self, ready: Callable[[], None], signals: tuple[signal.Signals, ...] = ()) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._stop = stop = asyncio.Event()
        for each in signals:
            loop.add_signal_handler(each, stop.set)
        hall = self._hall(loop)
        listener = await loop.create_server(lambda: Connection(hall), sock=self._socket, ssl=self._tls)
        self._log("started", url=self.url, data=self._data)
        ready()
        looking = loop.create_task(_look_after(hall))
        try:
            await stop.wait()
        finally:
            listener.close()
            looking.cancel()
            await _empty(hall, self._limits.stop_seconds)
            hall.close()
            self._log("stopped")

    def _hall(self, loop: asyncio.AbstractEventLoop) -> Hall:
        settings = self._engine.settings
        pages = Pages(
            url=self.url,
            account=settings.account,
            region=settings.region,
            data=self._data,
            signed=self._verify is not None,
        )
        return Hall(
            self._engine,
            loop,
            limits=self._limits,
            log=self._log,
            pages=pages,
            verify=self._verify,
            cors=self._cors,
        )


def _run(serving: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        runner.run(serving)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # not made for this system
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


async def _look_after(hall: Hall) -> None:
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        hall.expire()


async def _empty(hall: Hall, seconds: float) -> None:
    """Let connections end, and end those that do not."""
    hall.stop()
    until = hall.time() + seconds
    while not hall.is_empty() and hall.time() < until:
        await asyncio.sleep(_STOP_LOOK_SECONDS)
    hall.abort()


def _open_to_all(host: str) -> PkskError:
    return PkskError(
        "server-needs-credentials",
        f"{quote(host)} can be reached from other machines, and no credentials are configured.",
        expected="Without credentials a server listens on this machine alone, since anybody could read and write.",
        fix="set PKSK_ACCESS_KEY_ID and PKSK_SECRET_ACCESS_KEY, or listen on 127.0.0.1.",
    )
