"""Every error on the way to the server says whether the request may have been executed."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from pksk.aws import NOT_DYNAMODB
from pksk.client import NO_ANSWER, NOT_SENT

from .both_clients import Open, error_of
from .faulty_server import Behaviour, closes, closes_after, faulty_server, hangs, replies, resets_after, sends

OK = "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\n"
ITEM = b'{"Item":{"pk":{"S":"a"}}}'
HTML = b"<html><body>Not Found</body></html>"
PUT: Any = {"TableName": "orders", "Item": {"pk": {"S": "a"}}}


def _put(open_client: Open, behaviour: Behaviour) -> tuple[Any, str, int]:
    """The error of a write, the URL of its server, and the number of requests it got."""
    with faulty_server(behaviour) as server:
        client = open_client(endpoint=server.url, read_timeout_seconds=0.3 if behaviour is hangs else 30)
        return error_of(client, "PutItem", PUT), server.url, len(server.requests)


@pytest.mark.parametrize(
    ("behaviour", "text"),
    [
        (closes, "the connection was closed."),
        (closes_after, "the connection was closed."),
        (resets_after, "the connection was closed."),
        (hangs, "the answer did not come within 0.3 seconds."),
        (sends(b"\x00\xff what is this?\r\n\r\n"), "the answer is not HTTP."),
        (sends(b"\x15\x03\x01\x00\x02\x02\x46"), "the answer is not HTTP."),
        (sends(f"{OK}Content-Le".encode()), ""),
        (sends(b"HTTP/1.1 200 OK\r\nConte"), ""),
        (sends(b"HTTP/1.1 200"), ""),
        (sends(f"{OK}Content-Length: 25\r\n\r\n".encode() + ITEM[:10]), ""),
        (
            sends(f"{OK}Transfer-Encoding: chunked\r\n\r\n19\r\n".encode() + ITEM[:10]),
            "the connection was closed.",
        ),
        (replies("200 OK", ITEM, x_amz_crc32="1"), "its checksum, x-amz-crc32, is wrong"),
        (replies("200 OK", ITEM, x_amz_crc32="many"), "its checksum, x-amz-crc32, is wrong"),
        (replies("400 Bad Request", ITEM, x_amz_crc32="1"), "its checksum, x-amz-crc32, is wrong"),
        (replies("200 OK", ITEM[:10]), "it is not JSON"),
        (replies("200 OK", b"\x1f\x8b\xff"), "it is not JSON"),
        (replies("200 OK", ITEM[:10], Content_Type=""), "it is not JSON"),
    ],
)
def test_the_outcome_of_a_write_without_a_complete_response_is_unknown(
    client_of: Open, behaviour: Behaviour, text: str
) -> None:
    error, url, request_count = _put(client_of, behaviour)

    assert (error.code, error.status, error.fields) == (NO_ANSWER, 0, {})
    assert error.message.startswith(f"PutItem was sent to {url}, and ")
    assert text in error.message
    assert error.message.endswith("It may have been executed or not.")
    assert "\n" not in error.message
    assert request_count == (behaviour is not closes)


@pytest.mark.parametrize(
    ("behaviour", "status", "text"),
    [
        (
            replies("404 Not Found", HTML, Content_Type="text/html", x_amz_crc32=""),
            404,
            "'<html><body>Not Fo",
        ),
        (replies("200 OK", HTML, Content_Type="text/html", x_amz_crc32=""), 200, "'<html><body>Not Fo"),
        (replies("301 Moved", b""), 301, "HTTP 301 and no body"),
        (replies("200 OK", b"", Content_Type="", x_amz_crc32=""), 200, "HTTP 200 and no body"),
        (replies("200 OK", b""), 200, "HTTP 200 and no body"),
        (replies("200 OK", b"[1]"), 200, "'[1]'"),
        (replies("403 Forbidden", b'{"message":"Forbidden"}'), 403, "Forbidden"),
        (replies("400 Bad Request", b'{"__type":5}'), 400, "HTTP 400"),
    ],
)
def test_a_response_of_another_service_has_its_own_code(
    client_of: Open, behaviour: Behaviour, status: int, text: str
) -> None:
    error, url, request_count = _put(client_of, behaviour)

    assert (error.code, error.status, error.fields) == (NOT_DYNAMODB, status, {})
    assert error.message.startswith(f"{url} answered PutItem with HTTP {status} and ")
    assert text in error.message
    assert error.message.endswith("which is not an answer of DynamoDB. Fix: use the address of a DynamoDB.")
    assert request_count == 1


@pytest.mark.parametrize("attempts", ["", "5"])
def test_no_request_is_sent_twice(client_of: Open, attempts: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if attempts:
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", attempts)
        monkeypatch.setenv("AWS_RETRY_MODE", "adaptive")
    throttled = b'{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Slow down."}'

    error, _, request_count = _put(client_of, replies("400 Bad Request", throttled))

    assert (error.code, error.message, request_count) == ("ThrottlingException", "Slow down.", 1)


def test_a_server_error_has_its_status(client_of: Open) -> None:
    body = b'{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"Oh."}'

    error, _, request_count = _put(client_of, replies("500 Internal Server Error", body))

    assert (error.code, error.message, error.status, request_count) == ("InternalServerError", "Oh.", 500, 1)


def test_the_error_code_can_be_in_a_header(client_of: Open) -> None:
    name = "com.amazon.coral.service#ThrottlingException:http://internal.amazon.com/"

    error, _, _ = _put(client_of, replies("400 Bad Request", b"{}", x_amzn_ErrorType=name))

    assert (error.code, error.message) == ("ThrottlingException", None)


def test_a_request_to_a_closed_port_is_not_sent(client_of: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"

    error = error_of(client_of(endpoint=url), "PutItem", PUT)

    assert (error.code, error.status) == (NOT_SENT, 0)
    assert error.message == (
        f"PutItem was not sent to {url}: the connection was refused. "
        "Fix: start a server there, or correct the address."
    )


def test_a_request_to_an_unknown_host_is_not_sent(client_of: Open) -> None:
    error = error_of(client_of(endpoint="http://dynamodb.invalid:8000"), "PutItem", PUT)

    assert (error.code, error.status) == (NOT_SENT, 0)
    assert error.message == (
        "PutItem was not sent to http://dynamodb.invalid:8000: its name cannot be resolved. "
        "Fix: check the name and the network."
    )


def test_a_request_is_not_sent_if_connecting_times_out(client_of: Open) -> None:
    # A full backlog of one: the server does not accept, and the next connection waits.
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        waiting = [_connecting(address) for _ in range(4)]
        error = error_of(
            client_of(endpoint=f"http://127.0.0.1:{address[1]}", connect_timeout_seconds=0.2), "PutItem", PUT
        )
        for each in waiting:
            each.close()

    assert (error.code, error.status) == (NOT_SENT, 0)
    assert "no connection was made within 0.2 seconds." in str(error.message)


def _connecting(address: Any) -> socket.socket:
    made = socket.socket()
    made.setblocking(False)
    made.connect_ex(address)
    return made


def test_a_request_through_a_missing_proxy_is_not_sent(
    client_of: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")

    error = error_of(client_of(endpoint="http://dynamodb.invalid:8000"), "PutItem", PUT)

    assert (error.code, error.status) == (NOT_SENT, 0)
    assert f"the proxy http://127.0.0.1:{port}" in str(error.message)
    assert str(error.message).endswith(
        "cannot be reached. Fix: correct HTTP_PROXY and HTTPS_PROXY, or unset them."
    )


def test_a_client_works_after_a_server_error(client_of: Open) -> None:
    behaviours = iter([closes_after, sends(b"?\r\n"), replies("200 OK", ITEM)])

    def next_one(*arguments: Any) -> None:
        next(behaviours)(*arguments)

    with faulty_server(next_one) as server:
        client = client_of(endpoint=server.url)
        codes = [error_of(client, "PutItem", PUT).code for _ in range(2)]

        assert codes == [NO_ANSWER, NO_ANSWER]
        assert client.call("GetItem", {}) == {"Item": {"pk": {"S": "a"}}}
