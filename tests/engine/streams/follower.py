"""A consumer of a stream: parents before children, page by page, also after an iterator has expired."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from pksk.client import ServiceError

from .stream_table import StreamTable

__all__ = ["Follower"]


@dataclass
class Place:
    """Where a reader is in a shard: an iterator, or None at its end; the last record that it has read."""

    iterator: str | None
    number: str | None = None


class Follower:
    """Reads from the oldest change on, or from the latest, and then every child of a shard that it has finished."""

    def __init__(self, streamed: StreamTable, kind: str, page: int) -> None:
        self._streamed = streamed
        self._page = page
        self._arn = streamed.arn
        self._places: dict[str, Place] = {}
        self.records: list[dict[str, Any]] = []
        # Whether it has read nothing for so long that records were trimmed before it.
        self.behind = False
        shards = streamed.shards()
        parents = {shard.get("ParentShardId") for shard in shards}
        for shard in shards:
            if kind == "LATEST" or shard.get("ParentShardId") not in {each["ShardId"] for each in shards}:
                position = Place(streamed.iterator(kind, shard["ShardId"], arn=self._arn))
                if kind == "LATEST" and shard["ShardId"] in parents:
                    position = Place(None)
                self._places[shard["ShardId"]] = position

    def step(self, choice: Random) -> bool:
        """Read a page of any shard that can be read; says whether there was one with anything to come."""
        self._look_for_children()
        places = [shard for shard, position in self._places.items() if position.iterator is not None]
        return not self.behind and bool(places) and self._read(choice.choice(places))

    def drain(self) -> bool:
        """Read all available records; False if some were trimmed before they were read."""
        more = True
        while more and not self.behind:
            self._look_for_children()
            places = [shard for shard, position in self._places.items() if position.iterator is not None]
            finished = [self._read(shard) for shard in places]
            more = any(finished)
        return not self.behind

    def _look_for_children(self) -> None:
        shards = {shard["ShardId"]: shard for shard in self._streamed.shards(self._arn)}
        for shard in shards.values():
            if shard["ShardId"] in self._places:
                continue
            parent = self._places.get(shard["ParentShardId"])
            if parent is None:
                # Unless the parent will be read first, it came and went unseen.
                self.behind = self.behind or shard["ParentShardId"] not in shards
            elif parent.iterator is None:
                self._places[shard["ShardId"]] = self._begun(shard)

    def _begun(self, shard: dict[str, Any]) -> Place:
        """A shard from its own beginning, which the oldest change that is left need not be."""
        start = shard["SequenceNumberRange"]["StartingSequenceNumber"]
        position = Place(None, start)
        try:
            position.iterator = self._streamed.iterator(
                "AT_SEQUENCE_NUMBER", shard["ShardId"], arn=self._arn, SequenceNumber=start
            )
        except ServiceError as raised:
            if raised.code != "TrimmedDataAccessException":
                raise
            self.behind = True
        return position

    def _read(self, shard: str) -> bool:
        """Read a page of a shard; says whether there may be more by now: it had something, or has ended."""
        position = self._places[shard]
        assert position.iterator is not None
        try:
            page = self._streamed.page(position.iterator, Limit=self._page)
        except ServiceError as error:
            return self._go_on(shard, error)
        self.records += page["Records"]
        if page["Records"]:
            position.number = page["Records"][-1]["dynamodb"]["SequenceNumber"]
        position.iterator = page.get("NextShardIterator")
        return bool(page["Records"]) or position.iterator is None

    def _go_on(self, shard: str, error: ServiceError) -> bool:
        position = self._places[shard]
        try:
            if error.code != "ExpiredIteratorException":
                raise error
            if position.number is None:
                self.behind = True  # it cannot find shards that it has not begun to read
                return False
            position.iterator = self._streamed.iterator(
                "AFTER_SEQUENCE_NUMBER", shard, arn=self._arn, SequenceNumber=position.number
            )
        except ServiceError as raised:
            if raised.code not in {"TrimmedDataAccessException", "ResourceNotFoundException"}:
                raise
            self.behind = True
            return False
        return True
