"""HTTP by hand: request bytes made and signed beforehand, and one connection that sends them.

An SDK takes longer for a call than the servers that are measured here, and would hide what they differ in.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import orjson
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

# AWS's own example of credentials: the ones that a server with fixed credentials is started with.
ACCESS_KEY = "AKIAIOSFODNN7EXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
REGION = "us-east-1"
AGENT = "Boto3/1.43.0 md/Botocore#1.43.0 ua/2.1 os/linux md/arch#x86_64 lang/python#3.11.7"
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
CLOSE = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)


def request_bytes(port: int, operation: str, request: Mapping[str, Any]) -> bytes:
    """The bytes of one signed request, with the headers that an SDK sends."""
    body = orjson.dumps(request)
    headers = {
        "Host": f"127.0.0.1:{port}",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "Content-Type": "application/x-amz-json-1.0",
    }
    signed = AWSRequest("POST", f"http://127.0.0.1:{port}/", headers=headers, data=body)
    SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), "dynamodb", REGION).add_auth(signed)
    sent = dict(signed.headers.items()) | {"User-Agent": AGENT, "Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"POST / HTTP/1.1\r\n{lines}\r\n".encode() + body


def whole_length(data: bytes | bytearray) -> int | None:
    """How long the answer is that begins here, once its head is there."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    length = LENGTH.search(data, 0, end)
    if length is None:
        raise ValueError(f"an answer without a length: {bytes(data[:end])!r}")
    return end + 4 + int(length[1])


def connect(port: int) -> socket.socket:
    """A connection that sends small requests at once."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=120)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Connection:
    """One connection, on which one request at a time is sent."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket = connect(port)

    def exchange(self, request: bytes) -> bytes:
        """The whole answer, head and body."""
        self._socket.sendall(request)
        data: bytes | bytearray = self._socket.recv(262_144)
        length = whole_length(data)
        if length is None or len(data) < length:
            data = self._rest(bytearray(data), length)
        if CLOSE.search(data, 0, 1000):
            self.close()
            self._socket = connect(self._port)
        return bytes(data)

    def revive(self, request: bytes) -> None:
        """Send one request that is not timed, on a new connection where the server has closed an idle one."""
        try:
            self.exchange(request)
        except ConnectionError:
            self.close()
            self._socket = connect(self._port)
            self.exchange(request)

    def timed_us(self, request: bytes) -> float:
        """The time of one request in microseconds."""
        start = perf_counter()
        self.exchange(request)
        return (perf_counter() - start) * 1e6

    def close(self) -> None:
        self._socket.close()

    def _rest(self, data: bytearray, length: int | None) -> bytearray:
        while length is None or len(data) < length:
            more = self._socket.recv(262_144)
            if not more:
                raise ConnectionError(f"closed in the middle of an answer: {bytes(data[:200])!r}")
            data += more
            length = length or whole_length(data)
        return data


def call(port: int, operation: str, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    """One call on a connection of its own: its status and its answer."""
    connection = Connection(port)
    try:
        answer = connection.exchange(request_bytes(port, operation, request))
    finally:
        connection.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    try:
        found = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        found = {"message": body.decode(errors="replace")}
    return int(head.split(b" ", 2)[1]), found
