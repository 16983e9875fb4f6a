"""A `Client` over botocore, for threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Lock
from typing import Any

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

__all__ = ["AwsClient"]


class AwsClient:
    """DynamoDB on AWS, or on an endpoint that speaks its protocol; threads may share one.

    Nothing is sent again: an error says whether a request was surely not sent, may have been executed, or was
    refused. botocore's client is made with the first call; a profile or region that is missing is told before.

    Example:
        >>> from pksk.engine import Engine
        >>> from pksk.server import Server
        >>> with Engine.open() as engine, Server(engine) as server:
        ...     with AwsClient(AwsOptions(endpoint=server.url)) as client:
        ...         client.call("ListTables", {})
        {'TableNames': []}
    """

    def __init__(self, options: AwsOptions | None = None) -> None:
        self._make = import_library("botocore.session").Session
        self._options = options or AwsOptions()
        check_settings(self._make, self._options)
        self._lock = Lock()
        self._session: Any = None
        self._services: dict[str, ServiceClient] = {}
        self._inherited: list[dict[str, ServiceClient]] = []
        self._process = os.getpid()
        self._is_closed = False

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer in DynamoDB's JSON; raises `ServiceError` and nothing else."""
        exchange = Exchange(operation, b"", self._options.where)
        error: Exception | None = None
        try:
            service = self._service(operation)
            exchange.body = request_body(request)
            send = service.prepared(operation, request)
            expect_answer(exchange, service.expected(operation), request)
            with current_exchange(exchange):
                send()
        except ServiceError:
            raise
        except Exception as raised:  # an answer that refuses is raised too, and read below
            error = raised
        if exchange.is_answered:
            return answer(exchange)
        raise failure(error, exchange, self._options) from error

    def close(self) -> None:
        """Closes all connections; a call afterwards is refused."""
        with self._lock:
            self._is_closed = True
            services, self._services = self._services, {}
        for service in services.values():
            service.client.close()

    def __enter__(self) -> AwsClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _service(self, operation: str) -> ServiceClient:
        if self._process != os.getpid():
            self._leave_to_parent()
        name = service_of(operation)
        service = self._services.get(name)
        if service is None:
            with self._lock:
                service = self._services.get(name) or self._opened(name, operation)
        return service

    def _leave_to_parent(self) -> None:
        """In a forked process, use no connection that came along: the parent reads its answers from them."""
        # They are kept, lest the end of one says goodbye on a connection that the parent still has.
        self._inherited.append(self._services)
        self._lock, self._session, self._services = Lock(), None, {}
        self._process = os.getpid()

    def _opened(self, name: str, operation: str) -> ServiceClient:
        if self._is_closed:
            raise not_configured(operation, self._options.where, CLOSED)
        from botocore.config import Config

        session = self._session = self._session or new_session(self._make, self._options)
        without_keys = needs_placeholder_keys(self._options) and session.get_credentials() is None
        given = client_arguments(session, self._options, without_keys=without_keys)
        client = session.create_client(name, config=Config(**client_configuration(self._options)), **given)
        service = self._services[name] = ServiceClient(client)
        return service
