"""An `AsyncClient` over aiobotocore, for tasks of one event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from contextlib import AsyncExitStack
from io import BytesIO
from typing import Any, Final

from pksk.client import ServiceError

from .answer import answer
from .aws_options import AwsOptions
from .exchange import Exchange, expect, under_way
from .failure import CLOSED, failure, not_configured
from .library import library
from .opening import arguments, configuration, needs_keys, session_of
from .service import Service, service_of
from .settings import check_settings
from .written import written

__all__ = ["AsyncAwsClient"]

_MOST_AT_ONCE_BYTES: Final = 2**20


class AsyncAwsClient:
    """The same as `AwsClient` for programs that await; tasks of one event loop may share one.

    aiobotocore's client is made with the first call, on the loop that runs then. A call that is cancelled takes its
    connection with it.

    Example:
        >>> from pksk.engine import Engine
        >>> from pksk.server import Server
        >>> async def tables(url: str) -> dict[str, Any]:
        ...     async with AsyncAwsClient(AwsOptions(endpoint=url)) as client:
        ...         return await client.call("ListTables", {})
        >>> with Engine.open() as engine, Server(engine) as server:
        ...     asyncio.run(tables(server.url))
        {'TableNames': []}
    """

    def __init__(self, options: AwsOptions | None = None) -> None:
        self._make = library("aiobotocore.session").AioSession
        self._options = options or AwsOptions()
        check_settings(self._make, self._options)
        self._lock = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._session: Any = None
        self._services: dict[str, Service] = {}
        self._stack = AsyncExitStack()
        self._is_closed = False

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer in DynamoDB's JSON; raises `ServiceError`, and what a cancelled task raises."""
        exchange = Exchange(operation, b"", self._options.where)
        error: Exception | None = None
        try:
            service = await self._service(operation)
            exchange.body = written(request)
            send = service.prepared(operation, request)
            expect(exchange, service.expected(operation), request)
            with under_way(exchange):
                await send()
        except ServiceError:
            raise
        except Exception as raised:  # an answer that refuses is raised too, and read below
            error = raised
        if exchange.is_answered:
            return answer(exchange)
        raise failure(error, exchange, self._options) from error

    async def close(self) -> None:
        """Closes all connections; a call afterwards is refused."""
        self._is_closed = True
        async with self._lock:  # a client that is being made is closed too
            self._services.clear()
            await self._stack.aclose()

    async def __aenter__(self) -> AsyncAwsClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _service(self, operation: str) -> Service:
        self._check_usable(operation)
        name = service_of(operation)
        service = self._services.get(name)
        if service is None:
            async with self._lock:
                self._check_usable(operation)
                service = self._services.get(name) or await self._opened(name)
        return service

    def _check_usable(self, operation: str) -> None:
        loop = asyncio.get_running_loop()
        if self._is_closed:
            raise not_configured(operation, self._options.where, CLOSED)
        if self._loop not in (None, loop):
            why = "the client is another event loop's. Fix: make one in each asyncio.run."
            raise not_configured(operation, self._options.where, why)
        self._loop = loop

    async def _opened(self, name: str) -> Service:
        from aiobotocore.config import AioConfig

        from .straight_session import StraightSession

        session = self._session = self._session or session_of(self._make, self._options)
        without_keys = needs_keys(self._options) and await session.get_credentials() is None
        given = arguments(session, self._options, without_keys=without_keys)
        config = AioConfig(
            connector_args={"socket_factory": _kept_alive},
            http_session_cls=StraightSession,
            warm_up_loader_caches=True,  # read in a thread, as they would keep the loop from all else
            **configuration(self._options),
        )
        client = await self._stack.enter_async_context(session.create_client(name, config=config, **given))
        service = self._services[name] = Service(client)
        client.meta.events.register_last("before-send", _in_pieces)
        return service


def _in_pieces(request: Any, **_: Any) -> None:
    """A large body is written piece by piece: in one it would keep the loop busy, of which aiohttp warns."""
    if len(request.body) > _MOST_AT_ONCE_BYTES:
        request.body = BytesIO(request.body)


def _kept_alive(address: Any) -> socket.socket:
    """A socket that notices when the other side is gone; aiobotocore leaves `tcp_keepalive` unread."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family=family, type=kind, proto=protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return made
