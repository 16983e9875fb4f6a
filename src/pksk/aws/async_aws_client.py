"""An `AsyncClient` on aiobotocore, for the tasks of one event loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import cache, partial
from io import BytesIO
from types import SimpleNamespace
from typing import Any, Final

from pksk.client import ServiceError

from . import session as sessions
from .aws_client import ServiceClient, service_of
from .aws_options import AwsOptions
from .exchange import Exchange, current_exchange
from .failure import CLOSED, answer_or_failure, not_configured

_MAX_AT_ONCE_BYTES: Final = 2**20


class AsyncAwsClient:
    """The asynchronous `AwsClient`; the tasks of one event loop may share one.

    The first call makes aiobotocore's client on the running loop. A cancelled call closes its connection.

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
        self._session_class = sessions.import_library("aiobotocore.session").AioSession
        self._options = options or AwsOptions()
        sessions.check_settings(self._session_class, self._options)
        self._lock = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._session: Any = None
        self._services: dict[str, ServiceClient] = {}
        self._stack = AsyncExitStack()
        self._is_closed = False

    async def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer in DynamoDB's JSON; raises `ServiceError`, and what a cancelled task raises."""
        exchange = Exchange(operation, b"", self._options.label)
        error: Exception | None = None
        try:
            send = (await self._service(operation)).prepare(exchange, request)
            with current_exchange(exchange):
                await send()
        except ServiceError:
            raise
        except (
            Exception
        ) as raised:  # aiobotocore raises the errors of DynamoDB too; they are read from the answer
            error = raised
        return answer_or_failure(exchange, error, self._options)

    async def close(self) -> None:
        """Close all connections; a call afterwards raises an error."""
        self._is_closed = True
        async with self._lock:  # waits for a client that is being made
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
                service = self._services.get(name) or await self._open(name)
        return service

    def _check_usable(self, operation: str) -> None:
        loop = asyncio.get_running_loop()
        if self._is_closed:
            raise not_configured(operation, self._options.label, CLOSED)
        if self._loop not in (None, loop):
            why = "the client belongs to another event loop. Fix: make one in each asyncio.run."
            raise not_configured(operation, self._options.label, why)
        self._loop = loop

    async def _open(self, name: str) -> ServiceClient:
        from aiobotocore.config import AioConfig

        session = self._session = self._session or sessions.new_session(self._session_class, self._options)
        without_keys = (
            sessions.needs_placeholder_keys(self._options) and await session.get_credentials() is None
        )
        arguments = sessions.client_arguments(session, self._options, without_keys=without_keys)
        config = AioConfig(
            connector_args={"socket_factory": _keepalive_socket},
            http_session_cls=_http_session_class(),
            warm_up_loader_caches=True,  # reads botocore's models in a thread, which would block the loop
            **sessions.client_configuration(self._options),
        )
        client = await self._stack.enter_async_context(
            session.create_client(name, config=config, **arguments)
        )
        service = self._services[name] = ServiceClient(client)
        client.meta.events.register_last("before-send", _send_in_chunks)
        return service


@cache
def _http_session_class() -> type:
    """Aiobotocore's HTTP session, without redirects.

    aiohttp would follow a redirect, and take the answer from there for that of the endpoint. botocore does not.
    """
    from aiobotocore.httpsession import AIOHTTPSession

    class DirectSession(AIOHTTPSession):  # type: ignore[misc]  # aiobotocore has no types
        async def _get_session(self, *arguments: Any) -> Any:
            session = await super()._get_session(*arguments)
            return SimpleNamespace(request=partial(session.request, allow_redirects=False))

    return DirectSession


def _send_in_chunks(request: Any, **_: Any) -> None:
    """Send a large body in pieces: in one piece it would block the event loop, and aiohttp warns."""
    if len(request.body) > _MAX_AT_ONCE_BYTES:
        request.body = BytesIO(request.body)


def _keepalive_socket(address: Any) -> socket.socket:
    """A socket with keepalive; aiobotocore ignores `tcp_keepalive`."""
    family, kind, protocol, _, _ = address
    new_socket = socket.socket(family=family, type=kind, proto=protocol)
    new_socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return new_socket
