"""What a browser, a load balancer or a watcher is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import orjson

from pksk.engine import Engine

from .cors import Cors
from .metrics import Metrics
from .request import Request
from .responses import new_request_id, plain_response, response, service_response
from .texts import NO_SUCH_PAGE, healthy
from .version import version

__all__ = ["Pages"]

_PROMETHEUS: Final = "text/plain; version=0.0.4"
_OK: Final = 200
_HEAD_END: Final = b"\r\n\r\n"


class Pages:
    """The pages of one server, and its answers to all else that is no call."""

    def __init__(
        self, engine: Engine, *, home: str, cors: Cors, metrics: Metrics, connections: Callable[[], int]
    ) -> None:
        self._engine = engine
        self._home = home
        self._cors = cors
        self._metrics = metrics
        self._connections = connections

    def answer(self, request: Request) -> bytes:
        """The answer to a request."""
        if request.method == b"GET":
            return self._page(request)
        if request.method == b"HEAD":
            return self._page(request).partition(_HEAD_END)[0] + _HEAD_END
        if request.method == b"OPTIONS" and b"origin" in request.by_name:
            lines = f"x-amzn-RequestId: {new_request_id()}\r\n{self._cors.preflight(request)}"
            return response(200, b"", lines, keeps_alive=request.keeps_alive)
        return self._service(request, 404, NO_SUCH_PAGE)

    def _page(self, request: Request) -> bytes:
        path, keeps_alive = request.path, request.keeps_alive
        if path == b"/" and b"text/html" in request.by_name.get(b"accept", b""):
            return plain_response(200, self._home, kind="text/html", keeps_alive=keeps_alive)
        if path in {b"/", b"/ping"}:
            return self._service(request, 200, healthy(self._engine.settings.region))
        if path == b"/health":
            status, text = self._health()
            return plain_response(status, text, kind="application/json", keeps_alive=keeps_alive)
        if path == b"/metrics":
            text = self._metrics.text(connections=self._connections())
            return plain_response(200, text, kind=_PROMETHEUS, keeps_alive=keeps_alive)
        return self._service(request, 404, NO_SUCH_PAGE)

    def _health(self) -> tuple[int, str]:
        """Whether the engine answers, asked of itself; one that is busy writing does, and is not waited for."""
        status = self._engine.answer("ListTables", b'{"Limit":1}')[0] if self._engine.is_free() else _OK
        told = {
            "status": "healthy" if status == _OK else "failing",
            "version": version(),
            "uptime_seconds": round(self._metrics.uptime, 3),
        }
        return _OK if status == _OK else 503, orjson.dumps(told).decode() + "\n"

    def _service(self, request: Request, status: int, text: str) -> bytes:
        """An answer that AWS gives too."""
        return service_response(
            status,
            text.encode(),
            new_request_id(),
            kind="text/plain",
            extra=self._cors.headers(request),
            keeps_alive=request.keeps_alive,
        )
