"""The options of an engine."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import field, fields
from math import inf
from typing import Any, Final

from pksk.dataclass import dataclass
from pksk.errors import InvalidValue, quote

_ACCOUNT: Final = re.compile("[0-9]{12}")
_REGION: Final = re.compile("[a-z]{2,}(-[a-z]+)+-[0-9]+")


@dataclass(frozen=True, slots=True)
class Delays:
    """How many seconds changes of tables take; with 0, they are done by the next call.

    A table is CREATING for `create_table`, UPDATING for `update_table` and DELETING for `delete_table`
    seconds. A new index can be read `backfill` seconds later. Reads of global indexes return what was there
    `global_index` seconds ago. Items are deleted `expiry` seconds after they expire.

    Example:
        >>> from pksk import Engine, Table
        >>> now = 0.0
        >>> engine = Engine.open(delays=Delays(create_table=10), clock=lambda: now)
        >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
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
    expiry: float = 0.0

    def __post_init__(self) -> None:
        for setting in fields(self):
            seconds = getattr(self, setting.name)
            if not (_is_number(seconds) and 0 <= seconds < inf):
                expected = "A delay is a number of seconds, 0 or more."
                raise _invalid_setting(setting.name, seconds, expected, "use 0 for no delay.")


@dataclass(frozen=True, slots=True)
class Partitioning:
    """How tables are partitioned, and when partitions and stream shards are replaced by new ones.

    A new table has `partitions` partitions, or as many as AWS would create: four on demand, otherwise what
    its throughput needs. A partition splits when it holds more than `partition_bytes`. A shard is open for
    `shard_seconds`. In a table with local indexes, an item collection has at most `collection_bytes`.

    Example:
        >>> from pksk.engine import Engine
        >>> Engine.open(partitioning=Partitioning(partitions=2, partition_bytes=1_000_000)).call("ListTables", {})
        {'TableNames': []}
    """

    partitions: int | None = None
    partition_bytes: int = 10 * 2**30
    collection_bytes: int = 10 * 2**30
    shard_seconds: float = 4 * 3600

    def __post_init__(self) -> None:
        for name in ("collection_bytes", "partition_bytes"):
            _check_count(name, getattr(self, name), "bytes", "10 GB")
        if self.partitions is not None:
            _check_count("partitions", self.partitions, "partitions", "as many as AWS gives a table")
        if not (_is_number(self.shard_seconds) and 0 < self.shard_seconds < inf):
            expected = "It must be a number of seconds, more than 0."
            raise _invalid_setting("shard_seconds", self.shard_seconds, expected, "leave it out for 4 hours.")


@dataclass(frozen=True, slots=True)
class Settings:
    """One engine's account, region, clock, delays and limits."""

    account: str = "000000000000"
    region: str = "us-east-1"
    clock: Callable[[], float] = time.time
    delays: Delays = field(default_factory=Delays)
    # Overlapping calls on one item fail as on AWS; otherwise they wait for each other.
    conflicts: bool = False
    partitioning: Partitioning = field(default_factory=Partitioning)

    def __post_init__(self) -> None:
        if not (isinstance(self.account, str) and _ACCOUNT.fullmatch(self.account)):
            expected = "An account is twelve digits."
            raise _invalid_setting("account", self.account, expected, 'write "123456789012".')
        if not (isinstance(self.region, str) and _REGION.fullmatch(self.region)):
            expected = "A region is lower case words and a digit."
            raise _invalid_setting("region", self.region, expected, 'write "us-east-1".')
        if not callable(self.clock):
            raise _invalid_setting(
                "clock",
                self.clock,
                "It must be a function that returns seconds since 1970.",
                "pass time.time.",
            )
        if not isinstance(self.delays, Delays):
            raise _invalid_setting(
                "delays", self.delays, "It must be a Delays.", "pass Delays(create_table=5)."
            )
        if not isinstance(self.partitioning, Partitioning):
            raise _invalid_setting(
                "partitioning",
                self.partitioning,
                "It must be a Partitioning.",
                "pass Partitioning(partitions=1).",
            )

    @classmethod
    def from_options(cls, **options: Any) -> Settings:
        """Settings from options; None is the default."""
        return cls(**{name: value for name, value in options.items() if value is not None})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_count(name: str, value: object, unit: str, default: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        expected = f"It must be a whole number of {unit}, 1 or more."
        raise _invalid_setting(name, value, expected, f"leave it out for {default}.")


def _invalid_setting(name: str, value: object, expected: str, fix: str) -> InvalidValue:
    return InvalidValue("engine-setting", f"{name} is {quote(value)}.", expected=expected, fix=fix)
