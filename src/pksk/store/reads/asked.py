"""The conditions of a request, to hold items to that were read past it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.expressions import Condition, parse_condition, parse_key_condition
from pksk.values.boto3_form import from_boto3

__all__ = ["asked_of"]

_PARSERS: Final[dict[str, Callable[..., Condition]]] = {
    "KeyConditionExpression": parse_key_condition,
    "FilterExpression": parse_condition,
    "SearchConditionExpression": parse_condition,
}


def asked_of(request: Mapping[str, Any]) -> tuple[Condition, ...]:
    """What a read asks of its rows, of the key and besides.

    Example:
        >>> len(asked_of({"FilterExpression": "a = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}))
        1
    """
    names = request.get("ExpressionAttributeNames", {})
    given = request.get("ExpressionAttributeValues", {}).items()
    values = {name: from_boto3(value) for name, value in given}
    return tuple(parse(request[name], names, values) for name, parse in _PARSERS.items() if name in request)
