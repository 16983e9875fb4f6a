"""Splits by command: which partition, at which key, and that nothing else changes."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pksk.client import ServiceError
from pksk.engine import Engine
from pksk.engine.partitioning.split import split_partition
from pksk.engine.storage import MemoryStorage, StorageProblem
from pksk.errors import InvalidValue, PkskError
from pksk.partitions import key_hash
from pksk.values.order import sortable_bytes
from tests.engine.faulty import FaultyStorage
from tests.engine.state.catalogues import defined, table

from .partitioned_table import NAME, create, item, open_engine, put, scan


def _error_text(engine: Engine, *partition: Any, **arguments: Any) -> str:
    with pytest.raises(PkskError) as raised:
        engine.split(NAME, *partition, **arguments)
    assert raised.value.code == "engine-partition"
    assert raised.value.expected
    assert raised.value.fix
    return raised.value.problem


def _key(pk: object, sk: object) -> dict[str, Any]:
    return {"pk": {"S": str(pk)}, "sk": {"S": str(sk)}}


def test_a_partition_splits_in_the_middle_of_its_bytes() -> None:
    engine = create(open_engine(partitions=1))
    put(engine, *(item(number, 0, 100) for number in range(100)))

    left, right = engine.split(NAME)

    assert (left.items, right.items) == (50, 50)
    assert (left.number, left.parent, right.number, right.parent) == (1, 0, 2, 0)
    assert left.high == right.low
    assert left.low_key is left.high_key is right.low_key is None
    assert engine.partitions(NAME) == [left, right]


def test_the_largest_partition_is_split_by_default() -> None:
    engine = create(open_engine(partitions=4))
    put(engine, *(item("same", number) for number in range(10)))
    (full,) = [part for part in engine.partitions(NAME) if part.items]

    assert {part.parent for part in engine.split(NAME)} == {full.number}


def test_the_items_of_one_partition_key_split_by_their_sort_key() -> None:
    engine = create(open_engine(partitions=1))
    put(engine, *(item("same", f"{number:02d}") for number in range(10)))

    left, right = engine.split(NAME)

    assert (left.items, right.items) == (5, 5)
    assert left.high_key == right.low_key == _key("same", "05")
    assert left.high == right.low == key_hash(b"S" + b"same\0\0").hex()


def test_a_key_to_split_at_is_the_first_of_the_second_half() -> None:
    engine = create(open_engine(partitions=1))
    put(engine, *(item("same", f"{number:02d}") for number in range(10)))

    left, right = engine.split(NAME, at=_key("same", "03"))
    assert (left.items, right.items, right.low_key) == (3, 7, _key("same", "03"))

    before, after = engine.split(NAME, at={"pk": {"S": "same"}})
    assert (before.items, after.items, after.high_key, after.low_key) == (0, 3, _key("same", "03"), None)


def test_an_empty_partition_splits_in_the_middle_of_its_range() -> None:
    engine = create(open_engine(partitions=2))

    assert [part.low[:2] for part in engine.split(NAME, 1)] == ["80", "c0"]


def test_a_partition_with_one_item_splits_in_the_middle_of_its_range() -> None:
    engine = create(open_engine(partitions=1))
    put(engine, item("one", 0))

    assert [part.low[:2] for part in engine.split(NAME)] == ["00", "80"]


def test_an_index_splits_independently_even_within_one_key() -> None:
    engine = create(open_engine(partitions=1))
    put(engine, *(item(number, f"{number:02d}", status="open") for number in range(10)))

    _, right = engine.split(NAME, index="by-status")

    assert right.low_key == {"status": {"S": "open"}, "sk": {"S": "05"}, "pk": {"S": "5"}}
    assert [part.items for part in engine.partitions(NAME, "by-status")] == [5, 5]
    assert len(engine.partitions(NAME)) == 1


def test_a_local_index_keeps_the_items_of_a_partition_key_together() -> None:
    engine = create(open_engine(partitions=1), local=True)
    put(engine, *(item("a", number, 50, day="1") for number in range(10)))
    assert "has the items of one partition key" in _error_text(engine)
    assert "splits the items of a partition key" in _error_text(engine, at=_key("a", "5"))

    put(engine, *(item("b", number, 50, day="1") for number in range(4)))
    put(engine, *(item("c", number, 50, day="1") for number in range(4)))
    left, right = engine.split(NAME)

    assert left.low_key is left.high_key is right.low_key is None
    assert {left.items, right.items} == {8, 10} or {left.items, right.items} == {4, 14}
    for pk in ("a", "b", "c"):
        holding = [part for part in (left, right) if part.low <= key_hash(b"S%b\0\0" % pk.encode()).hex()]
        assert holding


def test_the_bytes_of_a_partition_include_local_index_entries() -> None:
    engine = create(open_engine(partitions=2), local=True)
    put(engine, *(item(number, 0, 50, day="1") for number in range(20)))

    table = engine.call("DescribeTable", {"TableName": NAME})["Table"]
    local = table["LocalSecondaryIndexes"][0]["IndexSizeBytes"]
    assert sum(part.bytes for part in engine.partitions(NAME)) == table["TableSizeBytes"] + local


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"partition": 9}, "Partition 9 does not exist."),
        ({"partition": -1}, "Partition -1 does not exist."),
        ({"partition": "0"}, "'0' is not a partition."),
        ({"partition": True}, "True is not a partition."),
        ({"partition": 1, "at": "0001"}, "Partition 1 cannot be split at '0001'."),
        ({"partition": 1, "at": "8"}, "Partition 1 cannot be split at '8'."),
        ({"at": "0"}, "Partition 0 cannot be split at '0'."),
        ({"at": ""}, "'' is not a hash."),
        ({"at": "xyz"}, "'xyz' is not a hash."),
        ({"at": "0" * 17}, f"'{'0' * 17}' is not a hash."),
        ({"at": "80  "}, "'80  ' is not a hash."),
        ({"at": "٣"}, "'٣' is not a hash."),
        ({"at": 5}, "5 is not a key to split at."),
        ({"at": {1: 2, "pk": {"S": "a"}}}, "{1: 2, 'pk': {'S': 'a'}} is not a key to split at."),
        ({"at": {"pk": {"S": 5}}}, "{'pk': {'S': 5}} is not a key to split at."),
        ({"at": {"pk": {"S": None}}}, "{'pk': {'S': None}} is not a key to split at."),
        ({"index": []}, "Table 'orders' has no global index []."),
        ({"at": {}}, "{} is not a key to split at."),
        ({"at": {"sk": {"S": "1"}}}, "{'sk': {'S': '1'}} is not a key to split at."),
        ({"at": {"pk": {"N": "1"}}}, "{'pk': {'N': '1'}} is not a key to split at."),
        ({"at": {"pk": {"S": ""}}}, "{'pk': {'S': ''}} is not a key to split at."),
        ({"at": {"pk": "x"}}, "{'pk': 'x'} is not a key to split at."),
        ({"index": "by-statue"}, "Table 'orders' has no global index 'by-statue'."),
    ],
)
def test_an_invalid_split_raises_and_changes_nothing(arguments: dict[str, Any], expected: str) -> None:
    engine = create(open_engine(partitions=2))
    before = engine.partitions(NAME)

    assert _error_text(engine, **arguments) == expected
    assert engine.partitions(NAME) == before


def test_a_local_index_has_no_partitions_of_its_own() -> None:
    engine = create(open_engine(), local=True)

    assert _error_text(engine, index="by-day") == "'by-day' is a local index of table 'orders'."


@pytest.mark.parametrize(
    ("index_name", "fix"),
    [("by-statue", "write 'by-status'."), ("x", "leave out `index` to use the table itself.")],
)
def test_a_missing_index_gets_the_name_that_may_be_meant(index_name: str, fix: str) -> None:
    with pytest.raises(PkskError) as raised:
        create(open_engine()).split(NAME, index=index_name)

    assert raised.value.fix == fix


def test_splitting_a_missing_table_raises_resource_not_found() -> None:
    with pytest.raises(ServiceError, match="ResourceNotFoundException"):
        open_engine().partitions("absent")


def test_a_partition_of_one_item_and_one_hash_cannot_be_split() -> None:
    engine = create(open_engine(partitions=1))
    put(engine, item("one", "a"), item("one", "b"))
    engine.split(NAME)
    hashed = key_hash(b"S" + b"one\0\0")
    engine.split(NAME, at=hashed.hex())
    engine.split(NAME, at=(int.from_bytes(hashed) + 1).to_bytes(8).hex())

    alone = [part for part in engine.partitions(NAME) if part.items]
    assert "single item and a single hash" in _error_text(engine, alone[0].number)


keys = st.tuples(st.integers(0, 8), st.integers(0, 5))
cuts = st.lists(
    st.tuples(st.sampled_from([None, "by-status"]), st.one_of(keys, st.binary(min_size=8, max_size=8))),
    max_size=8,
)


@settings(max_examples=60)
@given(st.sets(keys, max_size=30), cuts, st.integers(1, 5))
def test_a_scan_is_in_the_order_of_hashes_after_any_splits(
    chosen: set[tuple[int, int]], splits: list[tuple[str | None, Any]], segments: int
) -> None:
    engine = create(open_engine(partitions=1))
    put(engine, *(item(pk, sk, status=str(sk % 2)) for pk, sk in chosen))
    expected = sorted(chosen, key=lambda key: (key_hash(b"S%d\0\0" % key[0]), sortable_bytes(str(key[1]))))
    before = scan(engine, "by-status")
    for index_name, at in splits:
        _try_to_split(engine, index_name, at)

    assert [(int(each["pk"]["S"]), int(each["sk"]["S"])) for each in scan(engine)] == expected
    assert scan(engine, "by-status", Limit=3) == before
    parts = [scan(engine, Segment=number, TotalSegments=segments) for number in range(segments)]
    assert [each for part in parts for each in part] == scan(engine)
    for index_name in (None, "by-status"):
        partitions = engine.partitions(NAME, index_name)
        assert sum(part.items for part in partitions) == len(chosen)
        assert [part.low for part in partitions] == sorted(part.low for part in partitions)


def _try_to_split(engine: Engine, index_name: str | None, at: Any) -> None:
    if isinstance(at, bytes):
        key: Any = at.hex()
    elif index_name is None:
        key = _key(*at)
    else:
        key = {"status": {"S": str(at[0] % 2)}, "sk": {"S": str(at[1])}}
    try:
        engine.split(NAME, index=index_name, at=key)
    except PkskError as error:
        if "cannot be split at" not in error.problem:
            raise


def test_a_split_that_cannot_be_stored_changes_nothing() -> None:
    storage = FaultyStorage(MemoryStorage())
    engine = create(
        Engine.on(cast(Any, storage)),
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    put(engine, *(item(number, 0) for number in range(8)))
    table, before = engine._core.catalogue.table(NAME), engine.partitions(NAME)
    for step in range(1, 1000):
        storage.fail(step, StorageProblem("The disk is full."))
        try:
            split_partition(engine._core, table, None, 1)
        except StorageProblem:
            storage.heal()
            again = Engine.on(cast(Any, _Kept(storage)))
            assert engine.partitions(NAME) == before
            assert [part.shard for part in again.partitions(NAME)] == [part.shard for part in before]
        else:
            break

    assert step > 5
    storage.heal()
    assert len(engine.partitions(NAME)) == 5


class _Kept(FaultyStorage):
    """The same storage for an engine that is thrown away."""

    def __init__(self, storage: FaultyStorage) -> None:
        super().__init__(cast(Any, storage))

    def close(self) -> None:
        """The storage is another's."""


@pytest.mark.parametrize("value", [5, "!!", b"raw", ""])
def test_a_binary_key_to_split_at_is_base64(value: object) -> None:
    engine = open_engine(partitions=1)
    engine.call("CreateTable", table("pk", AttributeDefinitions=defined(pk="B")))

    assert _error_text(engine, at={"pk": {"B": value}}).endswith("is not a key to split at.")


@pytest.mark.parametrize("name", [None, 5, [], b"orders"])
def test_an_invalid_table_name_raises(name: Any) -> None:
    engine = create(open_engine())
    for command in (engine.partitions, engine.split):
        with pytest.raises(InvalidValue, match="is not a table"):
            command(name)


def test_a_closed_engine_raises() -> None:
    engine = create(open_engine())
    engine.close()
    for command in (engine.partitions, engine.split):
        with pytest.raises(ServiceError, match=r"The storage is closed\."):
            command(NAME)
