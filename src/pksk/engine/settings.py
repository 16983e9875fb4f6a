"""What can be told to an engine when it is opened."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Delays", "Settings"]


@dataclass(frozen=True, slots=True)
class Delays:
    """How many seconds the changes of tables take; 0 is done by the next call.

    A table is CREATING for `create_table`, UPDATING for `update_table` and DELETING for
    `delete_table` seconds. An index that is added takes `backfill` more before it can be read.
    Reads of global indexes show what was there `global_index` seconds ago.

    Example:
        >>> from pksk.engine import Engine
        >>> now = 0.0
        >>> engine = Engine.open(delays=Delays(create_table=10), clock=lambda: now)
        >>> created = engine.call("CreateTable", {
        ...     "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...     "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...     "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        >>> engine.call("DescribeTable", {"TableName": "orders"})["Table"]["TableStatus"]
        'CREATING'
        >>> now = 10.0
        >>> engine.call("DescribeTable", {"TableName": "orders"})["Table"]["TableStatus"]
        'ACTIVE'
    """

    create_table: float = 0.0
    update_table: float = 0.0
    delete_table: float = 0.0
    backfill: float = 0.0
    global_index: float = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """One engine's account, region, clock, delays and limits."""

    account: str = "000000000000"
    region: str = "us-east-1"
    clock: Callable[[], float] = time.time
    delays: Delays = field(default_factory=Delays)
    # Overlapping calls on one item: they wait for each other, or fail as on AWS.
    conflicts: bool = False
    # What items of one partition key may have together in a table with local indexes.
    collection_bytes: int = 10 * 2**30

    @classmethod
    def of(cls, **told: Any) -> Settings:
        """Settings from what was told; None leaves a setting as it is by default.

        Example:
            >>> Settings.of(region="eu-west-1", delays=None).delays.create_table
            0.0
        """
        return cls(**{name: value for name, value in told.items() if value is not None})
