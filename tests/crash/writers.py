"""The process that is killed: threads write to a file, in process or over HTTP, and report acknowledged writes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from itertools import cycle
from threading import Thread

import orjson

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.errors import InvalidValue

from .workload import Batch, batches, open_engine

__all__ = ["MOST_AT_ONCE", "OWNERS", "call_over_http", "serve", "write_in_process"]

OWNERS = 5
# How many requests each writer sends at once; those that send one use `call`, and share commits with others.
MOST_AT_ONCE = (1, 1, 1, 4, 8)
# The table is in use while another change of it is under way, and the like.
_NEVER_MIND = {"ResourceInUseException", "ValidationException", "LimitExceededException"}
Sends = Callable[[Sequence[tuple[str, bytes]]], list[tuple[int, bytes]]]


def write_in_process(path: str, draw: str, acknowledged: int) -> None:
    """Write with threads until the process is killed; all but one write items, and one changes the table."""
    engine = open_engine(path)
    threads = [
        Thread(target=_write, args=(engine.answers, draw, owner, acknowledged)) for owner in range(OWNERS)
    ]
    threads.append(Thread(target=_change, args=(engine,)))
    _run(threads)


def serve(path: str, port_pipe: int) -> None:
    """Serve a file until the process is killed; writes the port to a pipe."""
    from pksk.server import Server

    server = Server(open_engine(path))
    server.start()
    os.write(port_pipe, b"%d\n" % server.port)
    while True:
        signal.pause()


def call_over_http(port: int, draw: str, acknowledged: int) -> None:
    """Send requests with threads, each over a connection of its own, until the server is gone."""

    def write(owner: int) -> None:
        connection = HTTPConnection("127.0.0.1", port)
        with suppress(OSError, HTTPException):
            _write(
                lambda requests: [_sent(connection, *each) for each in requests], draw, owner, acknowledged
            )
        connection.close()

    _run([Thread(target=write, args=(owner,)) for owner in range(OWNERS)])


def _run(threads: list[Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _write(send: Sends, draw: str, owner: int, acknowledged: int) -> None:
    """Send one batch after the other, and report each response."""
    for count, batch in enumerate(batches(draw, owner, MOST_AT_ONCE[owner]), 1):
        answered = send([(step.operation, orjson.dumps(step.request)) for step in batch])
        wrong = _wrong(batch, answered)
        os.write(acknowledged, b"%d %d\n" % (owner, count) if wrong is None else b"! %b\n" % wrong)


def _wrong(batch: Batch, answered: list[tuple[int, bytes]]) -> bytes | None:
    for step, (status, body) in zip(batch, answered, strict=True):
        if status != 200 and not (
            b"ConditionalCheckFailed" in body and "ConditionExpression" in step.request
        ):
            return f"{step.operation}: {status} ".encode() + body
    return None


def _sent(connection: HTTPConnection, operation: str, body: bytes) -> tuple[int, bytes]:
    headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
    connection.request("POST", "/", body, headers)
    response = connection.getresponse()
    return response.status, response.read()


def _change(engine: Engine) -> None:
    """Change the table while others write to it."""
    index = {
        "IndexName": "by-seen",
        "KeySchema": [{"AttributeName": "seen", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    types = [{"AttributeName": "seen", "AttributeType": "N"}]
    changes: list[Callable[[], object]] = [
        lambda: engine.roll_shards("orders"),
        lambda: engine.call(
            "UpdateTable",
            {
                "TableName": "orders",
                "AttributeDefinitions": types,
                "GlobalSecondaryIndexUpdates": [{"Create": index}],
            },
        ),
        lambda: engine.split("orders"),
        lambda: engine.call("CreateBackup", {"TableName": "orders", "BackupName": "nightly"}),
        lambda: engine.call(
            "UpdateTable",
            {"TableName": "orders", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-seen"}}]},
        ),
    ]
    for change in cycle(changes):
        try:
            change()
        except ServiceError as error:
            if error.code not in _NEVER_MIND:
                raise
        except InvalidValue:  # the largest partition cannot be split any further
            continue
