"""TransactWriteItems: results, costs and tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine, Partitioning

from .shop import ORDERS_ARN, Item, Shop, check, delete, order, person, put, update


def _number(value: int | str) -> Item:
    return {"N": str(value)}


# Behaviour.


def test_all_kinds_of_actions_in_several_tables() -> None:
    shop = Shop()
    shop.put(order("a"), order("b", note="x"), order("c"))

    answer = shop.transact(
        delete(order("a")),
        update(
            "SET n = :n REMOVE note", order("b"), ConditionExpression="attribute_exists(note)", n=_number(1)
        ),
        check("attribute_exists(pk)", order("c")),
        put(person(1), "people", ConditionExpression="attribute_not_exists(id)"),
        put(order("d"), ORDERS_ARN),
    )

    assert answer == {}
    assert shop.orders() == [{**order("b"), "n": _number(1)}, order("c"), order("d")]
    assert shop.people() == [person(1)]


def test_a_transaction_can_have_100_actions() -> None:
    shop = Shop()

    shop.transact(*(put(person(number), "people") for number in range(100)))

    assert len(shop.people()) == 100


def test_an_update_creates_a_missing_item_unless_it_only_removes() -> None:
    shop = Shop()

    shop.transact(update("ADD n :n", order("a"), n=_number(5)), update("REMOVE n", order("b")))

    assert shop.orders() == [{**order("a"), "n": _number(5)}]


def test_indexes_are_updated() -> None:
    shop = Shop()
    shop.put(order("a", gsiPk="g"), order("b", gsiPk="g"))

    shop.transact(update("SET gsiPk = :h", order("a"), h={"S": "h"}), delete(order("b")))

    assert shop.call("Scan", TableName="orders", IndexName="gsi-inc")["Items"] == [order("a", gsiPk="h")]


def test_a_cancelled_transaction_leaves_no_trace_in_indexes_or_collections() -> None:
    shop = Shop(Engine.open(partitioning=Partitioning(collection_bytes=1000)))
    shop.put(order("a", "0", gsiPk="g", lsiSk="l"))

    # The third makes the collection too large, when the first two are stored already.
    codes = shop.codes(
        delete(order("a", "0")), put(order("a", "1", gsiPk="h")), put(order("a", "2", size=1001))
    )

    assert codes == ["None", "None", "ItemCollectionSizeLimitExceeded"]
    assert shop.call("Scan", TableName="orders", IndexName="gsi-inc")["Items"] == [order("a", "0", gsiPk="g")]
    assert shop.call("Scan", TableName="orders", IndexName="lsi-all")["Count"] == 1
    shop.put(order("a", "3", size=900))


# Item collections.


def test_collection_metrics_are_returned_for_tables_with_local_indexes() -> None:
    shop = Shop()
    shop.put(order("c"))

    answer = shop.transact(
        put(order("a")),
        put(person(1), "people"),
        delete(order("b"), ORDERS_ARN),
        check("attribute_exists(pk)", order("c")),
        ReturnItemCollectionMetrics="SIZE",
    )

    assert answer["ItemCollectionMetrics"] == {
        "orders": [{"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]}],
        ORDERS_ARN: [{"ItemCollectionKey": {"pk": {"S": "b"}}, "SizeEstimateRangeGB": [0.0, 1.0]}],
    }


def test_collection_metrics_are_returned_only_on_request() -> None:
    assert Shop().transact(put(), ReturnItemCollectionMetrics="NONE") == {}


# Capacity.


def _units(shop: Shop, *actions: Item, **members: Any) -> Item:
    """The ConsumedCapacity of a transaction in one table."""
    (capacity,) = shop.transact(*actions, ReturnConsumedCapacity="INDEXES", **members)["ConsumedCapacity"]
    assert capacity.pop("TableName") == "orders"
    return dict(capacity)


def _written(units: float) -> Item:
    return {"CapacityUnits": units, "WriteCapacityUnits": units}


_LARGE = order(gsiPk="g", proj="x" * 3000)
_MEDIUM = order(gsiPk="g", proj="x" * 1500)
_BOTH = order(gsiPk="g", lsiSk="l")


@pytest.mark.parametrize(
    ("before", "action", "total", "table", "gsi", "lsi"),
    [
        (None, put(order(gsiPk="g")), 3, 2, 1, 0),
        (None, put(_BOTH), 4, 2, 1, 1),
        (_BOTH, put(_BOTH), 2, 2, 0, 0),
        (_BOTH, update("SET extra = :x", x={"S": "x"}), 3, 2, 0, 1),
        (_BOTH, update("SET gsiPk = :x", x={"S": "x"}), 5, 2, 2, 1),
        (_BOTH, delete(), 4, 2, 1, 1),
        (_BOTH, check("attribute_exists(pk)"), 2, 2, 0, 0),
        (_LARGE, delete(), 9, 6, 3, 0),
        (order(size=3000), put(), 6, 6, 0, 0),
        (_MEDIUM, update("SET gsiPk = :x", x={"S": "h"}), 8, 4, 4, 0),
        (None, delete(), 2, 2, 0, 0),
        (order(size=9000), delete(), 18, 18, 0, 0),
        (order(size=3000), check("attribute_exists(pk)"), 6, 6, 0, 0),
        (None, check("attribute_not_exists(pk)"), 2, 2, 0, 0),
        (None, put(order(), ConditionExpression="attribute_not_exists(pk)"), 2, 2, 0, 0),
    ],
)
def test_the_units_of_the_table_are_doubled_and_those_of_indexes_are_not(
    before: Item | None, action: Item, total: float, table: float, gsi: float, lsi: float
) -> None:
    shop = Shop()
    if before is not None:
        shop.put(before)
    expected: Item = {**_written(total), "Table": _written(table)}
    if gsi:
        expected["GlobalSecondaryIndexes"] = {"gsi-inc": _written(gsi)}
    if lsi:
        expected["LocalSecondaryIndexes"] = {"lsi-all": _written(lsi)}

    assert _units(shop, action) == expected


def test_capacity_is_listed_by_table_in_the_order_of_the_request() -> None:
    answer = Shop().transact(
        put(person(1), "people"),
        put(order("a", gsiPk="g")),
        put(person(2), "people"),
        put(order("b"), ORDERS_ARN),
        ReturnConsumedCapacity="TOTAL",
    )

    assert answer["ConsumedCapacity"] == [
        {"TableName": "people", **_written(4.0)},
        {"TableName": "orders", **_written(3.0)},
        {"TableName": ORDERS_ARN, **_written(2.0)},
    ]


def test_capacity_is_returned_only_on_request() -> None:
    assert Shop().transact(put(), ReturnConsumedCapacity="NONE") == {}


def test_a_cancelled_transaction_returns_no_capacity() -> None:
    error = Shop().error(
        "TransactWriteItems", TransactItems=[check("attribute_exists(pk)")], ReturnConsumedCapacity="TOTAL"
    )

    assert list(error.fields) == ["CancellationReasons"]


# Tokens: a transaction that is sent again is answered, and not done again.


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def _counted(shop: Shop) -> list[str]:
    return [item["n"]["N"] for item in shop.orders()]


def _read(units: float) -> Item:
    return {"CapacityUnits": units, "ReadCapacityUnits": units}


_COUNT = update("ADD n :n", n=_number(1))


def test_a_transaction_with_a_token_is_carried_out_once() -> None:
    shop = Shop()

    assert [shop.transact(_COUNT, ClientRequestToken="t") for _ in range(3)] == [{}] * 3
    assert _counted(shop) == ["1"]


def test_without_a_token_or_with_another_a_transaction_is_repeated() -> None:
    shop = Shop()

    shop.transact(_COUNT)
    shop.transact(_COUNT)
    shop.transact(_COUNT, ClientRequestToken="t")
    shop.transact(_COUNT, ClientRequestToken="u")

    assert _counted(shop) == ["4"]


def test_a_repeated_transaction_succeeds_even_if_it_would_fail_now() -> None:
    shop = Shop()
    once = put(ConditionExpression="attribute_not_exists(pk)")
    shop.transact(once, ClientRequestToken="t")

    assert shop.transact(once, ClientRequestToken="t") == {}
    assert shop.codes(once, ClientRequestToken="u") == ["ConditionalCheckFailed"]


def test_a_cancelled_transaction_can_be_sent_again_with_its_token() -> None:
    shop = Shop()
    guarded = update("ADD n :n", ConditionExpression="attribute_exists(pk)", n=_number(1))
    assert shop.codes(guarded, ClientRequestToken="t") == ["ConditionalCheckFailed"]
    shop.put(order())

    shop.transact(guarded, ClientRequestToken="t")

    assert _counted(shop) == ["1"]


@pytest.mark.parametrize(
    "other",
    [
        [update("ADD n :n", n=_number(2))],
        [_COUNT, put(order("b"))],
        [put(order("b")), _COUNT],
        [update("ADD n :n", table=ORDERS_ARN, n=_number(1))],
        [update("ADD n :n", ReturnValuesOnConditionCheckFailure="ALL_OLD", n=_number(1))],
    ],
)
def test_another_transaction_with_the_same_token_is_rejected(other: list[Item]) -> None:
    shop = Shop()
    shop.transact(_COUNT, ClientRequestToken="t")

    error = shop.error("TransactWriteItems", TransactItems=other, ClientRequestToken="t")

    assert (error.code, error.message) == (
        "IdempotentParameterMismatchException",
        "DynamoDB rejected the request because you retried a request with a different payload but with an "
        "idempotent token that was already used.",
    )
    assert _counted(shop) == ["1"]


def test_a_transaction_is_the_same_whatever_the_order_of_members_and_the_requested_metrics() -> None:
    shop = Shop()
    shop.transact(_COUNT, ClientRequestToken="t")
    turned = {"Update": dict(reversed(_COUNT["Update"].items()))}

    answer = shop.transact(
        turned, ClientRequestToken="t", ReturnConsumedCapacity="TOTAL", ReturnItemCollectionMetrics="SIZE"
    )

    assert answer == {"ConsumedCapacity": [{"TableName": "orders", **_read(2.0)}]}
    assert _counted(shop) == ["1"]


def test_a_token_is_valid_for_ten_minutes() -> None:
    clock = Clock()
    shop = Shop(Engine.open(clock=clock))
    shop.transact(_COUNT, ClientRequestToken="t")

    clock.now += 599.999
    shop.transact(_COUNT, ClientRequestToken="t")
    assert _counted(shop) == ["1"]

    clock.now += 0.001
    shop.transact(_COUNT, ClientRequestToken="t")
    assert _counted(shop) == ["2"]


def test_after_ten_minutes_a_token_can_be_used_again() -> None:
    clock = Clock()
    shop = Shop(Engine.open(clock=clock))
    shop.transact(put(order("b")), ClientRequestToken="t")
    clock.now += 600
    shop.transact(_COUNT, ClientRequestToken="t")

    # What forgets the first use of the token must not forget the second.
    for number in range(3):
        clock.now += 1
        shop.transact(put(person(number), "people"), ClientRequestToken=f"u{number}")
    clock.now += 590
    shop.transact(_COUNT, ClientRequestToken="t")

    assert shop.call("GetItem", TableName="orders", Key=order())["Item"]["n"] == _number(1)


def test_a_recreated_table_does_not_know_earlier_tokens() -> None:
    shop = Shop()
    shop.transact(_COUNT, ClientRequestToken="t")
    for name in ("orders", "people"):
        shop.call("DeleteTable", TableName=name)
    again = Shop(shop.engine)

    again.transact(_COUNT, ClientRequestToken="t")

    assert _counted(again) == ["1"]


def test_old_tokens_are_removed() -> None:
    clock = Clock()
    shop = Shop(Engine.open(clock=clock))
    tokens = int(shop.engine._core.storage.notes("tokens")["tokens"])

    for number in range(200):
        shop.transact(_COUNT, ClientRequestToken=f"t{number}")
        clock.now += 30
    with shop.engine._core.storage.reading() as reader:
        kept, _ = reader.totals(tokens)

    # Twenty transactions fit into ten minutes, and each has two rows.
    assert 40 <= kept <= 44


def test_tokens_are_stored_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with Engine.open(path, durable=False) as engine:
        Shop(engine).transact(_COUNT, ClientRequestToken="t")

    with Engine.open(path, durable=False) as engine:
        again = {"TransactItems": [_COUNT], "ClientRequestToken": "t", "ReturnConsumedCapacity": "TOTAL"}
        answer = engine.call("TransactWriteItems", again)
        found = engine.call("GetItem", {"TableName": "orders", "Key": order()})
        with pytest.raises(ServiceError, match="IdempotentParameterMismatchException"):
            engine.call("TransactWriteItems", {"TransactItems": [put()], "ClientRequestToken": "t"})

    assert answer == {"ConsumedCapacity": [{"TableName": "orders", **_read(2.0)}]}
    assert found["Item"]["n"] == _number(1)


@pytest.mark.parametrize(
    ("before", "action", "first", "second"),
    [
        (None, put(order(size=1536)), 4.0, 2.0),
        (order(size=9000), delete(), 18.0, 6.0),
        (order(size=5000), put(), 10.0, 4.0),
        (order(size=5000), check("attribute_exists(pk)"), 10.0, 4.0),
        (None, delete(), 2.0, 2.0),
        (_BOTH, update("SET gsiPk = :x", x={"S": "x"}), 5.0, 2.0),
    ],
)
def test_a_repeated_transaction_costs_a_read_of_its_items(
    before: Item | None, action: Item, first: float, second: float
) -> None:
    shop = Shop()
    if before is not None:
        shop.put(before)

    assert _units(shop, action, ClientRequestToken="t")["CapacityUnits"] == first
    assert _units(shop, action, ClientRequestToken="t") == {**_read(second), "Table": _read(second)}
    shop.put(order(size=100_000))
    assert _units(shop, action, ClientRequestToken="t")["CapacityUnits"] == second


def test_a_repeated_transaction_returns_units_by_table() -> None:
    shop = Shop()
    actions = [put(order("a")), put(person(1), "people"), put(order("b", size=5000))]
    shop.transact(*actions, ClientRequestToken="t")

    answer = shop.transact(*actions, ClientRequestToken="t", ReturnConsumedCapacity="TOTAL")

    assert answer["ConsumedCapacity"] == [
        {"TableName": "orders", **_read(6.0)},
        {"TableName": "people", **_read(2.0)},
    ]
