"""What of a request botocore finds the endpoint by: the ARNs of tables, which may be of another account.

Each account has an endpoint of its own: https://docs.aws.amazon.com/sdkref/latest/guide/feature-account-endpoints.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeGuard

__all__ = ["addressed"]

_NAMES: Final = (
    *("TableName", "TableArn", "TargetTableName", "GlobalTableName"),
    *("ResourceArn", "BackupArn", "ExportArn", "ImportArn"),
)
_ACTIONS: Final = ("Get", "Put", "Update", "Delete", "ConditionCheck")


def addressed(request: object, members: Iterable[str]) -> dict[str, Any]:
    """The members of a request that say whose table it is for, if they are members of the operation.

    Example:
        >>> addressed({"TableName": "orders", "Key": {"pk": {"S": "a"}}}, ["Key", "TableName"])
        {'TableName': 'orders'}
        >>> addressed({"RequestItems": {"arn:aws:dynamodb:eu-west-1:123456789012:table/orders": {"Keys": []}}},
        ...           ["RequestItems"])
        {'RequestItems': {'arn:aws:dynamodb:eu-west-1:123456789012:table/orders': {}}}
    """
    if not isinstance(request, Mapping):
        request = {}
    named = {name: request.get(name) for name in _NAMES if name in members}
    found: dict[str, Any] = {name: value for name, value in named.items() if isinstance(value, str)}
    if "RequestItems" in members:  # here botocore needs the names, be it none
        found["RequestItems"] = {arn: {} for arn in _in_batch(request.get("RequestItems"))}
    if "TransactItems" in members and (arns := _in_transaction(request.get("TransactItems"))):
        # Which action it stands in makes no difference, but there is one kind for reads and others for writes.
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
