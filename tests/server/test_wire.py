"""Requests and answers as AWS has them: types, targets, checksums, ids, CORS."""

from __future__ import annotations

import zlib

import orjson
import pytest

from pksk.engine import Engine
from pksk.schema import Table
from pksk.server import Server
from tests.server.raw_http import JSON, call, exchange, get

UNKNOWN = {"__type": "com.amazon.coral.service#UnknownOperationException"}
UNREADABLE = {"__type": "com.amazon.coral.service#SerializationException"}
NO_SUCH_PAGE = b"<UnknownOperationException/>\n"
ORIGIN = "Origin: http://localhost:3000"


@pytest.fixture
def server(engine: Engine) -> object:
    with Server(engine) as running:
        yield running


def test_a_response_has_an_id_a_checksum_and_a_length(server: Server) -> None:
    answer = exchange(server, call())

    assert answer.headers["content-type"] == JSON
    assert answer.headers["x-amz-crc32"] == str(zlib.crc32(answer.body))
    assert answer.headers["content-length"] == str(len(answer.body))
    assert len(answer.headers["x-amzn-requestid"]) == 52
    assert answer.headers["x-amzn-requestid"] != exchange(server, call()).headers["x-amzn-requestid"]


@pytest.mark.parametrize(
    ("kind", "answered"),
    [
        (JSON, JSON),
        (f"{JSON}; charset=utf-8", JSON),
        (f"  {JSON.upper()}  ", JSON),
        ("application/json", "application/json"),
        ("application/json;charset=nonsense", "application/json"),
    ],
)
def test_a_response_has_the_content_type_of_its_request(server: Server, kind: str, answered: str) -> None:
    answer = exchange(server, call(kind=kind))

    assert (answer.status, answer.headers["content-type"]) == (200, answered)


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/x-amz-json-1.1",
        "application/jsonx",
    ],
)
def test_a_body_of_another_content_type_is_rejected(server: Server, kind: str | None) -> None:
    answer = exchange(server, call(kind=kind))

    assert (answer.status, answer.body) == (404, NO_SUCH_PAGE)
    assert answer.headers["x-amz-crc32"] == "3552371480"


@pytest.mark.parametrize(
    ("service", "operation"),
    [
        ("DynamoDB_20120810", "Nothing"),
        ("DynamoDB_20120810", ""),
        ("DynamoDB_20111205", "ListTables"),
        ("DynamoDB_20120810", "listTables"),
        ("DynamoDB_20120810", "ListTables.More"),
        ("DynamoDB_20120810", "GetRecords"),
        ("DynamoDBStreams_20120810", "ListTables"),
        ("Kinesis_20131202", "ListStreams"),
    ],
)
def test_a_missing_operation_is_unknown(server: Server, service: str, operation: str) -> None:
    answer = exchange(server, call(operation, service=service))

    assert (answer.status, answer.json()) == (400, UNKNOWN)


def test_operations_of_streams_have_their_own_target(server: Server) -> None:
    answer = exchange(server, call("ListStreams", service="DynamoDBStreams_20120810"))

    assert (answer.status, answer.json()) == (200, {"Streams": []})


def test_without_a_target_or_a_body_the_operation_is_unknown(server: Server) -> None:
    answer = exchange(server, b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")

    assert (answer.status, answer.json()) == (400, UNKNOWN)
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("operation", ["ListTables", "Nothing"])
@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{'a': 1}",
        b'{"a": NaN}',
        b"\xff\xfe{}",
        b'{"TableName": "\xed\xa0\x80"}',
        b"[" * 100_000,
        b"{}{}",
    ],
    ids=["cut", "quotes", "nan", "utf-16", "surrogate", "deep", "two"],
)
def test_a_body_that_is_not_json_is_an_error(server: Server, operation: str, body: bytes) -> None:
    answer = exchange(server, call(operation, body))

    assert (answer.status, answer.json()) == (400, UNREADABLE)


def test_an_operation_without_a_body_is_an_error(server: Server) -> None:
    assert exchange(server, call("ListTables", b"")).json() == UNREADABLE


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND"])
def test_another_method_is_not_found(server: Server, method: str) -> None:
    answer = exchange(server, get("/", method=method))

    assert (answer.status, answer.body) == (404, NO_SUCH_PAGE)
    assert len(answer.headers["x-amzn-requestid"]) == 52


@pytest.mark.parametrize("request_", [get("/nothing"), call().replace(b"POST /", b"POST /nothing")])
def test_another_path_is_not_found(server: Server, request_: bytes) -> None:
    answer = exchange(server, request_)

    assert (answer.status, answer.body) == (404, NO_SUCH_PAGE)


def test_an_error_has_the_status_of_its_kind(server: Server) -> None:
    answer = exchange(server, call("DescribeTable", b'{"TableName":"none"}'))

    assert answer.status == 400
    assert answer.json()["__type"] == "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException"


def test_a_page_of_another_origin_can_read_a_response(server: Server) -> None:
    answer = exchange(server, call("ListTables", b"{}", ORIGIN))

    assert answer.headers["access-control-allow-origin"] == "*"
    assert "x-amzn-RequestId" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in exchange(server, call()).headers


def test_a_preflight_request_allows_what_it_names(server: Server) -> None:
    lines = (ORIGIN, "Access-Control-Request-Method: POST", "Access-Control-Request-Headers: x-amz-target, b")
    answer = exchange(server, get("/", *lines, method="OPTIONS"))

    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-methods"] == "POST"
    assert answer.headers["access-control-allow-headers"] == "x-amz-target, b"
    assert answer.headers["access-control-max-age"] == "172800"


@pytest.mark.parametrize(
    ("cors", "allowed"), [("http://localhost:3000", "http://localhost:3000"), (None, None)]
)
def test_other_origins_can_be_rejected(engine: Engine, cors: str | None, allowed: str | None) -> None:
    with Server(engine, cors=cors) as server:
        answers = [
            exchange(server, call("ListTables", b"{}", ORIGIN)),
            exchange(server, get("/", ORIGIN, method="OPTIONS")),
            exchange(server, get("/ping", ORIGIN)),
        ]

    assert [each.status for each in answers] == [200, 200, 200]
    assert {each.headers.get("access-control-allow-origin") for each in answers} == {allowed}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "dynamodb.test:80"])
def test_describe_endpoints_names_the_host_of_the_request(server: Server, host: str) -> None:
    data = call("DescribeEndpoints").replace(b"Host: localhost", f"Host: {host}".encode())

    answer = exchange(server, data)

    assert answer.json() == {"Endpoints": [{"Address": host, "CachePeriodInMinutes": 1440}]}


def test_an_error_of_describe_endpoints_stays_as_it_is(server: Server) -> None:
    answer = exchange(server, call("DescribeEndpoints", b"["))

    assert (answer.status, answer.json()) == (400, UNREADABLE)


def test_answers_to_added_and_removed_tags_have_no_body(server: Server, engine: Engine) -> None:
    arn = engine.call("CreateTable", Table("tagged", sk=None).create_request())["TableDescription"][
        "TableArn"
    ]
    requests = {
        "TagResource": {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": ""}]},
        "UntagResource": {"ResourceArn": arn, "TagKeys": ["a"]},
    }

    for operation, request in requests.items():
        answer = exchange(server, call(operation, orjson.dumps(request)))
        assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "0")
