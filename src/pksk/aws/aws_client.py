"""A `Client` on botocore, for threads, and what it shares with the asynchronous one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from threading import Lock
from typing import Any, Final, TypeGuard

from pksk.client import ServiceError
from pksk.errors import quote

from . import session as sessions
from .answer_shape import AnswerShape
from .aws_options import AwsOptions
from .exchange import Exchange, current_exchange, hook_client, request_body
from .failure import CLOSED, answer_or_failure, not_configured


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
        self._session_class = sessions.import_library("botocore.session").Session
        self._options = options or AwsOptions()
        sessions.check_settings(self._session_class, self._options)
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

        session = self._session = self._session or sessions.new_session(self._session_class, self._options)
        without_keys = sessions.needs_placeholder_keys(self._options) and session.get_credentials() is None
        arguments = sessions.client_arguments(session, self._options, without_keys=without_keys)
        client = session.create_client(
            name, config=Config(**sessions.client_configuration(self._options)), **arguments
        )
        service = self._services[name] = ServiceClient(client)
        return service


_STREAMS: Final = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")


def service_of(operation: object) -> str:
    """The service of an operation, as botocore calls it."""
    if not isinstance(operation, str):
        raise _unknown(f"<{type(operation).__name__}>")
    return "dynamodbstreams" if operation in _STREAMS else "dynamodb"


class ServiceClient:
    """Calls one of DynamoDB's two services by the API's names, with a client of botocore or aiobotocore."""

    def __init__(self, client: Any) -> None:
        hook_client(client)
        self.client = client
        self._methods = {name: method for method, name in client.meta.method_to_api_mapping.items()}
        self._shapes: dict[str, AnswerShape] = {}

    def prepare(self, exchange: Exchange, request: object) -> Callable[[], Any]:
        """Write a request into its exchange; returns the call that sends it."""
        exchange.body = request_body(request)
        operation = exchange.operation
        method = self._methods.get(operation)
        if method is None:  # botocore's model of the service does not have it
            raise _unknown(quote(operation))
        model = self.client.meta.service_model.operation_model(operation)
        shape = self._shapes.get(operation)
        if shape is None:
            shape = self._shapes[operation] = AnswerShape(operation, model.output_shape)
        exchange.shape, exchange.required_member = shape, shape.required_member(request)
        members = model.input_shape.members if model.input_shape else ()
        return partial(getattr(self.client, method), **endpoint_members(request, members))


def _unknown(operation: str) -> ServiceError:
    from botocore import __version__ as version

    return ServiceError(
        "UnknownOperationException",
        f"botocore {version} does not know the operation {operation}. "
        "Fix: check its name; if it is new, pip install --upgrade botocore aiobotocore.",
    )


_NAMES: Final = (
    *("TableName", "TableArn", "TargetTableName", "GlobalTableName"),
    *("ResourceArn", "BackupArn", "ExportArn", "ImportArn"),
)
_ACTIONS: Final = ("Get", "Put", "Update", "Delete", "ConditionCheck")


def endpoint_members(request: object, members: Iterable[str]) -> dict[str, Any]:
    """The members of a request that decide its endpoint, since they name tables or other resources.

    Example:
        >>> endpoint_members({"TableName": "orders", "Key": {"pk": {"S": "a"}}}, ["Key", "TableName"])
        {'TableName': 'orders'}
        >>> endpoint_members({"RequestItems": {"arn:aws:dynamodb:eu-west-1:123456789012:table/orders": {"Keys": []}}},
        ...           ["RequestItems"])
        {'RequestItems': {'arn:aws:dynamodb:eu-west-1:123456789012:table/orders': {}}}
    """
    if not isinstance(request, Mapping):
        request = {}
    values = {name: request.get(name) for name in _NAMES if name in members}
    named_members: dict[str, Any] = {name: value for name, value in values.items() if isinstance(value, str)}
    if "RequestItems" in members:  # botocore needs this member, even if it is empty
        named_members["RequestItems"] = {arn: {} for arn in _in_batch(request.get("RequestItems"))}
    if "TransactItems" in members and (arns := _in_transaction(request.get("TransactItems"))):
        # Any action will do, but reads and writes have different ones.
        action = "Get" if "ClientRequestToken" not in members else "Put"
        named_members["TransactItems"] = [{action: {"TableName": arn}} for arn in arns]
    return named_members


def _in_batch(tables: object) -> list[str]:
    return [name for name in tables if _is_arn(name)] if isinstance(tables, Mapping) else []


def _in_transaction(items: object) -> list[str]:
    members = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list | tuple) else []
    actions = [item.get(name) for item in members for name in _ACTIONS if name in item]
    names = [action.get("TableName") for action in actions if isinstance(action, Mapping)]
    return [name for name in names if _is_arn(name)]


def _is_arn(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and name.startswith("arn:")
