"""Heat: readable keys, shares, scans, full pages, and a short text."""

from __future__ import annotations

import json
from threading import Barrier, Thread
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pksk.engine import Engine, Heat
from pksk.engine.row_layout import KeyAttribute, RowLayout, read_item_key, read_partition_key
from pksk.engine.state.tally import BATCH_CALLS
from pksk.values import to_wire
from tests.engine.operations.shop import Shop
from tests.engine.state.catalogues import defined, index, table


def _order(pk: str, sk: str, **texts: str) -> dict[str, Any]:
    return {name: {"S": text} for name, text in {"pk": pk, "sk": sk, **texts}.items()}


def test_hot_keys_are_readable_and_have_their_share() -> None:
    shop = Shop()
    for pk, sk, times in (("CUST#7", "A", 5), ("CUST#7", "B", 3), ("CUST#8", "A", 2)):
        for _ in range(times):
            shop.call("GetItem", TableName="orders", Key=_order(pk, sk))

    reads = shop.engine.heat().tables["orders"].reads
    assert [(each.key, each.units, each.share) for each in reads.keys] == [
        ({"pk": {"S": "CUST#7"}}, 4.0, 0.8),
        ({"pk": {"S": "CUST#8"}}, 1.0, 0.2),
    ]
    assert [(each.key["sk"]["S"], each.units) for each in reads.items] == [("A", 2.5), ("B", 1.5), ("A", 1.0)]
    assert (reads.calls, reads.top_share, reads.error) == (10, 0.8, 0.0)


def test_queries_count_for_their_partition_key_and_for_no_item() -> None:
    shop = Shop()
    shop.call("PutItem", TableName="orders", Item=_order("7", "A", gsiPk="g"))
    values = {":v": {"S": "7"}}
    shop.call("Query", TableName="orders", KeyConditionExpression="pk = :v", ExpressionAttributeValues=values)
    values = {":v": {"S": "g"}}
    shop.call(
        "Query",
        TableName="orders",
        IndexName="gsi-inc",
        KeyConditionExpression="gsiPk = :v",
        ExpressionAttributeValues=values,
    )

    heat = shop.engine.heat().tables["orders"]
    assert [each.key for each in heat.reads.keys] == [{"pk": {"S": "7"}}]
    assert heat.reads.items == ()
    assert [each.key for each in heat.indexes["gsi-inc"].reads.keys] == [{"gsiPk": {"S": "g"}}]


def test_scans_and_full_pages_are_counted() -> None:
    shop = Shop()
    for number in range(4):
        item = {**_order("7", str(number)), "text": {"S": "x" * 300_000}}
        shop.call("PutItem", TableName="orders", Item=item)
    query = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": {"S": "7"}}}
    shop.engine.heat(reset=True)
    shop.call("Query", TableName="orders", **query, Limit=2)
    shop.call(
        "Query",
        TableName="people",
        KeyConditionExpression="id = :v",
        ExpressionAttributeValues={":v": {"N": "1"}},
    )
    assert shop.engine.heat().tables["orders"].full_pages.calls == 0

    page = shop.call("Query", TableName="orders", **query, ReturnConsumedCapacity="TOTAL")
    scan = shop.call("Scan", TableName="orders", ReturnConsumedCapacity="TOTAL")

    heat = shop.engine.heat().tables["orders"]
    assert "LastEvaluatedKey" in page
    assert (heat.full_pages.calls, heat.full_pages.units) == (1, page["ConsumedCapacity"]["CapacityUnits"])
    assert [each.key for each in heat.full_pages.keys] == [{"pk": {"S": "7"}}]
    assert (heat.scans.calls, heat.scans.units) == (1, scan["ConsumedCapacity"]["CapacityUnits"])


def test_a_reset_starts_from_zero_and_loses_nothing() -> None:
    shop = Shop()
    for number in range(5):
        shop.call("PutItem", TableName="people", Item={"id": {"N": str(number)}})

    assert shop.engine.heat(reset=True).tables["people"].writes.units == 5.0
    assert shop.engine.heat().tables["people"].writes.units == 0.0
    assert shop.engine.heat().tables["people"].writes.keys == ()


def test_a_recreated_table_starts_from_zero() -> None:
    shop = Shop()
    shop.call("PutItem", TableName="people", Item={"id": {"N": "1"}})
    shop.call("DeleteTable", TableName="people")
    assert "people" not in shop.engine.heat().tables

    shop.call("CreateTable", **table("id", TableName="people", AttributeDefinitions=defined(id="N")))
    assert shop.engine.heat().tables["people"].writes.calls == 0


def test_a_hot_key_is_found_among_thousands_in_bounded_memory() -> None:
    engine = Engine.open()
    engine.call("CreateTable", table(TableName="orders"))
    for number in range(4 * BATCH_CALLS):
        chosen = "hot" if number % 20 == 0 else str(number)
        engine.call("GetItem", {"TableName": "orders", "Key": {"pk": {"S": chosen}}})

    reads = engine.heat().tables["orders"].reads
    assert reads.units == 2 * BATCH_CALLS
    assert reads.keys[0].key == {"pk": {"S": "hot"}}
    assert 0.05 - 0.001 <= reads.top_share <= 0.05 + 1e-9
    assert reads.error <= reads.units / 1000
    assert 1.0 <= reads.skew < 1.5
    assert len(engine._core.catalogue.table("orders").tally.reads.items.counted) <= 4000


def test_a_hot_key_makes_its_partition_hot() -> None:
    engine = Engine.open()
    engine.call("CreateTable", table(TableName="orders"))
    for _ in range(100):
        engine.call("PutItem", {"TableName": "orders", "Item": {"pk": {"S": "hot"}}})

    heat = engine.heat().tables["orders"]
    assert heat.writes.skew == 4.0
    assert sorted(part.write_units for part in heat.partitions) == [0.0, 0.0, 0.0, 100.0]


