"""Index keys of several attributes, each a field as it is."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pksk import Store, Table, between, gte
from tests.store.eventually import Eventually
from tests.store.library import Shelf, stock
from tests.store.test_pages import backwards, forwards

SHELVES = [
    Shelf(sku=f"s{n}", country="CA", city="Victoria" if n % 2 else "Nanaimo", count=n // 3) for n in range(12)
]
IN_VICTORIA = Shelf.by_place(country="CA", city="Victoria")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (stock,)


@pytest.fixture
def shelves(db: Store, eventually: Eventually) -> list[Shelf]:
    db.batch_put(*SHELVES)
    eventually(lambda: db.count(IN_VICTORIA), 6)
    return sorted(
        (each for each in SHELVES if each.city == "Victoria"), key=lambda each: (each.count, each.sku)
    )


def test_a_query_needs_all_attributes_of_the_partition_key(db: Store, shelves: list[Shelf]) -> None:
    assert list(db.iter(IN_VICTORIA)) == shelves
    assert list(db.iter(IN_VICTORIA.reverse())) == shelves[::-1]


def test_attributes_of_the_sort_key_from_left_to_right(db: Store, shelves: list[Shelf]) -> None:
    some = Shelf.by_place(country="CA", city="Victoria", count=between(1, 2))
    one = Shelf.by_place(country="CA", city="Victoria", count=1, sku=gte("s4"))

    assert list(db.iter(some)) == [each for each in shelves if 1 <= each.count <= 2]
    assert list(db.iter(one)) == [each for each in shelves if each.count == 1 and each.sku >= "s4"]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_pages_in_both_directions(db: Store, shelves: list[Shelf], limit: int) -> None:
    assert forwards(db, IN_VICTORIA.limit(limit)) == shelves
    assert backwards(db, IN_VICTORIA.limit(limit), db.page(IN_VICTORIA.limit(9)).cursor(-1)) == shelves[:-1]


def test_an_update_of_one_attribute_moves_the_item(
    db: Store, shelves: list[Shelf], eventually: Eventually
) -> None:
    db.update(Shelf.primary.update(country="CA", city="Victoria", sku=shelves[0].sku).set(count=99))

    eventually(lambda: [each.sku for each in db.iter(IN_VICTORIA)][-1], shelves[0].sku)
