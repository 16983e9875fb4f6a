"""Every operation on items: a table that is named by its ARN, and one that is missing."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.state.catalogues import ARN
from tests.engine.valid_requests import VALID, set_up

from .items import ABSENT

# The first valid request of each operation.
OPERATIONS = frozenset(
    {
        "GetItem",
        "PutItem",
        "UpdateItem",
        "DeleteItem",
        "Query",
        "Scan",
        "SearchVectors",
        "BatchGetItem",
        "BatchWriteItem",
        "TransactGetItems",
        "TransactWriteItems",
    }
)
REQUESTS = {operation: request for operation, request in reversed(VALID) if operation in OPERATIONS}
ARN_OF_TABLES = ARN.rpartition("/")[0] + "/"
GET: dict[str, Any] = {"Key": {"unknown": {"L": []}}}
WRITE: dict[str, Any] = {"Key": {}, "ConditionExpression": "a = b"}

# The key is not checked, because only the table knows what it must be.
REQUESTS_WITHOUT_TABLE: list[tuple[str, Any]] = [
    ("GetItem", lambda name: {"TableName": name, **GET}),
    ("PutItem", lambda name: {"TableName": name, "Item": {}}),
    ("UpdateItem", lambda name: {"TableName": name, "Key": {}}),
    ("DeleteItem", lambda name: {"TableName": name, "Key": {}}),
    ("Query", lambda name: {**REQUESTS["Query"], "TableName": name}),
    ("Scan", lambda name: {"TableName": name}),
    ("SearchVectors", lambda name: {**REQUESTS["SearchVectors"], "TableName": name}),
    ("BatchGetItem", lambda name: {"RequestItems": {name: {"Keys": [GET["Key"]]}}}),
    ("BatchWriteItem", lambda name: {"RequestItems": {name: [{"DeleteRequest": GET}]}}),
    ("TransactGetItems", lambda name: {"TransactItems": [{"Get": {"TableName": name, **GET}}]}),
    ("TransactWriteItems", lambda name: {"TransactItems": [{"Put": {"TableName": name, "Item": {}}}]}),
    ("TransactWriteItems", lambda name: {"TransactItems": [{"Delete": {"TableName": name, **WRITE}}]}),
    (
        "TransactWriteItems",
        lambda name: {"TransactItems": [{"ConditionCheck": {"TableName": name, **WRITE}}]},
    ),
]


def renamed(members: Any, names: dict[str, str]) -> Any:
    """The same JSON with other table names."""
    text = orjson.dumps(members).decode()
    for name, other in names.items():
        text = text.replace(f'"{name}"', f'"{other}"')
    return orjson.loads(text)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_a_table_can_be_named_by_its_arn(operation: str) -> None:
    arns = {name: ARN_OF_TABLES + name for name in ("orders", "parts", "pictures")}
    by_name = renamed(REQUESTS[operation], {arn: name for name, arn in arns.items()})
    with set_up(Engine.open()) as engine, set_up(Engine.open()) as other:
        answer = engine.call(operation, by_name)
        answer_by_arn = other.call(operation, renamed(by_name, arns))

    assert answer_by_arn == renamed(answer, arns)


@pytest.mark.parametrize(("operation", "request_of"), REQUESTS_WITHOUT_TABLE)
@pytest.mark.parametrize("name", [ABSENT, f"{ARN_OF_TABLES}{ABSENT}"])
def test_the_error_about_a_missing_table_does_not_name_it(operation: str, request_of: Any, name: str) -> None:
    with Engine.open() as engine, pytest.raises(ServiceError) as raised:
        engine.call(operation, request_of(name))

    error = (raised.value.code, raised.value.message)
    assert error == ("ResourceNotFoundException", "Requested resource not found")
