"""Writes audit rows from stream records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pksk
from pksk import Store, Table, changes_of
from pksk.client import ServiceError

from ..audit import Change
from ..bookings import Booking
from ..errors import NoStream
from ..tables import SYSTEM, ItemKey, reference, transactional


class StreamReader:
    """Reads the stream of a table. Each shard is read before its children, so the changes of an item come in order."""

    def __init__(
        self, db: Store, table: Table, begin: Literal["TRIM_HORIZON", "LATEST"] = "TRIM_HORIZON"
    ) -> None:
        self._call = db.client.call
        self._arn = _stream(db, table)
        self.table = table
        shards = self._shards()
        names = {shard["ShardId"] for shard in shards}
        first = [shard for shard in shards if shard.get("ParentShardId") not in names]
        if begin == "LATEST":
            first = [shard for shard in shards if "EndingSequenceNumber" not in shard["SequenceNumberRange"]]
        self._places = {shard["ShardId"]: self._iterator(shard, begin) for shard in first}

    def records(self) -> Iterator[dict[str, Any]]:
        """The records since the last call."""
        while self._places:
            closed = []
            for shard, iterator in list(self._places.items()):
                place: str | None = iterator
                while place is not None:
                    page = self._call("GetRecords", {"ShardIterator": place})
                    yield from page["Records"]
                    place = page.get("NextShardIterator")
                    if place is not None:
                        self._places[shard] = place
                    if not page["Records"]:
                        break
                if place is None:
                    closed.append(shard)
                    del self._places[shard]
            children = (
                [shard for shard in self._shards() if shard.get("ParentShardId") in closed] if closed else []
            )
            if not children:
                return
            self._places |= {shard["ShardId"]: self._iterator(shard, "TRIM_HORIZON") for shard in children}

    def _shards(self) -> list[dict[str, Any]]:
        shards: list[dict[str, Any]] = []
        request: dict[str, Any] = {"StreamArn": self._arn}
        while True:
            answer = self._call("DescribeStream", request)["StreamDescription"]
            shards += answer["Shards"]
            if "LastEvaluatedShardId" not in answer:
                return shards
            request["ExclusiveStartShardId"] = answer["LastEvaluatedShardId"]

    def _iterator(self, shard: dict[str, Any], begin: str) -> str:
        request = {"StreamArn": self._arn, "ShardId": shard["ShardId"], "ShardIteratorType": begin}
        iterator: str = self._call("GetShardIterator", request)["ShardIterator"]
        return iterator


def _stream(db: Store, table: Table) -> str:
    try:
        description = db.client.call("DescribeTable", {"TableName": table.name})["Table"]
    except ServiceError as error:
        if error.code != "ResourceNotFoundException":
            raise
        raise NoStream(f"There is no table {table.name!r}; load data first.") from error
    if "LatestStreamArn" not in description:
        raise NoStream(f"The table {table.name!r} has no stream; turn it on with ensure_tables.")
    stream: str = description["LatestStreamArn"]
    return stream


def stream_readers(
    db: Store, begin: Literal["TRIM_HORIZON", "LATEST"] = "TRIM_HORIZON"
) -> list[StreamReader]:
    """Readers of the streams of both tables. Raises `NoStream`."""
    return [StreamReader(db, table, begin) for table in (reference, transactional)]


def write_audit_rows(db: Store, trails: list[StreamReader]) -> list[Change]:
    """Write a row for each change in the streams, and return the rows; writing them again changes nothing."""
    rows = [audit_row(change) for trail in trails for change in changes_of(trail.records(), trail.table)]
    if rows:
        db.run(Change.write_all(rows))
    return rows


def audit_row(change: pksk.Change[Any]) -> Change:
    """The audit row of a change, with the user who made it if that is known."""
    assert change.at is not None
    return Change(
        user=_user_of(change.new),
        at=change.at,
        sequence_number=change.sequence_number,
        event_id=change.event_id,
        key=ItemKey(pk=change.key["pk"]["S"], sk=change.key["sk"]["S"]),
        schema_name=change.entity.__name__,
        action=change.kind,
        fields=list(change.changed_fields) if change.kind == "modify" else [],
    )


def _user_of(image: Any) -> str:
    """The user named in the new image; removals have none.

    The old image of a removal names who wrote the item last, not who removed it.
    """
    if isinstance(image, Booking) and image.status == "expired":
        return SYSTEM  # only the sweep ends bookings so
    return getattr(image, "changed_by", None) or getattr(image, "user_id", None) or SYSTEM
