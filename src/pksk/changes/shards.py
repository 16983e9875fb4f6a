"""Finds the stream of a table and its shards, and reads their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from time import monotonic
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from pksk.changes.consumer_state import OLDEST, Lease
from pksk.dataclass import dataclass
from pksk.errors import RequestRejected, StoreError
from pksk.schema import Table
from pksk.sending import Core, Steps, send

_EXPIRED: Final = "ExpiredIteratorException"
# The position is older than the oldest record that the stream keeps, or the shard is gone.
_LOST: Final = frozenset(("TrimmedDataAccessException", "ResourceNotFoundException"))
_INVALID: Final = "ValidationException"
# What a server answers that does not know iterators at a time.
_UNKNOWN: Final = frozenset((_INVALID, "SerializationException"))
MAX_RECORDS: Final = 1000
# One answer to GetRecords holds at most so much.
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_GetRecords.html
MAX_PAGE_BYTES: Final = 1_000_000
# A consumer that comes a moment after another one gets the same empty page.
_EMPTY_PAGE_SECONDS: Final = 0.2
_MAX_PAGES: Final = 4
T = TypeVar("T")
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Shard:
    """A shard of a stream; `closed` means that it gets no more records."""

    id: str
    parent: str | None
    start: str
    closed: bool


class RecordsLost(Exception):
    """The records after a position are no longer in the stream."""


def stream_of(core: Core, table: Table) -> Steps[str]:
    """The ARN of the stream of a table."""
    answer = yield from send(core, "DescribeTable", {"TableName": table.name})
    described = answer["Table"]
    enabled = described.get("StreamSpecification", {}).get("StreamEnabled", False)
    if not enabled or not described.get("LatestStreamArn"):
        raise StoreError(
            "consumer-no-stream",
            f"Table {table.name!r} has no stream, so its changes cannot be read.",
            fix=f"enable one: declare Table({table.name!r}, stream=True), and call db.ensure_tables(...).",
        )
    arn: str = described["LatestStreamArn"]
    return arn


def list_shards(core: Core, stream: str) -> Steps[dict[str, Shard]]:
    """All shards that a stream lists at the moment. While a shard splits, the list may lack its children."""
    request: dict[str, Any] = {"StreamArn": stream}
    shards: dict[str, Shard] = {}
    while True:
        answer = yield from send(core, "DescribeStream", request)
        description = answer["StreamDescription"]
        for each in description["Shards"]:
            numbers = each.get("SequenceNumberRange", {})
            shards[each["ShardId"]] = Shard(
                each["ShardId"],
                each.get("ParentShardId"),
                numbers.get("StartingSequenceNumber", ""),
                "EndingSequenceNumber" in numbers,
            )
        last = description.get("LastEvaluatedShardId")
        if last is None:
            return shards
        request = {**request, "ExclusiveStartShardId": last}


@dataclass(frozen=True)
class RecordPage:
    """Records after a position, and whether the shard has ended with them."""

    records: Sequence[Record]
    ended: bool
    read_at: float


class ShardReader:
    """Reads the records of one shard after a position. Several consumers can share it.

    It keeps the iterators and the last pages by their positions: a consumer that is where another one was gets the same
    page, and does not read the shard again.
    """

    def __init__(
        self,
        core: Core,
        stream: str,
        shard: str,
        *,
        shared: bool = False,
        monotonic: Callable[[], float] = monotonic,
    ) -> None:
        self.core, self.stream, self.shard, self.shared = core, stream, shard, shared
        self._monotonic = monotonic
        self._iterators: dict[str, str] = {}
        self._pages: dict[str, RecordPage] = {}

    def read(self, lease: Lease, limit: int = MAX_RECORDS) -> Steps[RecordPage]:
        """The next records after the position of a lease; raises `RecordsLost`."""
        known = self._pages.get(lease.position)
        if known is not None and (known.records or self._monotonic() - known.read_at < _EMPTY_PAGE_SECONDS):
            return known
        while True:
            answer = yield from self._get_records(lease, limit)
            records, following = _since(lease.position, answer["Records"]), answer.get("NextShardIterator")
            # Only a missing iterator is the end of a shard; a short or an empty page is not.
            if following is not None:
                self._keep(self._iterators, position_after(lease, records), following)
            if records or following is None or not answer["Records"]:
                break
        page = RecordPage(records, following is None, self._monotonic())
        if self.shared:
            self._keep(self._pages, lease.position, page)
        return page

    def _get_records(self, lease: Lease, limit: int) -> Steps[dict[str, Any]]:
        iterator = self._iterators.pop(lease.position, None)
        if iterator is not None:
            try:
                return (yield from self._send("GetRecords", {"ShardIterator": iterator, "Limit": limit}))
            except RequestRejected as error:
                if error.service_code != _EXPIRED:
                    raise
        iterator = yield from self._begin(lease)
        return (yield from self._send("GetRecords", {"ShardIterator": iterator, "Limit": limit}))

    def _keep(self, cache: dict[str, T], position: str, value: T) -> None:
        """Keep a value under its position, and forget the oldest of several."""
        cache.pop(position, None)
        cache[position] = value
        while len(cache) > _MAX_PAGES:
            del cache[next(iter(cache))]

    def _begin(self, lease: Lease) -> Steps[str]:
        """An iterator at the position of a lease."""
        time, _, start = lease.position.partition("=")
        if start and time:
            # Without its first record, a shard may lack others since the time as well.
            yield from self._iterator(_at_number(start))
        try:
            return (yield from self._iterator(_iterator_type(lease.position)))
        except RequestRejected as error:
            if error.service_code not in _UNKNOWN or not lease.position:
                raise
            if time and not time.startswith("@"):
                raise RecordsLost(error.problem) from error  # its numbers have begun again
            # The server knows no iterator at a time, or none at a record that is still to come.
            return (yield from self._iterator(_iterator_type(OLDEST)))

    def _iterator(self, where: Mapping[str, Any]) -> Steps[str]:
        request = {"StreamArn": self.stream, "ShardId": self.shard, **where}
        answer = yield from self._send("GetShardIterator", request)
        iterator: str = answer["ShardIterator"]
        return iterator

    def _send(self, operation: str, request: Mapping[str, Any]) -> Steps[dict[str, Any]]:
        try:
            return (yield from send(self.core, operation, request))
        except RequestRejected as error:
            if error.service_code in _LOST:
                raise RecordsLost(error.problem) from error
            raise

    def can_begin_at(self, number: str) -> Steps[bool]:
        """Whether the shard can be read from a sequence number on."""
        try:
            yield from self._iterator(_at_number(number))
        except (RecordsLost, RequestRejected):
            return False
        return True


def first_position(core: Core, stream: str, shard: Shard, start: str) -> Steps[str | None]:
    """Where a consumer begins with a shard that has no parent any more; None if the shard has just gone.

    It names the first record that the shard has now, so that it is noticed if that record has gone before it is read.
    """
    reader = ShardReader(core, stream, shard.id)
    if shard.start and (yield from reader.can_begin_at(shard.start)):
        return f"{start}={shard.start}"
    if start == OLDEST:
        try:
            page = yield from reader.read(Lease(shard.id), 1)
        except RecordsLost:
            return None
        if page.records:
            return f"={page.records[0]['dynamodb']['SequenceNumber']}"
    return start


def _since(position: str, records: Sequence[Record]) -> Sequence[Record]:
    """The records from the time on at which a position begins, for servers that cannot begin there."""
    time = position.partition("=")[0]
    if not time.startswith("@"):
        return records
    begin = float(time[1:])
    return [each for each in records if (at := seconds_of(each)) is None or at >= begin]


def seconds_of(record: Record) -> float | None:
    """When a record was created, in seconds, which is all that streams say of it."""
    at = record["dynamodb"].get("ApproximateCreationDateTime")
    return None if at is None else float(at.timestamp() if isinstance(at, datetime) else at)


def position_after(lease: Lease, records: Sequence[Record]) -> str:
    """The position after some records that were read from the position of a lease."""
    position: str = records[-1]["dynamodb"]["SequenceNumber"] if records else lease.position
    return position


class SharedReaders:
    """The readers of shards that several consumers of one process share, while one of them holds the shard."""

    def __init__(self, name: str, *, monotonic: Callable[[], float] = monotonic) -> None:
        self.name, self._monotonic = name, monotonic
        self._readers: WeakValueDictionary[tuple[str, str], ShardReader] = WeakValueDictionary()

    def reader(self, core: Core, stream: str, shard: str) -> ShardReader:
        """The reader of a shard."""
        known = self._readers.get((stream, shard))
        if known is None:
            known = ShardReader(core, stream, shard, shared=True, monotonic=self._monotonic)
            self._readers[stream, shard] = known
        return known

    def reads(self, stream: str, shard: str) -> bool:
        """Whether one of the consumers reads the shard."""
        return (stream, shard) in self._readers


def _at_number(number: str) -> dict[str, Any]:
    return {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": number}


def _iterator_type(position: str) -> dict[str, Any]:
    if position == OLDEST:
        return {"ShardIteratorType": "TRIM_HORIZON"}
    time, _, start = position.partition("=")
    if time:
        is_time = time.startswith("@")
        return (
            {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": float(time[1:])}
            if is_time
            else {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": position}
        )
    return _at_number(start)
