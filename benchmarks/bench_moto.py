"""The engine beside moto, both in process (moto through boto3, as its users have it; 1 KB items)."""

from __future__ import annotations

import os
import sys
from itertools import count
from typing import Any

import boto3
from moto import mock_aws

from benchmarks.engine_subjects import CREATE, TABLE, filled, item, key, query
from benchmarks.timing import Row, row

ITEMS = 1000
LARGE = 10_000


def run(quick: bool = False) -> list[Row]:
    """The same requests to both."""
    os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")
    large = ITEMS if quick else LARGE
    numbers = count()
    engine, crowded = filled(items=ITEMS), filled(items=large, partition=large)
    with mock_aws():
        client = boto3.client("dynamodb")
        _fill(client, ITEMS, 100)
        rows = [
            row(
                "PutItem",
                lambda: engine.call("PutItem", {"TableName": TABLE, "Item": item(0, 5, next(numbers))}),
                "moto",
                lambda: client.put_item(TableName=TABLE, Item=item(0, 5, next(numbers))),
                quick=quick,
            ),
            row(
                "GetItem",
                lambda: engine.call("GetItem", {"TableName": TABLE, "Key": key(3, 7)}),
                "moto",
                lambda: client.get_item(TableName=TABLE, Key=key(3, 7)),
                quick=quick,
            ),
            row(
                "Query of 100",
                lambda: engine.call("Query", query(4)),
                "moto",
                lambda: client.query(**query(4)),
                quick=quick,
            ),
        ]
    with mock_aws():
        client = boto3.client("dynamodb")
        _fill(client, large, large)
        rows.append(
            row(
                f"10 items out of a partition of {large:,}",
                lambda: crowded.call("Query", query(0, 10)),
                "moto",
                lambda: client.query(**query(0, 10)),
                quick=quick,
            )
        )
    return rows


def _fill(client: Any, items: int, partition: int) -> None:
    client.create_table(**CREATE)
    for start in range(0, items, 25):
        numbers = range(start, min(start + 25, items))
        batch = [{"PutRequest": {"Item": item(n // partition, n % partition)}} for n in numbers]
        client.batch_write_item(RequestItems={TABLE: batch})


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["moto", *sys.argv[1:]]))
