"""Vector indexes that are added to a table with items, and deleted from it."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import GSI, N, Table, VectorIndex
from pksk.engine import Delays, Engine
from pksk.engine.settings import Settings
from pksk.engine.storage import MemoryStorage, SpaceMissing
from tests.engine.agreement import check_agreement
from tests.engine.state.catalogues import Clock, defined, index, table

from .pictures import Pictures, picture, searching

BACKFILLING = "Cannot search backfilling vector index: near"


class Slow(Pictures):
    """Pictures without an index yet, in an engine where changes of tables take their time."""

    def __init__(self, **delays: float) -> None:
        self.clock, self.storage = Clock(), MemoryStorage()
        settings = Settings(clock=self.clock, delays=Delays(**delays))
        super().__init__(Engine.on(self.storage, settings), create=False)
        self.engine.call("CreateTable", table("id", TableName="pictures"))

    def add(self) -> None:
        self.call("UpdateTable", VectorIndexUpdates=[{"Create": self.index}])

    def take(self) -> None:
        self.call("UpdateTable", VectorIndexUpdates=[{"Delete": {"IndexName": "near"}}])

    def state(self) -> tuple[Any, ...]:
        description = self.described()
        (index,) = description["VectorIndexes"]
        return description["TableStatus"], index["IndexStatus"], index.get("Backfilling")

    def error_of(self) -> str:
        return self.invalid("SearchVectors", **searching((0, 0, 0)))


def test_an_added_index_has_each_state_in_order() -> None:
    pictures = Slow(update_table=2, backfill=3, global_index=4)
    pictures.put(picture("a", (1, 0, 0)), picture("b", (2, 0)), picture("c"))
    pictures.add()

    seen = []
    for seconds in (0, 2, 3):
        pictures.clock.now += seconds
        seen.append(pictures.state())
        assert pictures.error_of() == BACKFILLING
    pictures.clock.now += 4

    assert seen == [
        ("UPDATING", "CREATING", False),
        ("ACTIVE", "CREATING", True),
        ("ACTIVE", "ACTIVE", None),
    ]
    assert pictures.search((0, 0, 0)) == [("a", 1.0)]


def test_without_delays_an_index_can_be_searched_at_once() -> None:
    pictures = Slow()
    pictures.put(picture("a", (1, 0, 0)))
    pictures.add()

    assert pictures.state() == ("ACTIVE", "ACTIVE", None)
    assert pictures.names((0, 0, 0)) == ["a"]


def test_an_index_created_with_its_table_is_active_with_it() -> None:
    clock = Clock()
    engine = Engine.on(MemoryStorage(), Settings(clock=clock, delays=Delays(create_table=5, global_index=9)))
    pictures = Pictures(engine)
    states = []
    for seconds in (0, 5):
        clock.now += seconds
        description = pictures.described()
        index = description["VectorIndexes"][0]
        states.append((description["TableStatus"], index["IndexStatus"], "Backfilling" in index))

    assert states == [("CREATING", "CREATING", False), ("ACTIVE", "ACTIVE", False)]
    assert pictures.names((0, 0, 0)) == []


def test_writes_update_a_vector_index_during_its_backfill() -> None:
    pictures = Slow(update_table=2, backfill=3)
    pictures.put(picture("a", (1, 0, 0)), picture("b", (2, 0, 0)))
    pictures.add()
    pictures.put(picture("c", (3, 0, 0)), picture("a", (4, 0, 0)))
    pictures.clock.now += 2
    pictures.call("DeleteItem", Key={"id": {"S": "b"}})
    assert pictures.invalid("PutItem", Item=picture("d", (1, 2))).endswith("IndexName: near")
    pictures.clock.now += 3

    assert pictures.search((0, 0, 0)) == [("c", 3.0), ("a", 4.0)]
    check_agreement(pictures.engine)


def test_an_index_can_be_deleted_during_its_backfill_and_not_before() -> None:
    pictures = Slow(update_table=2, backfill=30)
    pictures.add()
    with pytest.raises(Exception, match="Index creation is in resource allocation phase"):
        pictures.take()
    pictures.clock.now += 2
    pictures.take()
    pictures.clock.now += 2

    assert "VectorIndexes" not in pictures.described()


def test_deleting_an_index_deletes_its_rows_and_restores_sizes() -> None:
    pictures = Slow()
    pictures.put(*(picture(f"{number}", ["0.123456789"] * 3) for number in range(9)))
    before = pictures.described()["TableSizeBytes"]
    pictures.add()
    kept = pictures.engine._core.catalogue.table("pictures").vectors["near"].space
    with_index = pictures.described()["TableSizeBytes"]
    pictures.names((0, 0, 0))
    pictures.take()

    assert with_index < before == pictures.described()["TableSizeBytes"]
    assert pictures.error_of() == "The table does not have the specified index: near"
    pictures.put(picture("new", (1, 2)))
    with pytest.raises(SpaceMissing), pictures.storage.reading() as reader:
        list(reader.rows(kept, b"", None))
    check_agreement(pictures.engine)


def test_an_index_can_be_recreated_under_its_name() -> None:
    pictures = Slow()
    pictures.put(picture("a", (1, 0, 0)))
    for number in range(3):
        pictures.add()
        pictures.put(picture(f"{number}", (number + 2, 0, 0)))
        assert len(pictures.names((0, 0, 0))) == number + 2
        pictures.take()


def test_several_indexes_on_one_attribute_do_not_change_its_size() -> None:
    pictures = Slow()
    pictures.put(picture("a", ["0.123456789"] * 3))
    pictures.add()
    size = pictures.described()["TableSizeBytes"]
    other = {**pictures.index, "IndexName": "along", "DistanceFunction": "DOT_PRODUCT"}
    pictures.call("UpdateTable", VectorIndexUpdates=[{"Create": other}])
    assert pictures.described()["TableSizeBytes"] == size
    pictures.take()

    assert pictures.described()["TableSizeBytes"] == size
    check_agreement(pictures.engine)


def test_a_failed_update_of_a_table_does_not_change_its_index() -> None:
    pictures = Slow()
    pictures.put(picture("a", (1, 0, 0)))
    pictures.add()
    pictures.names((0, 0, 0))
    with pytest.raises(
        Exception, match=r"cannot be redefined\..* New schema: VectorIndexSchema:\[.*key{v:L:4}\]"
    ):
        pictures.call(
            "UpdateTable",
            VectorIndexUpdates=[{"Create": {**pictures.index, "IndexName": "more", "Dimensions": 4}}],
        )
    pictures.put(picture("b", (2, 0, 0)))

    assert pictures.names((0, 0, 0)) == ["a", "b"]
    check_agreement(pictures.engine)


def test_deleting_a_table_removes_its_vectors() -> None:
    pictures = Slow()
    pictures.add()
    pictures.put(picture("a", (1, 0, 0)))
    found = pictures.engine._core.catalogue.table("pictures")
    spaces = [found.layout.space, found.vectors["near"].space]
    pictures.call("DeleteTable")

    for space in spaces:
        with pytest.raises(SpaceMissing), pictures.storage.reading() as reader:
            list(reader.rows(space, b"", None))


def test_a_vector_cannot_be_a_key_or_a_filter() -> None:
    pictures = Slow()
    schema = [{"AttributeName": "v", "SearchSchemaElementType": "INLINE_FILTER"}]
    filtered = {**pictures.index, "SearchSchema": schema}

    update = {"AttributeDefinitions": defined("v"), "VectorIndexUpdates": [{"Create": filtered}]}
    assert pictures.invalid("UpdateTable", **update) == (
        "One or more parameter values were invalid: Conflicting attribute definition for 'v'. "
        "An attribute cannot be defined in AttributeDefinitions when used as a VectorAttribute."
    )
    pictures.add()
    by_vector = {"Create": index("by-vector", "v")}
    update = {"AttributeDefinitions": defined("v"), "GlobalSecondaryIndexUpdates": [by_vector]}
    assert pictures.invalid("UpdateTable", **update) == (
        "One or more parameter values were invalid: Attributes cannot be redefined. "
        "Please check that your attribute has the same type as previously defined. "
        "Existing schema: VectorIndexSchema:[VectorAttribute: key{v:L:3}] "
        "New schema: Schema:[SchemaElement: key{v:S:HASH}]"
    )


@pytest.mark.parametrize(
    ("kinds", "text"),
    [
        ((), "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null"),
        (("Create", "Delete"), "Only one vector index action is allowed per VectorIndexUpdate object"),
    ],
)
def test_an_index_update_either_creates_or_deletes(kinds: tuple[str, ...], text: str) -> None:
    pictures = Pictures()
    actions = {"Create": {**pictures.index, "IndexName": "more"}, "Delete": {"IndexName": "near"}}

    message = pictures.invalid("UpdateTable", VectorIndexUpdates=[{kind: actions[kind] for kind in kinds}])

    assert message == f"One or more parameter values were invalid: {text}"
    assert pictures.described()["TableStatus"] == "ACTIVE"


def test_item_collections_have_the_right_sizes_after_index_changes() -> None:
    engine = Engine.open()
    local = index("by-day", "id", "day")
    definitions = defined("id", "sk", "day")
    engine.call(
        "CreateTable",
        table(
            "id", "sk", TableName="pictures", AttributeDefinitions=definitions, LocalSecondaryIndexes=[local]
        ),
    )
    pictures = Pictures(engine, create=False)
    pictures.put(picture("a", (0.123456789, 1, 2), sk="1", day="1"), picture("a", (1, 2, 3), sk="2"))

    def held() -> int:
        return sum(part.bytes for part in engine.partitions("pictures"))

    before, size = held(), pictures.described()["TableSizeBytes"]
    pictures.call("UpdateTable", VectorIndexUpdates=[{"Create": pictures.index}])
    assert held() == before - size + pictures.described()["TableSizeBytes"] != before
    pictures.call("UpdateTable", VectorIndexUpdates=[{"Delete": {"IndexName": "near"}}])
    assert held() == before
    for number in ("1", "2"):
        pictures.call("DeleteItem", Key={"id": {"S": "a"}, "sk": {"S": number}})
    assert held() == 0


def test_a_filter_of_a_deleted_vector_index_can_get_another_type() -> None:
    engine = Engine.open()
    near = VectorIndex("near", attribute="v", dimensions=2, filters=["size"])
    engine.call("CreateTable", Table("notes", indexes=[near]).create_request())
    _update_notes(engine, VectorIndexUpdates=[{"Delete": {"IndexName": "near"}}])

    request = Table("notes", indexes=[GSI("by-size", pk=N("size"))]).create_request()
    create = request["GlobalSecondaryIndexes"][0]
    definitions = request["AttributeDefinitions"]
    _update_notes(engine, AttributeDefinitions=definitions, GlobalSecondaryIndexUpdates=[{"Create": create}])

    described = engine.call("DescribeTable", {"TableName": "notes"})["Table"]
    assert {"AttributeName": "size", "AttributeType": "N"} in described["AttributeDefinitions"]


def _update_notes(engine: Engine, **changes: Any) -> None:
    engine.call("UpdateTable", {"TableName": "notes", **changes})
