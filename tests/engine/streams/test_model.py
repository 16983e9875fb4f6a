"""Streams against a list of changes: random writes, splits, rolls, trims and readers, on both storages."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pksk.client import ServiceError
from pksk.errors import InvalidValue
from tests.conftest import LONG
from tests.engine.agreement import scanned
from tests.engine.state.catalogues import NAME

from .follower import Follower
from .stream_table import DAY, Item, StreamTable, item

Record = dict[str, Any]

keys = st.tuples(st.sampled_from("abcdef"), st.integers(1, 2))
values = st.integers(1, 3)
# Moves of the clock, from less than a second to most of a day.
moves = st.sampled_from([0.4, 59.0, 899.0, 3600.5, 4 * 3600.0, 50_000.3])


@dataclass
class Changes:
    """What the writes did: the items as they are, and every change in its order with its time."""

    items: dict[str, Item] = field(default_factory=dict)
    made: list[tuple[float, str, Item | None, Item | None]] = field(default_factory=list)

    def change(self, now: float, key: str, new: Item | None) -> None:
        old = self.items.get(key)
        if old == new:
            return
        self.made.append((now, key, old, new))
        if new is None:
            del self.items[key]
        else:
            self.items[key] = new

    def kept(self, now: float, after: int = 0) -> tuple[list[Any], list[Any]]:
        """The changes that must be there, and those that may be, which are between trimmed and not."""
        surely = [change[1:] for change in self.made[after:] if now - change[0] < DAY]
        perhaps = [change[1:] for change in self.made[after:] if now - change[0] < DAY + 1]
        return surely, perhaps


def change_of(record: Record) -> tuple[str, Item | None, Item | None]:
    shown = record["dynamodb"]
    return repr(shown["Keys"]), shown.get("OldImage"), shown.get("NewImage")


def by_item(changes: list[Any]) -> dict[str, list[Any]]:
    """The changes of each item in their order."""
    grouped = defaultdict(list)
    for change in changes:
        grouped[change[0]].append(change)
    return dict(grouped)


class StreamMachine(RuleBasedStateMachine):
    """Every write is appended to a list of changes, with which readers are compared."""

    in_file = False

    @initialize(partitions=st.integers(1, 3))
    def begin(self, partitions: int) -> None:
        self.folder = tempfile.TemporaryDirectory() if self.in_file else None
        path = ":memory:" if self.folder is None else Path(self.folder.name) / "engine.db"
        self.streamed = StreamTable(path, partitions=partitions)
        self.changes = Changes()
        # Readers that continue from call to call, with the changes made before they began.
        self.followers: list[tuple[Follower, int]] = []

    def teardown(self) -> None:
        if hasattr(self, "streamed"):
            self.streamed.engine.close()
            if self.folder is not None:
                self.folder.cleanup()

    def note(self, key: tuple[str, int], new: Item | None) -> None:
        self.changes.change(self.streamed.clock.now, repr(item(*key)), new)

    @rule(key=keys, n=values)
    def put(self, key: tuple[str, int], n: int) -> None:
        self.streamed.put(*key, n=n)
        self.note(key, item(*key, n=n))

    @rule(key=keys)
    def delete(self, key: tuple[str, int]) -> None:
        self.streamed.delete(*key)
        self.note(key, None)

    @rule(batch=st.dictionaries(keys, st.none() | values, min_size=1, max_size=5))
    def write_batch(self, batch: dict[tuple[str, int], int | None]) -> None:
        members = [
            {"DeleteRequest": {"Key": item(*key)}} if n is None else {"PutRequest": {"Item": item(*key, n=n)}}
            for key, n in batch.items()
        ]
        self.streamed.call("BatchWriteItem", RequestItems={NAME: members})
        for key, n in batch.items():
            self.note(key, None if n is None else item(*key, n=n))

    @rule(batch=st.dictionaries(keys, values, min_size=2, max_size=4), holds=st.booleans())
    def transact(self, batch: dict[tuple[str, int], int], holds: bool) -> None:
        puts = [{"Put": {"TableName": NAME, "Item": item(*key, n=n)}} for key, n in batch.items()]
        check = {
            "TableName": NAME,
            "Key": item("absent", 1),
            "ConditionExpression": "attribute_not_exists(pk)" if holds else "attribute_exists(pk)",
        }
        try:
            self.streamed.call("TransactWriteItems", TransactItems=[*puts, {"ConditionCheck": check}])
        except ServiceError as error:
            if holds or error.code != "TransactionCanceledException":
                raise
            return
        for key, n in batch.items():
            self.note(key, item(*key, n=n))

    @rule()
    def roll(self) -> None:
        self.streamed.engine.roll_shards(NAME)

    @rule(at=st.one_of(keys.map(lambda key: item(*key)), st.sampled_from(["3", "9", "c8"])))
    def split(self, at: Any) -> None:
        try:
            self.streamed.engine.split(NAME, at=at)
        except InvalidValue:
            return  # where a partition begins already

    @rule(seconds=moves)
    def wait(self, seconds: float) -> None:
        self.streamed.clock.now += seconds

    @precondition(lambda self: self.in_file)
    @rule()
    def reopen(self) -> None:
        self.streamed.reopen()

    @rule(kind=st.sampled_from(["TRIM_HORIZON", "LATEST"]), page=st.integers(1, 4))
    def begin_reading(self, kind: str, page: int) -> None:
        now, made = self.streamed.clock.now, self.changes.made
        older = sum(now - change[0] >= DAY for change in made)
        if kind == "LATEST" or all(now - change[0] >= DAY + 1 for change in made[:older]):
            self.followers.append(
                (Follower(self.streamed, kind, page), len(made) if kind == "LATEST" else older)
            )

    @rule(steps=st.integers(1, 6), choice=st.randoms(use_true_random=False))
    def go_on_reading(self, steps: int, choice: Any) -> None:
        for follower, _ in self.followers:
            for _ in range(steps):
                follower.step(choice)

    @invariant()
    def each_reader_has_seen_every_change_of_an_item_in_order_and_once(self) -> None:
        for follower, start in self.followers:
            seen, made = (
                by_item(list(map(change_of, follower.records))),
                by_item([change[1:] for change in self.changes.made[start:]]),
            )
            for key, changes in seen.items():
                assert changes == made.get(key, [])[: len(changes)]

    @rule()
    def read_to_the_end(self) -> None:
        for follower, start in self.followers:
            if follower.drain():
                made = [change[1:] for change in self.changes.made[start:]]
                assert by_item(list(map(change_of, follower.records))) == by_item(made)
        self.followers.clear()

    @rule()
    def read_all_that_is_kept(self) -> None:
        records = list(self.streamed.everything())
        seen = list(map(change_of, records))
        surely, perhaps = self.changes.kept(self.streamed.clock.now)

        for key, changes in by_item(perhaps).items():
            count = len(by_item(surely).get(key, []))
            last = by_item(seen).get(key, [])
            assert count <= len(last) <= len(changes)
            assert last == changes[len(changes) - len(last) :]
        assert by_item(seen).keys() <= by_item(perhaps).keys()
        if len(surely) == len(self.changes.made):
            assert replayed(records) == {
                repr(key_of(each)): each for each in scanned(self.streamed.engine, NAME)
            }

    @rule(data=st.data())
    def begin_anywhere(self, data: st.DataObject) -> None:
        shard = data.draw(st.sampled_from(self.streamed.shards()))["ShardId"]
        everything = self.from_iterator("TRIM_HORIZON", shard)
        assert self.from_iterator("LATEST", shard) == []
        if everything:
            position = data.draw(st.integers(0, len(everything) - 1))
            number = everything[position]["dynamodb"]["SequenceNumber"]
            created = everything[position]["dynamodb"]["ApproximateCreationDateTime"]
            first = next(
                at
                for at, each in enumerate(everything)
                if each["dynamodb"]["ApproximateCreationDateTime"] >= created
            )
            assert (
                self.from_iterator("AT_SEQUENCE_NUMBER", shard, SequenceNumber=number)
                == everything[position:]
            )
            assert (
                self.from_iterator("AFTER_SEQUENCE_NUMBER", shard, SequenceNumber=number)
                == (everything[position + 1 :])
            )
            assert self.from_iterator("AT_TIMESTAMP", shard, Timestamp=created) == everything[first:]

    def from_iterator(self, kind: str, shard: str, **members: Any) -> list[Record]:
        return self.streamed.records(self.streamed.iterator(kind, shard, **members))

    @invariant()
    def numbers_rise_along_the_lineage(self) -> None:
        if not hasattr(self, "streamed"):
            return
        ends: dict[str, int] = {}
        for shard in self.streamed.shards():
            numbers = shard["SequenceNumberRange"]
            start = int(numbers["StartingSequenceNumber"])
            assert ends.get(shard.get("ParentShardId", ""), 0) < start
            ends[shard["ShardId"]] = int(numbers.get("EndingSequenceNumber", "9" * 22))
            assert ends[shard["ShardId"]] > start


def key_of(image: Item) -> Item:
    return {"pk": image["pk"], "sk": image["sk"]}


def replayed(records: list[Record]) -> dict[str, Item]:
    """The items that records leave."""
    items: dict[str, Item] = {}
    for key, old, new in map(change_of, records):
        assert items.pop(key, None) == old
        if new is not None:
            items[key] = new
    return items


class FileMachine(StreamMachine):
    """The same on a file, closed and opened in between."""

    in_file = True


PHASES = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]
TestStreamsInMemory = StreamMachine.TestCase
TestStreamsInFile = FileMachine.TestCase
if LONG:
    TestStreamsInMemory.settings = settings(max_examples=1000, stateful_step_count=60, phases=PHASES)
    TestStreamsInFile.settings = settings(max_examples=300, stateful_step_count=60, phases=PHASES)
else:
    TestStreamsInMemory.settings = settings(max_examples=15, stateful_step_count=40, phases=PHASES)
    TestStreamsInFile.settings = settings(max_examples=8, stateful_step_count=40, phases=PHASES)
