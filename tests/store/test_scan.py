"""Scans: explicit, in segments side by side, with progress."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from pksk import DesignError, F, InvalidValue, PkskError, Store
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Animal, Dog, Flag, Line, Order, Reading, Word

FIRST = date(2025, 3, 1)
ORDERS = [Order(customer=str(n % 7), number=n, day=FIRST, total=n) for n in range(60)]


@pytest.fixture
def full(db: Store) -> Store:
    db.batch_put(*ORDERS, *(Line(customer="1", number=n, line=1) for n in range(5)))
    return db


def ordered(found: Any) -> list[Order]:
    return sorted(found, key=lambda order: order.number)


@pytest.mark.parametrize("segments", [1, 2, 7, 20])
def test_a_scan_finds_each_item_once(full: Store, segments: int) -> None:
    assert ordered(full.scan(Order.scan(), segments=segments)) == ORDERS


def test_a_scan_by_small_pages(full: Store) -> None:
    assert ordered(full.scan(Order.scan().pages(4), segments=3)) == ORDERS
    assert ordered(full.iter(Order.scan().pages(7))) == ORDERS
    assert ordered(full.run(Order.scan())) == ORDERS
    assert full.count(Order.scan()) == 60
    assert full.count(Order.scan().filter(F.total >= 50)) == 10


def test_a_scan_with_a_filter(full: Store) -> None:
    assert ordered(full.scan(Order.scan().filter(F.total >= 50), segments=4)) == ORDERS[50:]


def test_progress_is_reported_and_ends_with_all_segments(full: Store) -> None:
    figures_seen: list[tuple[int, int, int, int]] = []
    found = list(
        full.scan(Order.scan().pages(5), segments=4, progress=lambda *figures: figures_seen.append(figures))
    )

    assert len(found) == 60
    assert figures_seen[-1] == (65, 60, 4, 4)
    assert figures_seen == sorted(figures_seen)
    assert len(figures_seen) > 3


def test_a_scan_reads_only_as_many_pages_as_the_caller_takes(full: Store, door: Door) -> None:
    sent: list[str] = []
    watched = door.open(hooks=[lambda sending: sent.append(sending.operation)])
    next(watched.scan(Order.scan().pages(5)))

    assert sent[0] == "Scan"
    assert len(sent) <= 3


def test_a_scan_of_an_index(full: Store, eventually: Eventually) -> None:
    full.put(ORDERS[3].model_copy(update={"level": 9}))
    eventually(lambda: [each.number for each in full.scan(Order.late.scan())], [3])


def test_a_scan_of_a_base_class_returns_its_subclasses(db: Store) -> None:
    made = [Animal(owner="ann", name="a"), Dog(owner="ann", name="b")]
    db.batch_put(*made)

    assert sorted(db.scan(Animal.scan()), key=lambda each: each.name) == made
    assert list(db.scan(Dog.scan())) == made[1:]


def test_scans_of_tables_of_other_shapes(db: Store) -> None:
    db.put(Flag(name="a"))
    db.put(Flag(name="b"))
    db.batch_put(*(Reading(sensor=n, moment=b"1") for n in range(3)))
    db.batch_put(Word(language="de", word="Haus"))

    assert sorted(each.name for each in db.scan(Flag.scan(), segments=2)) == ["a", "b"]
    assert sorted(each.sensor for each in db.scan(Reading.scan(), segments=2)) == [0, 1, 2]
    assert list(db.scan(Word.scan())) == [Word(language="de", word="Haus")]


def test_a_scan_can_be_paged_forwards(full: Store) -> None:
    scan: Any = Order.scan().pages(9)
    found: list[Order] = []
    page = full.page(scan)
    while True:
        found += page.items
        if page.next is None:
            break
        page = full.page(scan, after=page.next)

    assert ordered(found) == ORDERS


def test_a_scan_has_no_way_back(full: Store) -> None:
    scan: Any = Order.scan().pages(9)
    page = full.page(scan)
    with pytest.raises(DesignError, match="DynamoDB scans a table in one direction only"):
        full.page(scan, before=page.cursor(3))


@pytest.mark.one_door
@pytest.mark.parametrize("segments", [0, -1, 1_000_001, "4", None])
def test_an_invalid_number_of_segments_raises(db: Store, segments: Any) -> None:
    with pytest.raises(PkskError, match="segments"):
        next(db.scan(Order.scan(), segments=segments))


@pytest.mark.one_door
def test_only_a_scan_scans(db: Store) -> None:
    with pytest.raises(DesignError, match="scan: its argument is a Query"):
        next(db.scan(Order.primary(customer="7")))  # type: ignore[arg-type]


@pytest.mark.one_door
def test_progress_that_is_not_callable_raises_before_the_first_read(full: Store) -> None:
    with pytest.raises(InvalidValue, match="scan: progress=5 is not a function") as caught:
        next(full.scan(Order.scan(), progress=5))  # type: ignore[arg-type]

    assert caught.value.code == "store-progress"
