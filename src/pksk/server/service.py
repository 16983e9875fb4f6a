"""All that answers the requests of one server, put together."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from pksk.engine import Engine

from .answering import Answering
from .calls import Calls, Verify
from .connection import Connection
from .cors import Cors
from .hall import Hall
from .home import home
from .log import Writes
from .metrics import Metrics
from .pages import Pages
from .request import Request
from .responses import plain_response

__all__ = ["Service"]

_LOG: Final = logging.getLogger("pksk.server")


class Service:
    """Takes requests from connections: calls go to the engine, all others get a page."""

    def __init__(
        self,
        engine: Engine,
        loop: asyncio.AbstractEventLoop,
        hall: Hall,
        *,
        url: str,
        data: str,
        log: Writes,
        verify: Verify | None,
        cors: str | None,
    ) -> None:
        metrics, allowed = Metrics(), Cors(cors)
        self._answering = Answering(engine, loop, metrics)
        self._calls = Calls(
            self._answering, limits=hall.limits, metrics=metrics, log=log, cors=allowed, verify=verify
        )
        page = home(engine.settings, url=url, data=data, signed=verify is not None)
        self._pages = Pages(engine, home=page, cors=allowed, metrics=metrics, connections=hall.__len__)

    def receive(self, connection: Connection, request: Request) -> None:
        """Answer a request, now or later."""
        try:
            if request.method == b"POST":
                self._calls.receive(connection, request)
            else:
                connection.answer(self._pages.answer(request))
        except Exception:  # a defect of ours, for which nobody is to wait in vain
            _LOG.exception("a request failed")
            failed = plain_response(500, "This request failed.\n", keeps_alive=request.keeps_alive)
            connection.answer(failed)

    def close(self) -> None:
        """Wait for what is still under way."""
        self._answering.close()
