"""A `Client` on botocore, for threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from threading import Lock
from typing import Any

from pksk.client import ServiceError

from .aws_options import AwsOptions
from .exchange import Exchange, current_exchange
from .failure import CLOSED, answer_or_failure, not_configured
from .service_client import ServiceClient, service_of
from .session import (
    check_settings,
    client_arguments,
    client_configuration,
    import_library,
    needs_placeholder_keys,
    new_session,
)


class AwsClient:
    """A client of DynamoDB on AWS or another endpoint; threads may share one.

    It retries nothing: an error says whether a request was not sent, may have been executed, or was rejected. The first
    call makes botocore's client; a missing profile or region raises an error before.

    Example:
        >>> from pksk.engine import Engine
        >>> from pksk.server import Server
        >>> with Engine.open() as engine, Server(engine) as server:
        ...     with AwsClient(AwsOptions(endpoint=server.url)) as client:
        ...         client.call("ListTables", {})
        {'TableNames': []}
    """

    def __init__(self, options: AwsOptions | None = None) -> None:
        self._session_class = import_library("botocore.session").Session
        self._options = options or AwsOptions()
        check_settings(self._session_class, self._options)
        self._lock = Lock()
        self._session: Any = None
        self._services: dict[str, ServiceClient] = {}
        self._inherited: list[dict[str, ServiceClient]] = []
        self._process = os.getpid()
        self._is_closed = False

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer in DynamoDB's JSON; raises `ServiceError` and nothing else."""
        exchange = Exchange(operation, b"", self._options.label)
        error: Exception | None = None
        try:
            send = self._service(operation).prepare(exchange, request)
            with current_exchange(exchange):
                send()
        except ServiceError:
            raise
        except (
            Exception
        ) as raised:  # botocore raises the errors of DynamoDB too; they are read from the answer
            error = raised
        return answer_or_failure(exchange, error, self._options)

    def close(self) -> None:
        """Close all connections; a call afterwards raises an error."""
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
                service = self._services.get(name) or self._open(name, operation)
        return service

    def _leave_to_parent(self) -> None:
        """In a forked process, use none of the inherited connections: the parent reads its answers from them."""
        # They stay referenced, since closing one would close the parent's connection too.
        self._inherited.append(self._services)
        self._lock, self._session, self._services = Lock(), None, {}
        self._process = os.getpid()

    def _open(self, name: str, operation: str) -> ServiceClient:
        if self._is_closed:
            raise not_configured(operation, self._options.label, CLOSED)
        from botocore.config import Config

        session = self._session = self._session or new_session(self._session_class, self._options)
        without_keys = needs_placeholder_keys(self._options) and session.get_credentials() is None
        arguments = client_arguments(session, self._options, without_keys=without_keys)
        client = session.create_client(
            name, config=Config(**client_configuration(self._options)), **arguments
        )
        service = self._services[name] = ServiceClient(client)
        return service
