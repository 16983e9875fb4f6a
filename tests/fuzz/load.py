"""An ordinary load: mixed operations on tables with indexes, a stream and expiry; no data accumulates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from random import Random
from time import time
from typing import Any, Final

import orjson

from .exchange import Expected
from .framing import Request
from .sample_tables import SampleTables, http_target

__all__ = ["make_tables", "requests"]

_CUSTOMERS: Final = 50
_ORDERS: Final = 40
_FINE: Final = frozenset({200})
_CONDITIONAL: Final = frozenset({200, 400})
_TEXT: Final = "x" * 400
_Asked = tuple[str, dict[str, Any]]


def _schema(**types: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


def _key(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def make_tables(world: SampleTables) -> None:
    """A table with most of the load, and one with a stream and little load: its changes stay for a day."""
    indexes = {
        "LocalSecondaryIndexes": [
            {
                "IndexName": "by-total",
                "KeySchema": _key("pk", "total"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by-status",
                "KeySchema": _key("status", "total"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }
    shop = {
        "TableName": "shop",
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key("pk", "sk"),
        "AttributeDefinitions": _schema(pk="S", sk="N", total="N", status="S"),
        **indexes,
    }
    watched = {
        **shop,
        "TableName": "watched",
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    }
    for table in (shop, watched):
        world.call("CreateTable", table)
        expiry = {"Enabled": True, "AttributeName": "expires"}
        world.call("UpdateTimeToLive", {"TableName": table["TableName"], "TimeToLiveSpecification": expiry})


def requests(chance: Random) -> Iterator[Request]:
    """Requests without end."""
    while True:
        make, statuses = chance.choices(_MAKERS, cum_weights=_WEIGHTS)[0]
        operation, request = make(chance)
        body = orjson.dumps(request)
        head = (
            f"POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: {http_target(operation)}\r\n"
            f"Content-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        yield Request(head.encode() + body, Expected(operation, statuses, operation))


def _order_key(chance: Random) -> dict[str, Any]:
    return {
        "pk": {"S": f"customer-{chance.randrange(_CUSTOMERS)}"},
        "sk": {"N": str(chance.randrange(_ORDERS))},
    }


def _order(chance: Random) -> dict[str, Any]:
    order = {
        **_order_key(chance),
        "total": {"N": str(chance.randrange(1000))},
        "status": {"S": chance.choice(["open", "paid", "sent"])},
        "note": {"S": _TEXT},
        "lines": {"L": [{"M": {"part": {"S": "bolt"}, "count": {"N": "3"}}}]},
    }
    if chance.random() < 0.1:
        order["expires"] = {"N": str(int(time()) + chance.randrange(600))}
    return order


def _put(chance: Random) -> _Asked:
    return "PutItem", {"TableName": "shop", "Item": _order(chance)}


def _put_watched(chance: Random) -> _Asked:
    return "PutItem", {"TableName": "watched", "Item": _order(chance)}


def _get(chance: Random) -> _Asked:
    return "GetItem", {"TableName": "shop", "Key": _order_key(chance), "ConsistentRead": True}


def _update(chance: Random) -> _Asked:
    return "UpdateItem", {
        "TableName": "shop", "Key": _order_key(chance), "UpdateExpression": "SET #s = :s, #t = :t",
        "ConditionExpression": "attribute_exists(pk)", "ExpressionAttributeNames": {"#s": "status", "#t": "total"},
        "ExpressionAttributeValues": {":s": {"S": "paid"}, ":t": {"N": str(chance.randrange(1000))}},
        "ReturnValues": "ALL_NEW",
    }  # fmt: skip


def _delete(chance: Random) -> _Asked:
    return "DeleteItem", {"TableName": "shop", "Key": _order_key(chance)}


def _query(chance: Random) -> _Asked:
    customer = {"S": f"customer-{chance.randrange(_CUSTOMERS)}"}
    values = {":pk": customer}
    return "Query", {
        "TableName": "shop", "KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": values, "Limit": 20,
    }  # fmt: skip


def _query_index(chance: Random) -> _Asked:
    return "Query", {
        "TableName": "shop", "IndexName": "by-status", "KeyConditionExpression": "#s = :s AND #t > :t",
        "ExpressionAttributeNames": {"#s": "status", "#t": "total"}, "Limit": 10,
        "ExpressionAttributeValues": {":s": {"S": "open"}, ":t": {"N": str(chance.randrange(1000))}},
    }  # fmt: skip


def _scan(chance: Random) -> _Asked:
    return "Scan", {"TableName": "shop", "Limit": 50, "TotalSegments": 16, "Segment": chance.randrange(16)}


def _batch(chance: Random) -> _Asked:
    orders = {(order["pk"]["S"], order["sk"]["N"]): order for order in (_order(chance) for _ in range(10))}
    return "BatchWriteItem", {
        "RequestItems": {"shop": [{"PutRequest": {"Item": each}} for each in orders.values()]}
    }


def _transaction(chance: Random) -> _Asked:
    first, second = {"pk": {"S": "first"}, "sk": {"N": "1"}}, _order(chance)
    check = {"TableName": "shop", "Key": first, "ConditionExpression": "attribute_not_exists(pk)"}
    return "TransactWriteItems", {
        "TransactItems": [{"ConditionCheck": check}, {"Put": {"TableName": "shop", "Item": second}}]
    }


def _statement(chance: Random) -> _Asked:
    statement = "SELECT sk, note FROM shop WHERE pk = ? AND sk < 5"
    return "ExecuteStatement", {"Statement": statement, "Parameters": [_order_key(chance)["pk"]]}


def _describe(_chance: Random) -> _Asked:
    return "DescribeTable", {"TableName": "watched"}


_KINDS: Final[list[tuple[int, Callable[[Random], _Asked], frozenset[int]]]] = [
    (20, _put, _FINE),
    (1, _put_watched, _FINE),
    (30, _get, _FINE),
    (12, _update, _CONDITIONAL),
    (8, _delete, _FINE),
    (10, _query, _FINE),
    (6, _query_index, _FINE),
    (2, _scan, _FINE),
    (2, _batch, _FINE),
    (3, _transaction, _CONDITIONAL),
    (3, _statement, _FINE),
    (1, _describe, _FINE),
]
_MAKERS: Final = [(make, statuses) for _, make, statuses in _KINDS]
_WEIGHTS: Final = list(accumulate(weight for weight, _, _ in _KINDS))
