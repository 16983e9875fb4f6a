"""boto3 in process on one of three grounds: a canned answer, pksk, moto.

Grounds patch botocore each in its own way, so each has a process, which takes its turns on request: a line of input
names a row, a line of output is the median of its turn in microseconds.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any
from zlib import crc32

import boto3
import orjson
from botocore.awsrequest import AWSResponse

from benchmarks.engine_subjects import CREATE, TABLE, item, key, query

Ground = Callable[[], AbstractContextManager[object]]
ITEMS = 300
CANNED: dict[str, Any] = {
    "GetItem": {"Item": item(0, 0)},
    "Query": {"Items": [item(0, n) for n in range(100)], "Count": 100, "ScannedCount": 100},
    "CreateTable": {"TableDescription": {"TableName": TABLE, "TableStatus": "ACTIVE"}},
}


class _Raw:
    """What botocore reads an answer's body from."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[bytes]:
        yield self._body


def _headers(body: bytes) -> dict[str, str]:
    """What AWS sends with it, some of which botocore reads and checks."""
    return {
        "Server": "Server",
        "Date": "Mon, 16 Nov 2026 00:00:00 GMT",
        "Content-Type": "application/x-amz-json-1.0",
        "Content-Length": str(len(body)),
        "Connection": "keep-alive",
        "x-amzn-RequestId": "A" * 52,
        "x-amz-crc32": str(crc32(body)),
    }


@contextmanager
def canned() -> Iterator[None]:
    """Nothing behind botocore but bytes that are ready."""
    bodies = {name: orjson.dumps(answer) for name, answer in CANNED.items()}
    ready = {body: _headers(body) for body in (b"{}", *bodies.values())}

    def answer(request: Any, **_: Any) -> AWSResponse:
        target = request.headers["X-Amz-Target"]
        name = (target.decode() if isinstance(target, bytes) else target).partition(".")[2]
        body = bodies.get(name, b"{}")
        return AWSResponse(request.url, 200, ready[body], _Raw(body))

    # One session for all, as the default one is: making it belongs to no test.
    if boto3.DEFAULT_SESSION is None:
        boto3.setup_default_session()
    events = boto3.DEFAULT_SESSION.events
    events.register("before-send.dynamodb", answer)
    yield
    events.unregister("before-send.dynamodb", answer)


def grounds() -> dict[str, Ground]:
    def ours() -> AbstractContextManager[object]:
        from pksk.testing import intercept

        ground: AbstractContextManager[object] = intercept()
        return ground

    def moto() -> AbstractContextManager[object]:
        from moto import mock_aws

        ground: AbstractContextManager[object] = mock_aws()
        return ground

    return {"botocore, canned": canned, "pksk": ours, "moto": moto}


def small_test(ground: Ground) -> float:
    """A whole test, without the time for creating the client."""
    start = perf_counter()
    with ground():
        begun = perf_counter()
        client = boto3.client("dynamodb")
        making = perf_counter() - begun
        client.create_table(**CREATE)
        client.put_item(TableName=TABLE, Item=item(0, 0))
        client.get_item(TableName=TABLE, Key=key(0, 0))
    return (perf_counter() - start - making) * 1e6


def turn(calls: Callable[[], float], seconds: float) -> float:
    """The median of as many calls as fit."""
    until = perf_counter() + seconds
    times = [calls()]
    while perf_counter() < until:
        times.append(calls())
    return median(times)


def main(name: str) -> None:
    os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")
    ground = grounds()[name]
    small_test(ground)
    rows: dict[str, Callable[[], float]] = {"small test": lambda: small_test(ground)}
    lines = (line.split("\t") for line in sys.stdin)
    # Tests end and begin their ground; the others share one, begun on first use.
    for row, seconds in lines:
        if row == "calls":
            break
        print(turn(rows[row], float(seconds)), flush=True)
    with ground():
        rows = _calls()
        for row, seconds in lines:
            print(turn(rows[row], float(seconds)), flush=True)


def _calls() -> dict[str, Callable[[], float]]:
    client = boto3.client("dynamodb")
    client.create_table(**CREATE)
    for n in range(ITEMS):
        client.put_item(TableName=TABLE, Item=item(n // 100, n % 100))
    numbers = count(1)

    def timed(call: Callable[[], object]) -> Callable[[], float]:
        def once() -> float:
            start = perf_counter()
            call()
            return (perf_counter() - start) * 1e6

        return once

    return {
        "PutItem": timed(lambda: client.put_item(TableName=TABLE, Item=item(0, 5, next(numbers)))),
        "GetItem": timed(lambda: client.get_item(TableName=TABLE, Key=key(1, 7))),
        "Query of 100": timed(lambda: client.query(**query(2))),
    }


if __name__ == "__main__":
    main(sys.argv[1])
