"""How far a consumer has come: its condition, and the position and owner of each shard."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pksk.changes.consumer_state import ConsumerState, Lease
from pksk.changes.shards import RecordsLost, ShardReader, seconds_of
from pksk.client import Client
from pksk.dataclass import dataclass
from pksk.sending import Core, Steps, send
from pksk.sending.driver import Driver


@dataclass(frozen=True)
class ShardStatus:
    """One shard: the position of its consumer, the time of the last processed record, and the worker that reads it.

    `behind_seconds` is the age of the oldest record that was not processed, 0 if there is none, and None if unknown.
    """

    shard: str
    position: str
    at: datetime | None
    owner: str
    epoch: int
    ended: bool
    behind_seconds: float | None = None


@dataclass(frozen=True)
class ConsumerStatus:
    """The condition of a consumer ("new", "reading", "stale" or "rebuilding"), its shards, and its dead letters."""

    consumer: str
    table: str
    condition: str
    reason: str = ""
    stream: str = ""
    shards: tuple[ShardStatus, ...] = ()
    workers: int = 0
    dead_letters: int = 0

    def data(self) -> dict[str, Any]:
        """The status as JSON can hold it."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**values, "shards": [_shard_data(each) for each in self.shards]}


def read_status(state: ConsumerState, *, behind: bool = False) -> Steps[ConsumerStatus]:
    """The status of a consumer; with `behind`, it looks at the next record of each shard."""
    record = yield from state.read()
    if record is None:
        return ConsumerStatus(state.consumer, state.table, "new")
    leases = yield from state.leases(record.leases)
    workers = yield from state.workers()
    letters = yield from state.items("dead#")
    shards = []
    for lease in leases.values():
        age = (yield from _behind(state, record.stream, lease)) if behind and not lease.ended else None
        shards.append(_shard_status(lease, age))
    return ConsumerStatus(
        state.consumer,
        state.table,
        record.condition,
        record.reason,
        record.stream,
        tuple(shards),
        sum(each.consumer == state.consumer for each in workers),
        len(letters),
    )


def _behind(state: ConsumerState, stream: str, lease: Lease) -> Steps[float | None]:
    try:
        page = yield from ShardReader(state.core, stream, lease.shard).read(lease, 1)
    except RecordsLost:
        return None
    times = [at for each in page.records if (at := seconds_of(each)) is not None]
    return max((max(0.0, state.core.clock() - at) for at in times), default=0.0)


def all_statuses(core: Core, state: str) -> Steps[list[ConsumerStatus]]:
    """The status of every consumer in a state table."""
    request: dict[str, Any] = {"TableName": state, "ConsistentRead": True}
    statuses: list[ConsumerStatus] = []
    while True:
        page = yield from send(core, "Scan", request)
        for item in page["Items"]:
            if item["sk"] == {"S": "consumer"}:
                consumer, _, table = item["pk"]["S"].partition("#")
                one = ConsumerState(core, state, consumer, table)
                statuses.append((yield from read_status(one, behind=True)))
        if "LastEvaluatedKey" not in page:
            return sorted(statuses, key=lambda each: (each.table, each.consumer))
        request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}


def consumers(client: Client, state: str = "pksk-changes") -> list[ConsumerStatus]:
    """The status of every consumer, by table and name.

    Example:
        >>> from pksk import Table, connect
        >>> shop = Table("shop", stream=True)
        >>> with connect("memory:") as db:
        ...     db.create_tables(shop)
        ...     _ = list(db.changes(shop, consumer="audit"))
        ...     [(each.consumer, each.condition) for each in consumers(db.client)]
        [('audit', 'reading')]
    """
    return Driver(client).run(all_statuses(Core(), state))


def _shard_status(lease: Lease, behind: float | None) -> ShardStatus:
    at = None if lease.at is None else datetime.fromtimestamp(lease.at, UTC)
    return ShardStatus(lease.shard, lease.position, at, lease.owner, lease.epoch, lease.ended, behind)


def _shard_data(shard: ShardStatus) -> dict[str, Any]:
    values = {name: getattr(shard, name) for name in shard.__dataclass_fields__}
    return {**values, "at": None if shard.at is None else shard.at.isoformat()}
