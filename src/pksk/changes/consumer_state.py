"""Keeps what a consumer knows in a DynamoDB table: its stream, the leases of shards, and where each was read to.

The table has one partition for each consumer of a table: the consumer itself, one lease for each shard of the stream,
and dead letters. Another partition has the workers of all consumers of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from pksk.changes.state_table import ensure_state_table
from pksk.client import ServiceError
from pksk.dataclass import dataclass
from pksk.errors import OutcomeUnknown, RequestRejected, StoreError, TableMissing, quote
from pksk.sending import Answer, Core, Steps, send

# The version of all items of the table; another one is rejected.
FORMAT: Final = 1
# A consumer reads changes, has missed some, or reads the whole table because it has.
Condition: TypeAlias = Literal["reading", "stale", "rebuilding"]
# A lease begins at the oldest record of its shard, at a time ("@1790000000"), at a sequence number ("=100"), or after
# one ("100"). "@1790000000=100" is the time, provided that the record with the number is still there.
OLDEST: Final = ""
# A version is the epoch of a lease, and the number of the record since the lease was acquired.
ORDINAL_BITS: Final = 40
_FAILED: Final = "ConditionalCheckFailedException"
Wire: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class ConsumerRecord:
    """A consumer: its stream, where it began, the entities whose changes it handles, and its condition.

    `begun` means that every shard without a parent got its lease, so that another one follows shards that are gone.
    `rebuild` is the epoch of the last rebuild, to which the leases belong; 0 before the first one.
    """

    stream: str
    condition: Condition
    epoch: int
    start: str = OLDEST
    sources: str = ""
    reason: str = ""
    begun: bool = False
    cursor: Mapping[str, Any] | None = None
    rebuild: int = 0

    @property
    def leases(self) -> str:
        """What the keys of its leases begin with: they name the stream, so that another one is not taken for it."""
        # The label is the end of the ARN, which a stream that is enabled again does not have.
        label = self.stream.rpartition("/")[2]
        return f"lease#{label}@{self.rebuild}#" if self.rebuild else f"lease#{label}#"


@dataclass(frozen=True)
class Lease:
    """The right of one worker to read a shard, and the position up to which its records were acknowledged.

    Each acquisition has an `epoch` that is larger than all before; `counter` grows with each update of the item.
    `caught_up` means that there was nothing more to read when the lease was renewed.
    """

    shard: str
    parent: str | None = None
    position: str = OLDEST
    ended: bool = False
    owner: str = ""
    epoch: int = 0
    counter: int = 0
    at: float | None = None
    caught_up: bool = False


@dataclass(frozen=True)
class WorkerItem:
    """A worker that runs, or has ended without a word. Those with an equal `reader` read no shard twice."""

    consumer: str
    owner: str
    reader: str
    counter: int


class ConsumerState:
    """The items of one consumer in the state table; every change of a lease is a conditional write."""

    def __init__(self, core: Core, name: str, consumer: str, table: str) -> None:
        self.core, self.name, self.consumer, self.table = core, name, consumer, table
        self._partition = {"S": f"{consumer}#{table}"}
        # No consumer has an empty name.
        self._workers = {"S": f"#{table}"}

    # The consumer

    def read(self) -> Steps[ConsumerRecord | None]:
        """The consumer, or None if it has never run."""
        request = {"TableName": self.name, "Key": self.key("consumer"), "ConsistentRead": True}
        try:
            item = (yield from send(self.core, "GetItem", request)).get("Item")
        except TableMissing:
            return None
        except RequestRejected:
            yield from ensure_state_table(self.core, self.name)  # raises if its keys differ
            raise
        return None if item is None else self._record(item)

    def create(self, stream: str, start: str, sources: str) -> Steps[ConsumerRecord]:
        """Create the consumer at a stream, and the state table if it is missing; another worker may be quicker."""
        item = self.key("consumer") | {
            "format": _number(FORMAT),
            "stream": {"S": stream},
            "start": {"S": start},
            "sources": {"S": sources},
            "condition": {"S": "reading"},
            "epoch": _number(0),
        }
        request = {"TableName": self.name, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
        while True:
            yield from ensure_state_table(self.core, self.name)
            yield from self._try("PutItem", request)
            record = yield from self.read()
            if record is not None:  # or the put was not done, or another program has deleted the table
                return record

    def mark_begun(self) -> Steps[None]:
        """Note that every shard without a parent has its lease."""
        yield from self._update_existing("SET begun = :true", {":true": {"BOOL": True}})

    def become_stale(self, record: ConsumerRecord, reason: str) -> Steps[bool]:
        """Note that changes were missed; False if the consumer is stale, or was rebuilt since the record was read."""
        values = {":reason": {"S": reason}, ":stale": {"S": "stale"}}
        return (
            yield from self._try_reading(record, "SET #condition = :stale, reason = :reason", values)
        ) is not None

    def _try_reading(self, record: ConsumerRecord, update: str, values: Wire) -> Steps[Answer | None]:
        """Update the consumer, if it is reading and was not rebuilt since the record was read."""
        expected: dict[str, Any] = {":stream": {"S": record.stream}, ":reading": {"S": "reading"}}
        same = "attribute_not_exists(rebuild_epoch)"
        if record.rebuild:
            same, expected[":rebuild"] = "rebuild_epoch = :rebuild", _number(record.rebuild)
        request = self.request(
            "consumer",
            update,
            {**values, **expected},
            names={"#condition": "condition", "#stream": "stream"},
            condition=f"#stream = :stream AND #condition = :reading AND {same}",
            returns=True,
        )
        return (yield from self._try("UpdateItem", request))

    def start_rebuild(self, stream: str, sources: str, owner: str) -> Steps[ConsumerRecord]:
        """Begin a rebuild as its only owner, with an epoch that is larger than all before."""
        texts = {
            ":stream": stream,
            ":sources": sources,
            ":owner": owner,
            ":rebuilding": "rebuilding",
            ":no": "",
        }
        update = (
            "SET #condition = :rebuilding, #stream = :stream, sources = :sources, #start = :no, reason = :no, "
            "rebuilder = :owner, rebuild_epoch = epoch + :one ADD epoch :one REMOVE #cursor"
        )
        answer = yield from self._update(
            "consumer",
            update,
            {":one": _number(1), **{name: {"S": value} for name, value in texts.items()}},
            names={f"#{name}": name for name in ("condition", "stream", "start", "cursor")},
            returns=True,
        )
        return self._record(answer["Attributes"])

    def resume_rebuild(self, owner: str) -> Steps[None]:
        """Go on with a rebuild as its only owner."""
        yield from self._update_existing("SET rebuilder = :owner", {":owner": {"S": owner}})

    def continue_rebuild(self, owner: str, rebuild: int, cursor: Wire | None) -> Steps[bool]:
        """Store how far a rebuild has come, None for its end; False if another program has begun or resumed one."""
        end = "SET #condition = :reading, begun = :true REMOVE #cursor, rebuilder"
        values: dict[str, Any] = (
            {":reading": {"S": "reading"}, ":true": {"BOOL": True}}
            if cursor is None
            else {":cursor": {"M": cursor}}
        )
        request = self.request(
            "consumer",
            end if cursor is None else "SET #cursor = :cursor",
            {**values, ":owner": {"S": owner}, ":rebuild": _number(rebuild)},
            names={"#cursor": "cursor", **({"#condition": "condition"} if cursor is None else {})},
            condition="rebuilder = :owner AND rebuild_epoch = :rebuild",
        )
        return (yield from self._try("UpdateItem", request)) is not None

    def remove_leases(self, before: int) -> Steps[bool]:
        """Remove the leases from before a rebuild, and not later ones; whether workers held any that had not ended."""
        found = [each for each in (yield from self.items("lease#")) if _rebuild_of(each["sk"]["S"]) < before]
        for item in found:
            yield from self._remove(item["sk"]["S"])
        return any("owner" in item and not item["ended"]["BOOL"] for item in found)

    def remove_lease(self, leases: str, lease: Lease) -> Steps[None]:
        """Remove the lease of a shard that has ended."""
        yield from self._remove(leases + lease.shard)

    def next_epoch(self, record: ConsumerRecord) -> Steps[int | None]:
        """A number that is larger than every one that this consumer has drawn; None if it is being rebuilt."""
        answer = yield from self._try_reading(record, "ADD epoch :one", {":one": _number(1)})
        return None if answer is None else _integer(answer["Attributes"], "epoch")

    def draw_epoch(self) -> Steps[int | None]:
        """A number that is larger than every one that this consumer has drawn, in any condition; None if it is gone."""
        answer = yield from self._update_existing("ADD epoch :one", {":one": _number(1)})
        return None if answer is None else _integer(answer["Attributes"], "epoch")

    # Leases

    def leases(self, leases: str) -> Steps[dict[str, Lease]]:
        """All leases whose keys begin so, by shard."""
        items = yield from self.items(leases)
        return {lease.shard: lease for lease in map(_lease, items)}

    def add_lease(self, leases: str, lease: Lease) -> Steps[bool]:
        """Store the lease of a new shard, unless another worker has."""
        item = self.key(leases + lease.shard) | {
            "shard": {"S": lease.shard},
            "position": {"S": lease.position},
            "ended": {"BOOL": lease.ended},
            "counter": _number(0),
        }
        if lease.parent is not None:
            item["parent"] = {"S": lease.parent}
        request = {"TableName": self.name, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
        return (yield from self._try("PutItem", request)) is not None

    def acquire(self, record: ConsumerRecord, lease: Lease, owner: str) -> Steps[Lease | None]:
        """Take a lease that no one renews; None if another worker has changed it, or the consumer is being rebuilt."""
        epoch = yield from self.next_epoch(record)
        if epoch is None:
            return None
        answer = yield from self._try(
            "UpdateItem",
            self.request(
                record.leases + lease.shard,
                "SET #o = :o, epoch = :e, #n = :n",
                {
                    ":o": {"S": owner},
                    ":e": _number(epoch),
                    ":n": _number(lease.counter + 1),
                    ":seen": _number(lease.counter),
                },
                names={"#o": "owner", "#n": "counter"},
                condition="#n = :seen",
                returns=True,
            ),
        )
        return None if answer is None else _lease(answer["Attributes"])

    def save(self, leases: str, lease: Lease) -> Steps[Lease | None]:
        """Store the position of a lease and renew it; None if it is no longer this worker's.

        The counter keeps a request that arrives late, after its repetition, from moving the position back.
        """
        values = {
            ":p": {"S": lease.position},
            ":d": {"BOOL": lease.ended},
            ":c": {"BOOL": lease.caught_up},
            ":o": {"S": lease.owner},
            ":e": _number(lease.epoch),
            ":seen": _number(lease.counter),
            ":one": _number(1),
        }
        update = "SET #p = :p, #d = :d, caught_up = :c"
        if lease.at is not None:
            update += ", #a = :a"
            values[":a"] = {"N": repr(lease.at)}
        names = {"#p": "position", "#d": "ended", "#o": "owner", "#n": "counter"}
        answer = yield from self._try(
            "UpdateItem",
            self.request(
                leases + lease.shard,
                f"{update} ADD #n :one",
                values,
                names=names | ({"#a": "at"} if lease.at is not None else {}),
                condition="#o = :o AND epoch = :e AND #n = :seen",
                returns=True,
            ),
        )
        return None if answer is None else _lease(answer["Attributes"])

    def release(self, leases: str, lease: Lease) -> Steps[None]:
        """Give up a lease, so that another worker can take it at once."""
        yield from self._try(
            "UpdateItem",
            self.request(
                leases + lease.shard,
                "REMOVE #o ADD #n :one",
                {":o": {"S": lease.owner}, ":e": _number(lease.epoch), ":one": _number(1)},
                names={"#o": "owner", "#n": "counter"},
                condition="#o = :o AND epoch = :e",
            ),
        )

    # Workers

    def announce(self, owner: str, reader: str) -> Steps[None]:
        """Say that a worker runs."""
        request = {
            "TableName": self.name,
            "Key": self._worker_key(self.consumer, owner),
            "UpdateExpression": "SET reader = :reader ADD #n :one",
            "ExpressionAttributeNames": {"#n": "counter"},
            "ExpressionAttributeValues": {":reader": {"S": reader}, ":one": _number(1)},
        }
        yield from send(self.core, "UpdateItem", request)

    def workers(self) -> Steps[list[WorkerItem]]:
        """The workers of all consumers of the table."""
        items = yield from self.items("", self._workers)
        return [_worker(item) for item in items]

    def forget(self, owner: str) -> Steps[None]:
        """Remove a worker of this consumer that has ended."""
        key = self._worker_key(self.consumer, owner)
        yield from send(self.core, "DeleteItem", {"TableName": self.name, "Key": key})

    def forget_dead(self, worker: WorkerItem) -> Steps[None]:
        """Remove a worker that has ended without a word, unless it was only slow."""
        request = {
            "TableName": self.name,
            "Key": self._worker_key(worker.consumer, worker.owner),
            "ConditionExpression": "#n = :seen",
            "ExpressionAttributeNames": {"#n": "counter"},
            "ExpressionAttributeValues": {":seen": _number(worker.counter)},
        }
        yield from self._try("DeleteItem", request)

    def _worker_key(self, consumer: str, owner: str) -> dict[str, Any]:
        return {"pk": self._workers, "sk": {"S": f"{consumer}#{owner}"}}

    # Requests

    def key(self, sort_key: str) -> dict[str, Any]:
        """The key of an item."""
        return {"pk": self._partition, "sk": {"S": sort_key}}

    def request(
        self,
        sort_key: str,
        update: str,
        values: Wire,
        *,
        names: Mapping[str, str] | None = None,
        condition: str = "",
        returns: bool = False,
    ) -> dict[str, Any]:
        """An UpdateItem request."""
        request: dict[str, Any] = {
            "TableName": self.name,
            "Key": self.key(sort_key),
            "UpdateExpression": update,
            "ExpressionAttributeValues": values,
        }
        if names:
            request["ExpressionAttributeNames"] = names
        if condition:
            request["ConditionExpression"] = condition
        if returns:
            request["ReturnValues"] = "ALL_NEW"
        return request

    def _update(self, sort_key: str, update: str, values: Wire, **options: Any) -> Steps[Answer]:
        return (yield from send(self.core, "UpdateItem", self.request(sort_key, update, values, **options)))

    def _update_existing(self, update: str, values: Wire) -> Steps[Answer | None]:
        """Update the consumer; None if it is gone, since an update would create one without its format."""
        request = self.request("consumer", update, values, condition="attribute_exists(pk)", returns=True)
        return (yield from self._try("UpdateItem", request))

    def _remove(self, sort_key: str) -> Steps[None]:
        yield from send(self.core, "DeleteItem", {"TableName": self.name, "Key": self.key(sort_key)})

    def _try(self, operation: str, request: dict[str, Any]) -> Steps[Answer | None]:
        """Send a conditional write; None if its condition failed.

        A write without an answer counts as failed too. At worst a worker then gives up a lease that it still has, and
        acquires it again.
        """
        try:
            return (yield from send(self.core, operation, request))
        except OutcomeUnknown:
            return None
        except ServiceError as error:
            if error.code != _FAILED:
                raise
            return None

    def items(self, prefix: str, partition: Wire | None = None) -> Steps[list[Wire]]:
        """The items of the consumer, or of another partition, whose sort key has a prefix."""
        condition, values = "pk = :p", {":p": partition or self._partition}
        if prefix:
            condition, values = f"{condition} AND begins_with(sk, :s)", {**values, ":s": {"S": prefix}}
        request: dict[str, Any] = {
            "TableName": self.name,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
            "ConsistentRead": True,
        }
        items: list[Wire] = []
        while True:
            answer = yield from send(self.core, "Query", request)
            items += answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return items
            request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def _record(self, item: Wire) -> ConsumerRecord:
        stored_format = item.get("format", {}).get("N")
        if stored_format != str(FORMAT):
            raise StoreError(
                "consumer-state-format",
                f"Consumer {self.consumer!r} of table {self.table!r} has the format {quote(stored_format)} "
                f"in table {self.name!r}, and this version of pksk reads format {FORMAT}.",
                fix="use the version of pksk that wrote it, or another consumer name.",
            )
        return ConsumerRecord(
            stream=item["stream"]["S"],
            condition=item["condition"]["S"],
            epoch=_integer(item, "epoch"),
            start=item["start"]["S"],
            sources=item["sources"]["S"],
            reason=item.get("reason", {}).get("S", ""),
            begun=item.get("begun", {}).get("BOOL", False),
            cursor=item.get("cursor", {}).get("M"),
            rebuild=_integer(item, "rebuild_epoch"),
        )


def _number(value: int) -> dict[str, str]:
    return {"N": str(value)}


def _integer(item: Wire, name: str) -> int:
    return int(item.get(name, {}).get("N", "0"))


def _rebuild_of(lease_key: str) -> int:
    """The epoch of the rebuild that a lease belongs to, which is in its key."""
    return int(lease_key.split("#")[1].partition("@")[2] or "0")


def _lease(item: Wire) -> Lease:
    return Lease(
        shard=item["shard"]["S"],
        parent=item.get("parent", {}).get("S"),
        position=item["position"]["S"],
        ended=item["ended"]["BOOL"],
        owner=item.get("owner", {}).get("S", ""),
        epoch=_integer(item, "epoch"),
        counter=_integer(item, "counter"),
        at=float(item["at"]["N"]) if "at" in item else None,
        caught_up=item.get("caught_up", {}).get("BOOL", False),
    )


def _worker(item: Wire) -> WorkerItem:
    consumer, _, owner = item["sk"]["S"].partition("#")
    return WorkerItem(consumer, owner, item["reader"]["S"], _integer(item, "counter"))
