"""A client of botocore or aiobotocore for one of DynamoDB's two services."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, TypeGuard

from pksk.client import ServiceError
from pksk.errors import quote

from .answer_shape import AnswerShape
from .exchange import Exchange, hook_client, request_body

_STREAMS: Final = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")


def service_of(operation: object) -> str:
    """The service of an operation, as botocore calls it.

    Example:
        >>> service_of("GetItem"), service_of("GetRecords")
        ('dynamodb', 'dynamodbstreams')
    """
    if not isinstance(operation, str):
        raise _unknown(f"<{type(operation).__name__}>")
    return "dynamodbstreams" if operation in _STREAMS else "dynamodb"


class ServiceClient:
    """Calls the operations of a client by their names in the API."""

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


def _unknown(shown: str) -> ServiceError:
    from botocore import __version__ as version

    return ServiceError(
        "UnknownOperationException",
        f"botocore {version} does not know the operation {shown}. "
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
    named = {name: request.get(name) for name in _NAMES if name in members}
    found: dict[str, Any] = {name: value for name, value in named.items() if isinstance(value, str)}
    if "RequestItems" in members:  # botocore needs this member, even if it is empty
        found["RequestItems"] = {arn: {} for arn in _in_batch(request.get("RequestItems"))}
    if "TransactItems" in members and (arns := _in_transaction(request.get("TransactItems"))):
        # Any action will do, but reads and writes have different ones.
        action = "Get" if "ClientRequestToken" not in members else "Put"
        found["TransactItems"] = [{action: {"TableName": arn}} for arn in arns]
    return found


def _in_batch(tables: object) -> list[str]:
    return [name for name in tables if _is_arn(name)] if isinstance(tables, Mapping) else []


def _in_transaction(items: object) -> list[str]:
    members = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list | tuple) else []
    actions = [item.get(name) for item in members for name in _ACTIONS if name in item]
    names = [action.get("TableName") for action in actions if isinstance(action, Mapping)]
    return [name for name in names if _is_arn(name)]


def _is_arn(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and name.startswith("arn:")
