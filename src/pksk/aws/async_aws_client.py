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
from .exchange import Exchange, current_exchange, expect_answer, request_body
from .failure import CLOSED, failure, not_configured
from .service_client import ServiceClient, service_of
from .session import (
    check_settings,
    client_arguments,
    client_configuration,
    import_library,
    needs_placeholder_keys,
    new_session,
)

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
        self._make = import_library("aiobotocore.session").AioSession
        self._options = options or AwsOptions()
        check_settings(self._make, self._options)
        self._lock = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._session: Any = None
        self._services: dict[str, ServiceClient] = {}
        self._stack = AsyncExitStack()
        self._is_closed = False

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer in DynamoDB's JSON; raises `ServiceError`, and what a cancelled task raises."""
        exchange = Exchange(operation, b"", self._options.where)
        error: Exception | None = None
        try:
            service = await self._service(operation)
            exchange.body = request_body(request)
            send = service.prepared(operation, request)
            expect_answer(exchange, service.expected(operation), request)
            with current_exchange(exchange):
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

    async def _service(self, operation: str) -> ServiceClient:
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

    async def _opened(self, name: str) -> ServiceClient:
        from aiobotocore.config import AioConfig

        from .http_session import DirectSession

        session = self._session = self._session or new_session(self._make, self._options)
        without_keys = needs_placeholder_keys(self._options) and await session.get_credentials() is None
        given = client_arguments(session, self._options, without_keys=without_keys)
        config = AioConfig(
            connector_args={"socket_factory": _keepalive_socket},
            http_session_cls=DirectSession,
            warm_up_loader_caches=True,  # read in a thread, as they would keep the loop from all else
            **client_configuration(self._options),
        )
        client = await self._stack.enter_async_context(session.create_client(name, config=config, **given))
        service = self._services[name] = ServiceClient(client)
        client.meta.events.register_last("before-send", _send_in_chunks)
        return service


def _send_in_chunks(request: Any, **_: Any) -> None:
    """A large body is written piece by piece: in one it would keep the loop busy, of which aiohttp warns."""
    if len(request.body) > _MOST_AT_ONCE_BYTES:
        request.body = BytesIO(request.body)


def _keepalive_socket(address: Any) -> socket.socket:
    """A socket that notices when the other side is gone; aiobotocore leaves `tcp_keepalive` unread."""
    family, kind, protocol, _, _ = address
    made = socket.socket(family=family, type=kind, proto=protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return made
