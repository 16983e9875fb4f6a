"""Responses of other services and of proxies are not mistaken for DynamoDB's."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.aws import NOT_DYNAMODB

from .both_clients import Open, error_of
from .faulty_server import faulty_server, replies

OK = b'{"status":"ok"}'
HTML = b"<html><body>Slow down</body></html>"
KEY = {"pk": {"S": "a"}}
COUNTED = {"TableName": "orders", "Select": "COUNT"}
RAISED = {
    "TableName": "orders",
    "Key": KEY,
    "ReturnValues": "UPDATED_NEW",
    "UpdateExpression": "ADD #n :n",
}

OF_OTHERS: list[tuple[str, dict[str, Any], bytes, str]] = [
    ("GetItem", {}, OK, "it has no member 'status'"),
    ("GetItem", {}, b'{"Items":[]}', "it has no member 'Items'"),
    ("GetItem", {}, b'{"Item":"x"}', "'Item' is not an object"),
    ("GetItem", {}, b'{"Item":{"pk":"a","sk":"b"}}', "'Item' is an object with wrong content"),
    ("Query", {}, OK, "it has no member 'status'"),
    ("Query", {}, b"{}", "'Items' is missing"),
    ("Query", {}, b'{"Count":0}', "'Items' is missing"),
    ("Query", {}, b'{"Items":null}', "'Items' is missing"),
    ("Query", {}, b'{"Items":{}}', "'Items' is not a list"),
    ("Query", {}, b'{"Items":[{},5]}', "'Items' is a list with wrong content"),
    ("Query", {}, b'{"Items":[{"pk":"a"}]}', "'Items' is a list with wrong content"),
    ("Query", COUNTED, b'{"Items":[]}', "'Count' is missing"),
    ("Scan", COUNTED, b'{"Count":"5"}', "'Count' is not a number"),
    ("Scan", COUNTED, b'{"Count":true}', "'Count' is not a number"),
    ("Scan", {}, b'{"Items":[],"LastEvaluatedKey":"a"}', "'LastEvaluatedKey' is not an object"),
    ("BatchGetItem", {}, b"{}", "'Responses' is missing"),
    (
        "BatchGetItem",
        {},
        b'{"Responses":{"orders":{}}}',
        "'Responses' is an object with wrong content",
    ),
    ("TransactGetItems", {}, b'{"Responses":[5]}', "'Responses' is a list with wrong content"),
    ("DescribeTable", {}, b"{}", "'Table' is missing"),
    ("DescribeTable", {}, b'{"Table":{}}', "'TableStatus' is missing in 'Table'"),
    ("ListTables", {}, b'{"TableNames":[5]}', "'TableNames' is a list with wrong content"),
    ("GetRecords", {}, b"{}", "'Records' is missing"),
    ("GetShardIterator", {}, b"{}", "'ShardIterator' is missing"),
    ("PutItem", {}, OK, "it has no member 'status'"),
    ("PutItem", {}, b'{"Attributes":[]}', "'Attributes' is not an object"),
    ("DeleteItem", {}, OK, "it has no member 'status'"),
    ("TransactWriteItems", {}, OK, "it has no member 'status'"),
    ("UpdateItem", {"ReturnValues": "ALL_NEW"}, b"{}", "'Attributes' is missing"),
    ("UpdateItem", {"ReturnValues": "ALL_NEW"}, b'{"Attributes":{}}', "'Attributes' is missing"),
    ("UpdateItem", RAISED, b"{}", "'Attributes' is missing"),
    ("CreateTable", {}, OK, "it has no member 'status'"),
    ("TagResource", {}, OK, "it has no member 'status'"),
]


@pytest.mark.parametrize(("operation", "request_", "body", "why"), OF_OTHERS)
def test_json_of_another_service_raises(
    client_of: Open, operation: str, request_: dict[str, Any], body: bytes, why: str
) -> None:
    with faulty_server(replies("200 OK", body)) as server:
        error = error_of(client_of(endpoint=server.url), operation, request_)

    assert error.code == NOT_DYNAMODB
    assert error.message == (
        f"{server.url} answered {operation} with HTTP 200 and {body.decode()!r}, "
        f"which is not an answer of DynamoDB: {why}. Fix: use the address of a DynamoDB."
    )
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("operation", "status"), [("GetItem", 0), ("Query", 0), ("DescribeTable", 0), ("PutItem", 200)]
)
@pytest.mark.parametrize("body", [OK, HTML], ids=["JSON", "HTML"])
def test_an_invalid_response_with_status_200_leaves_the_outcome_of_writes_unknown(
    client_of: Open, operation: str, status: int, body: bytes
) -> None:
    with faulty_server(replies("200 OK", body, Content_Type="text/plain")) as server:
        error = error_of(client_of(endpoint=server.url), operation)

    assert (error.code, error.status) == (NOT_DYNAMODB, status)


@pytest.mark.parametrize(
    ("operation", "request_", "body", "answer"),
    [
        ("GetItem", {}, b"{}", {}),
        ("GetItem", {}, b'{"Item":{}}', {"Item": {}}),
        ("GetItem", {}, b'{"Item":null}', {}),
        ("GetItem", {}, b'{"Item":{},"Newer":5}', {"Item": {}, "Newer": 5}),
        ("PutItem", {}, b"{}", {}),
        ("DeleteItem", {}, b"{}", {}),
        ("TransactWriteItems", {}, b"{}", {}),
        ("BatchWriteItem", {}, b"{}", {}),
        ("BatchWriteItem", {}, b'{"UnprocessedItems":null}', {}),
        ("BatchGetItem", {}, b'{"Responses":{}}', {"Responses": {}}),
        ("UpdateItem", {"ReturnValues": "NONE"}, b"{}", {}),
        ("UpdateItem", {"ReturnValues": "ALL_OLD"}, b"{}", {}),
        ("UpdateItem", {"ReturnValues": "UPDATED_NEW", "UpdateExpression": "REMOVE a"}, b"{}", {}),
        ("UpdateItem", {"ReturnValues": "UPDATED_NEW", "UpdateExpression": "SET a[9] = :a"}, b"{}", {}),
        ("Query", {"Select": "COUNT"}, b'{"Count":1.0}', {"Count": 1.0}),
        ("TransactGetItems", {}, b'{"Responses":[{},{"Item":{}}]}', {"Responses": [{}, {"Item": {}}]}),
        ("TagResource", {}, b"", {}),
        ("TagResource", {}, b"{}", {}),
    ],
)
def test_valid_responses_are_returned(
    client_of: Open, operation: str, request_: dict[str, Any], body: bytes, answer: dict[str, Any]
) -> None:
    with faulty_server(replies("200 OK", body)) as server:
        assert client_of(endpoint=server.url).call(operation, request_) == answer


@pytest.mark.parametrize(
    "body",
    [
        b'{"__type":"ValidationException","message":5}',
        b'{"__type":"ValidationException","Message":{"text":"No."}}',
        b'{"__type":"ConditionalCheckFailedException","Item":"x"}',
        b'{"__type":"TransactionCanceledException","CancellationReasons":5}',
        b'{"__type":"TransactionCanceledException","CancellationReasons":["None"]}',
        b'{"__type":"TransactionCanceledException","CancellationReasons":[{"Code":"None","Item":5}]}',
    ],
)
def test_a_malformed_error_is_not_a_dynamodb_error(client_of: Open, body: bytes) -> None:
    with faulty_server(replies("400 Bad Request", body)) as server:
        error = error_of(client_of(endpoint=server.url), "PutItem")

    assert (error.code, error.status) == (NOT_DYNAMODB, 400)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("408 Request Timeout", "RequestTimeout"),
        ("429 Too Many Requests", "TooManyRequestsException"),
        ("500 Internal Server Error", NOT_DYNAMODB),
        ("502 Bad Gateway", NOT_DYNAMODB),
        ("503 Service Unavailable", NOT_DYNAMODB),
        ("504 Gateway Timeout", NOT_DYNAMODB),
    ],
)
@pytest.mark.parametrize("body", [HTML, b"", b'{"message":"Slow down"}'], ids=["HTML", "nothing", "JSON"])
def test_the_error_of_a_proxy_has_its_status(client_of: Open, status: str, code: str, body: bytes) -> None:
    number = int(status[:3])
    with faulty_server(replies(status, body, Content_Type="text/html", x_amz_crc32="")) as server:
        client = client_of(endpoint=server.url)
        read, write = error_of(client, "GetItem"), error_of(client, "PutItem")

    assert [(each.code, each.status) for each in (read, write)] == [(code, number)] * 2
    assert str(read.message).startswith(f"{server.url} answered GetItem with HTTP {number} and ")
    assert str(read.message).endswith("; it may come from a proxy.")
    assert ("It may have been executed or not." in str(write.message)) == (number >= 500)


@pytest.mark.parametrize(
    "status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"]
)
def test_redirects_are_not_followed(client_of: Open, status: str) -> None:
    with (
        faulty_server(replies("200 OK", b"{}")) as other,
        faulty_server(replies(status, b"", Location=f"{other.url}/")) as server,
    ):
        error = error_of(client_of(endpoint=server.url), "PutItem", {"TableName": "orders", "Item": KEY})

    assert (error.code, error.status) == (NOT_DYNAMODB, int(status[:3]))
    assert error.message == (
        f"{server.url} answered PutItem with HTTP {status[:3]} to '{other.url}/' and no body, "
        "which is not an answer of DynamoDB. Fix: use the address of a DynamoDB."
    )
    assert (len(server.requests), other.requests) == (1, [])
