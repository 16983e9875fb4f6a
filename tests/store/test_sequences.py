"""Sequences: the next number, drawn by nobody else."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pksk import DesignError, PkskError, Store
from tests.store.doors import Door
from tests.store.shop import Order, invoice_numbers, line_numbers, order_numbers, shop
from tests.store.stored import stored


def test_numbers_begin_with_one_and_rise(db: Store) -> None:
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


def test_a_sequence_stands_in_a_partition_of_its_own(db: Store, door: Door) -> None:
    db.next(order_numbers, customer="7")

    assert stored(door, shop, "sequence::order::7", "sequence")["last"] == {"N": "1"}
    assert list(db.iter(Order.primary(customer="7"))) == []


def test_a_sequence_at_a_given_key(db: Store, door: Door) -> None:
    db.take(line_numbers, 3, year=2025)

    assert stored(door, shop, "COUNTERS", "LINES#2025")["n"] == {"N": "3"}


def test_a_counter_that_exists_already_goes_on(db: Store, door: Door) -> None:
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
def test_counts_that_cannot_be_are_refused(db: Store, count: Any) -> None:
    with pytest.raises(PkskError, match="are drawn at once"):
        db.take(order_numbers, count, customer="7")

    assert db.next(order_numbers, customer="7") == 1


@pytest.mark.one_door
@pytest.mark.parametrize("number", [-1, True, "5", None, 2.0])
def test_a_sequence_is_not_reconciled_with_what_is_no_number(db: Store, number: Any) -> None:
    with pytest.raises(PkskError, match="a number that was drawn is 0 or more"):
        db.reconcile(order_numbers, number, customer="7")


@pytest.mark.one_door
def test_parts_that_are_missing_or_unknown_are_refused(db: Store) -> None:
    with pytest.raises(PkskError, match="customer"):
        db.next(order_numbers)
    with pytest.raises(PkskError, match="custmer"):
        db.next(order_numbers, customer="7", custmer="8")


@pytest.mark.one_door
@pytest.mark.parametrize("given", [None, "order::{customer}", Order])
def test_what_is_no_sequence_is_refused(db: Store, given: Any) -> None:
    with pytest.raises(DesignError, match="it is given"):
        db.next(given, customer="7")


def test_a_number_that_is_drawn_makes_an_id(db: Store) -> None:
    order = db.create(Order(customer="7", number=db.next(order_numbers, customer="7"), day=date(2025, 3, 1)))

    assert order.number == 1