def test_heat_under_threads_loses_nothing() -> None:
    shop = Shop()
    threads, each = 4, 3000
    barrier = Barrier(threads + 1)

    def call(number: int) -> None:
        barrier.wait()
        for turn in range(each):
            shop.call("GetItem", TableName="people", Key={"id": {"N": str(turn % 7 + number)}})

    found: list[Heat] = []

    def watch() -> None:
        barrier.wait()
        found.extend(shop.engine.heat(reset=True) for _ in range(50))

    workers = [Thread(target=call, args=(number,)) for number in range(threads)] + [Thread(target=watch)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    found.append(shop.engine.heat())
    reads = [heat.tables["people"].reads for heat in found]
    assert sum(side.calls for side in reads) == threads * each
    assert sum(side.units for side in reads) == threads * each / 2
    assert sum(key.units for side in reads for key in side.keys) == threads * each / 2
    parts = [part for heat in found for part in heat.tables["people"].partitions]
    assert sum(part.read_units for part in parts) == threads * each / 2


def test_the_text_is_short_and_has_the_hot_keys() -> None:
    shop = Shop()
    for number in range(60):
        shop.call(
            "PutItem", TableName="orders", Item=_order("7" if number % 3 else "8", str(number), gsiPk="g")
        )
    shop.call("Scan", TableName="orders")

    assert (
        str(shop.engine.heat())
        == """\
orders
  read      2 units in 1 call
  write     60 units in 60 calls
    skew    the busiest of 4 partitions takes 2.7 times the mean
    keys    pk=7        40   66.7%
            pk=8        20   33.3%
    items   pk=7 sk=1          1    1.7%
            pk=7 sk=10         1    1.7%
            pk=7 sk=11         1    1.7%
            pk=7 sk=13         1    1.7%
            pk=7 sk=14         1    1.7%
  scans     2 units in 1 page

orders / gsi-inc
  write     60 units in 60 calls
    skew    the busiest of 4 partitions takes 4.0 times the mean
    keys    gsiPk=g        60  100.0%
    items   gsiPk=g pk=7 sk=1          1    1.7%
            gsiPk=g pk=7 sk=10         1    1.7%
            gsiPk=g pk=7 sk=11         1    1.7%
            gsiPk=g pk=7 sk=13         1    1.7%
            gsiPk=g pk=7 sk=14         1    1.7%"""
    )


def test_the_text_without_calls_and_with_long_or_unprintable_keys() -> None:
    shop = Shop()
    assert shop.engine.heat().text() == "no calls"

    shop.call("GetItem", TableName="orders", Key=_order("x" * 100, "\x07"))
    shop.call("GetItem", TableName="orders", Key=_order("\n", "y"))
    lines = shop.engine.heat().text(keys=3).splitlines()
    assert any("pk=xxxx" in line and "…" in line for line in lines)
    assert any("pk=\\n " in line for line in lines)
    assert all(line.isprintable() and len(line) < 90 for line in lines)


def test_heat_can_be_written_as_json() -> None:
    shop = Shop()
    shop.call("PutItem", TableName="orders", Item=_order("7", "1", gsiPk="g"))

    shown = json.loads(json.dumps(shop.engine.heat().to_dict()))
    assert shown["tables"]["orders"]["indexes"]["gsi-inc"]["writes"]["keys"] == [
        {"key": {"gsiPk": {"S": "g"}}, "units": 1.0, "share": 1.0}
    ]


VALUES = {
    "S": st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable() or "\0" in text),
    "N": st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9),
    "B": st.binary(min_size=1, max_size=8),
}
typed = st.sampled_from("SNB").flatmap(lambda kind: st.tuples(st.just(kind), VALUES[kind]))


@given(st.lists(typed, min_size=2, max_size=6), st.integers(1, 5))
def test_attributes_can_be_read_from_a_row_key(values: list[tuple[str, Any]], cut: int) -> None:
    cut = min(cut, len(values) - 1)
    attributes = tuple(KeyAttribute(f"k{position}", kind) for position, (kind, _) in enumerate(values))
    item = {f"k{position}": to_wire(value) for position, (_, value) in enumerate(values)}
    own = RowLayout(None, "table", 1, attributes[:1], attributes[1:])
    indexed = RowLayout("i", "gsi", 2, attributes[:cut], attributes[cut:], attributes[:1])

    assert read_item_key(own, own.key_of(item)) == item
    assert read_partition_key(own, own.key_of(item)) == {"k0": item["k0"]}
    base = RowLayout(None, "table", 1, attributes[:1], ())
    entry = indexed.key_of(item) + base.key_of(item)
    assert read_item_key(indexed, entry) == item
    assert read_partition_key(indexed, entry) == {name: item[name] for name in list(item)[:cut]}


def test_a_recreated_index_starts_from_zero() -> None:
    shop = Shop()
    shop.call("PutItem", TableName="orders", Item=_order("7", "1", gsiPk="g"))
    updates = [{"Delete": {"IndexName": "gsi-inc"}}]
    shop.call("UpdateTable", TableName="orders", GlobalSecondaryIndexUpdates=updates)
    shop.call(
        "UpdateTable",
        TableName="orders",
        AttributeDefinitions=defined("gsiPk"),
        GlobalSecondaryIndexUpdates=[{"Create": index("gsi-inc", "gsiPk")}],
    )

    assert shop.engine.heat().tables["orders"].indexes["gsi-inc"].writes.calls == 0
