"""The transport over botocore notices responses that AWS's model does not have."""

from __future__ import annotations

from collections.abc import Iterator
from re import escape
from typing import Any

import orjson
import pytest

from pksk.client import ServiceError
from pksk.testing import intercept
from tests.engine.botocore_model import NOT_IN_THE_MODEL

from .botocore_transport import BotocoreTransport, UnlikeTheModel, differences
from .exact_clients import Clients


@pytest.fixture(scope="module")
def clients() -> Iterator[Clients]:
    with Clients() as clients:
        yield clients


class Canned:
    """Gives the same response to every request."""

    def __init__(self, body: Any, status: int = 200) -> None:
        self._answer = status, orjson.dumps(body)

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        return self._answer


def _called(clients: Clients, body: Any, status: int = 200, operation: str = "ListTables") -> Any:
    with intercept(Canned(body, status)):
        return BotocoreTransport(clients).call(operation, {})


@pytest.mark.parametrize(
    ("operation", "body", "path"),
    [
        ("ListTables", {"TableNames": [], "Tables": 1}, "'.Tables'"),
        ("GetItem", {"Item": {"a": {"S": "x", "T": "y"}}}, "'.Item.a.T'"),
        ("DescribeTable", {"Table": {"Replicas": [{"Region": "x"}]}}, "'.Table.Replicas[0].Region'"),
        ("ListTables", {"TableNames": None}, "'.TableNames'"),
    ],
)
def test_a_response_outside_the_model_is_noticed(
    clients: Clients, operation: str, body: Any, path: str
) -> None:
    with pytest.raises(UnlikeTheModel, match=escape(path)):
        _called(clients, body, operation=operation)


@pytest.mark.parametrize("member", sorted(NOT_IN_THE_MODEL))
def test_members_that_only_the_service_knows_are_allowed(clients: Clients, member: str) -> None:
    answer = {"Table": {member: 1}}

    assert _called(clients, answer, operation="DescribeTable") == answer


@pytest.mark.parametrize(
    "fields",
    [
        {"Message": "with a capital, which it has not"},
        {"message": "fine", "Reasons": []},
        {"message": "fine", "Item": {"a": {"T": 1}}},
    ],
)
def test_an_error_outside_the_model_is_noticed(clients: Clients, fields: Any) -> None:
    body = {"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", **fields}

    with pytest.raises(UnlikeTheModel):
        _called(clients, body, 400, "PutItem")


def test_an_error_without_a_message_has_none(clients: Clients) -> None:
    with pytest.raises(ServiceError) as caught:
        _called(clients, {"__type": "com.amazon.coral.service#SerializationException"}, 400)

    assert (caught.value.code, caught.value.message) == ("SerializationException", None)


def test_differences_have_their_paths() -> None:
    one = {"a": [1, {"b": 2}], "c": 3, "d": [1]}
    other = {"a": [1, {"b": 4}], "e": 3, "d": []}

    assert sorted(differences(one, other)) == [".a[1].b", ".c", ".d", ".e"]
