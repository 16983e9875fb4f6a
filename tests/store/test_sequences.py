"""Sequences: each number is drawn by one caller only."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pksk import ItemUnreadable, PkskError, Store, Table, connect, sequence
from tests.store.doors import Door
from tests.store.shop import Order, invoice_numbers, line_numbers, order_numbers, shop
from tests.store.table_contents import stored


def test_numbers_begin_with_1_and_increase(db: Store) -> None:
    assert [db.next(order_numbers, customer="7") for _ in range(3)] == [1, 2, 3]


def test_each_set_of_parts_has_a_series_of_its_own(db: Store) -> None:
    db.take(order_numbers, 5, customer="7")

    assert db.next(order_numbers, customer="8") == 1
    assert db.next(order_numbers, customer="7") == 6
    assert db.next(invoice_numbers) == 1


def test_a_block_is_a_range_of_numbers(db: Store) -> None:
    assert db.take(order_numbers, 10, customer="7") == range(1, 11)
    assert db.take(order_numbers, 1, customer="7") == range(11, 12)
    assert db.take(order_numbers, 10_000, customer="7") == range(12, 10_012)


def test_a_sequence_has_a_partition_of_its_own(db: Store, door: Door) -> None:
    db.next(order_numbers, customer="7")

    assert stored(door, shop, "sequence::order::7", "sequence")["last"] == {"N": "1"}
    assert list(db.iter(Order.primary(customer="7"))) == []


def test_a_sequence_with_its_own_key_template(db: Store, door: Door) -> None:
    db.take(line_numbers, 3, year=2025)

    assert stored(door, shop, "COUNTERS", "LINES#2025")["n"] == {"N": "3"}


def test_a_sequence_continues_an_existing_counter(db: Store, door: Door) -> None:
    key = {"pk": {"S": "COUNTERS"}, "sk": {"S": "LINES#2024"}}
    door.call("PutItem", {"TableName": shop.name, "Item": {**key, "n": {"N": "41"}, "old": {"S": "kept"}}})

    assert db.next(line_numbers, year=2024) == 42
    assert stored(door, shop, "COUNTERS", "LINES#2024")["old"] == {"S": "kept"}


def test_reconcile_moves_forward_and_never_back(db: Store) -> None:
    assert db.reconcile(order_numbers, 100, customer="7") == 100
    assert db.next(order_numbers, customer="7") == 101
    assert db.reconcile(order_numbers, 50, customer="7") == 101
    assert db.next(order_numbers, customer="7") == 102
    assert db.reconcile(order_numbers, 102, customer="7") == 102
    assert db.reconcile(order_numbers, 0, customer="8") == 0
    assert db.next(order_numbers, customer="8") == 1


@pytest.mark.one_door
@pytest.mark.parametrize("count", [0, -1, 10_001, True, "5", 1.5, None])
def test_an_invalid_count_raises(db: Store, count: Any) -> None:
    with pytest.raises(PkskError, match="one call takes 1 to 10,000 numbers"):
        db.take(order_numbers, count, customer="7")

    assert db.next(order_numbers, customer="7") == 1


@pytest.mark.one_door
@pytest.mark.parametrize("number", [-1, True, "5", None, 2.0, 10**37, 10**38, 10**400])
def test_a_sequence_cannot_be_reconciled_with_a_value_that_is_not_a_number(db: Store, number: Any) -> None:
    with pytest.raises(PkskError, match="the number must be 0 or more"):
        db.reconcile(order_numbers, number, customer="7")

    assert db.next(order_numbers, customer="7") == 1


def test_a_sequence_continues_above_the_number_that_it_is_reconciled_with(db: Store) -> None:
    assert db.reconcile(order_numbers, 10**37 - 1, customer="7") == 10**37 - 1
    assert db.take(order_numbers, 10_000, customer="7") == range(10**37, 10**37 + 10_000)


def put_counter(door: Door, held: Any) -> Any:
    """Put a counter that another program has written; returns its key."""
    key = {"pk": {"S": "COUNTERS"}, "sk": {"S": "LINES#2024"}}
    door.call("PutItem", {"TableName": shop.name, "Item": {**key, "n": held}})
    return key


@pytest.mark.parametrize(
    ("held", "shown"),
    [
        ({"S": "41"}, "holds '41': it is not a number"),
        ({"L": []}, r"holds \[\]: it is not a number"),
        ({"NULL": True}, "holds NULL: it is not a number"),
        ({"N": "9" * 38}, "the largest number of a sequence is 9,999"),
    ],
)
def test_a_counter_at_the_largest_number_raises(db: Store, door: Door, held: Any, shown: str) -> None:
    key = put_counter(door, held)
    with pytest.raises(ItemUnreadable, match=shown) as caught:
        db.take(line_numbers, 10_000, year=2024)

    assert caught.value.code == "sequence-counter"
    assert caught.value.key == key
    assert "pk = 'COUNTERS', sk = 'LINES#2024'" in caught.value.problem
    assert stored(door, shop, "COUNTERS", "LINES#2024")["n"] == held


def test_reconcile_raises_for_a_counter_that_is_text(db: Store, door: Door) -> None:
    put_counter(door, {"S": "41"})
    with pytest.raises(ItemUnreadable, match="holds '41': it is not a number"):
        db.reconcile(line_numbers, 5, year=2024)

    assert stored(door, shop, "COUNTERS", "LINES#2024")["n"] == {"S": "41"}


def test_a_counter_with_a_fraction_raises_until_it_is_corrected(db: Store, door: Door) -> None:
    put_counter(door, {"N": "1.5"})
    with pytest.raises(ItemUnreadable, match=r"holds 2\.5: it is not a whole number"):
        db.next(line_numbers, year=2024)

    assert db.reconcile(line_numbers, 3, year=2024) == 3
    assert db.next(line_numbers, year=2024) == 4


def test_a_sequence_in_a_table_without_a_sort_key() -> None:
    table = Table("counters", pk="id", sk=None)
    orders, invoices = sequence("orders", table=table), sequence("invoices", table=table, key=("INVOICES",))
    with connect("memory:") as db:
        db.create_tables(table)

        assert [db.next(orders), db.next(orders), db.next(invoices)] == [1, 2, 1]
        assert orders.peek().request["Key"] == {"id": {"S": "sequence#orders"}}


@pytest.mark.one_door
def test_missing_and_unknown_parts_of_a_sequence_raise(db: Store) -> None:
    with pytest.raises(PkskError, match="customer"):
        db.next(order_numbers)
    with pytest.raises(PkskError, match="custmer"):
        db.next(order_numbers, customer="7", custmer="8")


def test_the_next_number_of_a_sequence_can_be_an_id(db: Store) -> None:
    order = db.create(Order(customer="7", number=db.next(order_numbers, customer="7"), day=date(2025, 3, 1)))

    assert order.number == 1
