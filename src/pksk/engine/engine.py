"""The embedded engine: DynamoDB in this process, in memory or in one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from types import TracebackType
from typing import Any, Final

import orjson

from pksk.client import ServiceError
from pksk.errors import PkskError
from pksk.values import WireItem

from .core import NO_BODY, Core, as_service_errors
from .dispatch import answer_together, dispatch, dispatch_traced, record_calls
from .heat.collect_heat import collect_heat
from .heat.heat import Heat
from .heat.trace import CallRecorder
from .partitioning.partition_info import PartitionInfo, list_partitions, split_and_describe
from .service_errors import error_body, serialization
from .settings import Delays, Partitioning, Settings
from .state import Catalogue, Conflicts, Lag, Tokens
from .storage import MemoryStorage, Storage, StorageProblem, open_error, open_storage
from .streams.maintenance import roll_open_shards
from .sweeper import begin_expiry, expire

_OK: Final = 200


class Engine:
    """DynamoDB for one account and region.

    Example:
        >>> with Engine.open(":memory:") as engine:
        ...     created = engine.call("CreateTable", {
        ...         "TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
        ...         "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        ...         "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]})
        ...     put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}, "n": {"N": "1e2"}}})
        ...     engine.call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "7"}}})
        {'Item': {'pk': {'S': '7'}, 'n': {'N': '100'}}}
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._dispatch = dispatch

    @classmethod
    def open(
        cls,
        path: str | PathLike[str] = ":memory:",
        *,
        account: str | None = None,
        region: str | None = None,
        durable: bool = True,
        delays: Delays | None = None,
        conflicts: bool = False,
        clock: Callable[[], float] | None = None,
        partitioning: Partitioning | None = None,
    ) -> Engine:
        """Open an engine on the file at `path`, or in memory. A missing file is created.

        A call returns when its writes are on disk, unless `durable` is False. Tables change their state at
        once, or after `delays`. Overlapping calls on an item wait for each other; with `conflicts` they fail
        as on AWS. Defaults: account 000000000000, region us-east-1.

        Example:
            >>> Engine.open(region="eu-west-1").call("ListTables", {})
            {'TableNames': []}
        """
        settings = Settings.from_options(
            account=account,
            region=region,
            clock=clock,
            delays=delays,
            conflicts=conflicts,
            partitioning=partitioning,
        )
        storage = open_storage(path, durable=durable)
        try:
            return cls.on(storage, settings)
        except PkskError:
            raise
        except (StorageProblem, LookupError, TypeError, ValueError, AttributeError) as error:
            raise open_error(path, error) from error

    @classmethod
    def on(cls, storage: Storage, settings: Settings | None = None) -> Engine:
        """An engine on a storage that is already open. Closing the engine closes the storage.

        Example:
            >>> from pksk.engine.storage import MemoryStorage
            >>> Engine.on(MemoryStorage()).call("ListTables", {})
            {'TableNames': []}
        """
        try:
            core = _new_core(storage, settings or Settings())
            begin_expiry(core)
            return cls(core)
        except BaseException:
            storage.close()
            raise

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """The response to a request, both in DynamoDB's JSON; raises `ServiceError` and nothing else.

        Example:
            >>> Engine.open().call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "7"}}})
            Traceback (most recent call last):
            pksk.client.ServiceError: ResourceNotFoundException: Requested resource not found
        """
        answer = self._dispatch(self._core, operation, request)
        if not answer:
            return {}
        # Stored items are bytes in the answer; the caller gets objects of its own.
        copy: dict[str, Any] = orjson.loads(orjson.dumps(answer))
        return copy

    def answer(self, operation: str, body: bytes) -> tuple[int, bytes]:
        """The status and body of the response to a request body; raises nothing.

        Example:
            >>> Engine.open().answer("ListTables", b"{}")
            (200, b'{"TableNames":[]}')
        """
        try:
            answer = self._dispatch(self._core, operation, orjson.loads(body))
            return _OK, b"" if answer is NO_BODY else orjson.dumps(answer)
        except ServiceError as error:
            return error.status, error_body(error)
        except orjson.JSONDecodeError:
            invalid = serialization()
            return invalid.status, error_body(invalid)

    def answers(self, requests: Sequence[tuple[str, bytes]]) -> list[tuple[int, bytes]]:
        """The responses to several requests, in order, as if each came alone; raises nothing.

        The writes share one commit, so the disk is waited for once. If the commit fails, nothing is stored
        and each write gets an error.

        Example:
            >>> Engine.open().answers([("ListTables", b"{}"), ("Oh", b"{}")])
            [(200, b'{"TableNames":[]}'), (400, b'{"__type":"com.amazon.coral.service#UnknownOperationException"}')]
        """
        if len(requests) == 1:
            return [self.answer(*requests[0])]
        return answer_together(self._core, self.answer, requests)

    def is_free(self) -> bool:
        """Whether no other thread writes or waits to write, so that a call on items runs without waiting.

        Example:
            >>> Engine.open().is_free()
            True
        """
        return self._core.storage.is_free()

    @property
    def in_memory(self) -> bool:
        """Whether the tables exist only in memory. Calls then never wait for a disk.

        Example:
            >>> Engine.open().in_memory
            True
        """
        return isinstance(self._core.storage, MemoryStorage)

    @property
    def settings(self) -> Settings:
        """The account, region, clock and delays of the engine.

        Example:
            >>> Engine.open(region="eu-west-1").settings.region
            'eu-west-1'
        """
        return self._core.settings

    def expire(self) -> int:
        """Delete all expired items now. Returns how many items were deleted since the last call.

        Items are also deleted in the background, soon after they expire. The result includes those.

        Example:
            >>> from pksk import Clock, Table
            >>> clock = Clock()
            >>> engine = Engine.open(clock=clock)
            >>> created = engine.call("CreateTable", Table("sessions", sk=None, ttl="until").create_request())
            >>> updated = engine.call("UpdateTimeToLive", Table("sessions", ttl="until").ttl_request())
            >>> item = {"pk": {"S": "7"}, "until": {"N": str(int(clock()) + 60)}}
            >>> put = engine.call("PutItem", {"TableName": "sessions", "Item": item})
            >>> engine.expire()
            0
            >>> clock.advance(60)
            >>> engine.expire()
            1
            >>> engine.close()
        """
        return expire(self._core)

    def roll_shards(self, table: str) -> list[str]:
        """Close the open shards of a table's stream and open a child for each. Returns the ids of the children.

        AWS does this every few hours, and when a partition splits. Without a stream, the list is empty.

        Example:
            >>> from pksk import Table
            >>> engine = Engine.open()
            >>> created = engine.call("CreateTable", Table("orders", sk=None, stream=True).create_request())
            >>> stream = {"StreamArn": created["TableDescription"]["LatestStreamArn"]}
            >>> before = engine.call("DescribeStream", stream)["StreamDescription"]["Shards"]
            >>> children = engine.roll_shards("orders")
            >>> after = engine.call("DescribeStream", stream)["StreamDescription"]["Shards"]
            >>> len(children) == len(before) and len(after) == 2 * len(before)
            True
        """
        with as_service_errors(self._core):
            return roll_open_shards(self._core, self._core.catalogue.table(table))

    def heat(self, *, reset: bool = False) -> Heat:
        """What calls have consumed by table, index, partition and key; `reset` starts again from zero.

        Example:
            >>> from pksk import Table
            >>> engine = Engine.open()
            >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
            >>> for number in (7, 7, 7, 8):
            ...     got = engine.call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": str(number)}}})
            >>> print(engine.heat(reset=True))
            orders
              read      2 units in 4 calls
                keys    pk=7       1.5   75.0%
                        pk=8       0.5   25.0%
            >>> print(engine.heat())
            no calls
        """
        return collect_heat(self._core.meter, self._core.catalogue.all(), reset=reset)

    def partitions(self, table: str, index: str | None = None) -> list[PartitionInfo]:
        """The partitions of a table or of a global index, in the order of their ranges.

        If there are several, this reads all items to count them.

        Example:
            >>> from pksk import Table
            >>> engine = Engine.open()
            >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
            >>> put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}}})
            >>> [(each.number, each.low[:4], each.items, each.bytes) for each in engine.partitions("orders")]
            [(0, '0000', 0, 0), (1, '4000', 0, 0), (2, '8000', 1, 3), (3, 'c000', 0, 0)]
        """
        return list_partitions(self._core, table, index)

    def split(
        self,
        table: str,
        partition: int | None = None,
        *,
        index: str | None = None,
        at: WireItem | str | None = None,
    ) -> list[PartitionInfo]:
        """Split a partition of a table or of a global index in two, as AWS does when it grows or gets hot.

        Splits the partition with this number, the one that contains `at`, or the largest one. The second half
        begins at the key or hash `at`, or in the middle of the bytes. Returns both halves.

        Example:
            >>> from pksk import Table
            >>> engine = Engine.open(partitioning=Partitioning(partitions=1))
            >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
            >>> [(each.number, each.parent, each.low[:4]) for each in engine.split("orders", at="c000")]
            [(1, 0, '0000'), (2, 0, 'c000')]
        """
        return split_and_describe(self._core, table, partition, index, at)

    def trace(self, path: str | PathLike[str] | CallRecorder) -> AbstractContextManager[None]:
        """Record the calls made in a block to a file: one line of JSON for each item, with its key and units.

        `pksk check --traffic` reads it. Several engines can share a `Trace`. A call never fails because of the file:
        an error of the file is raised at the end of the block.

        Example:
            >>> from pksk import Table
            >>> import tempfile
            >>> from pathlib import Path
            >>> engine = Engine.open(clock=lambda: 1_800_000_000.0)
            >>> created = engine.call("CreateTable", Table("orders", sk=None).create_request())
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     with engine.trace(Path(folder) / "calls.jsonl"):
            ...         put = engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "7"}}})
            ...     print((Path(folder) / "calls.jsonl").read_text(), end="")
            {"ts":1800000000.0,"op":"Trace","version":1}
            {"ts":1800000000.0,"op":"PutItem","table":"orders","pk":{"S":"7"},"wcu":1.0,"bytes":3}
        """
        self._dispatch = dispatch_traced
        return record_calls(self._core, path)

    def close(self) -> None:
        """Close the file. Later calls fail.

        Example:
            >>> engine = Engine.open()
            >>> engine.close()
        """
        self._core.closed = True
        self._core.storage.close()
        if self._core.sweeper is not None:
            self._core.sweeper.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _new_core(storage: Storage, settings: Settings) -> Core:
    lag = settings.delays.global_index
    return Core(
        storage,
        Catalogue(storage, settings),
        settings,
        Conflicts(),
        Tokens(storage),
        Lag(lag, settings.clock) if lag else None,
    )
