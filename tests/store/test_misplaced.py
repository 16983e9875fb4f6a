"""Items whose fields make another key than the one that they stand under, as programs write that build keys by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from pksk import ItemUnreadable, Put, Store
from tests.store.doors import Door
from tests.store.shop import Animal, Dog, Order, Word, shop

PRECIOUS = Order(customer="8", number=1, day=date(2025, 3, 1), note="precious")
GET = Order.primary.get(customer="7", number=104)


@pytest.fixture(autouse=True)
def misplaced(db: Store, door: Door) -> None:
    """The order of one customer under the key of another."""
    key = {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000104"}}
    door.call("PutItem", {"TableName": shop.name, "Item": Put(PRECIOUS).item | key})
    db.put(PRECIOUS)


@pytest.mark.parametrize(
    "read",
    [
        lambda db, **aside: db.get(GET, **aside),
        lambda db, **aside: db.batch_get(GET, **aside),
        lambda db, **aside: db.transaction(GET, **aside),
        lambda db, **aside: db.first(Order.primary(customer="7"), **aside),
        lambda db, **aside: list(db.iter(Order.primary(customer="7"), **aside)),
        lambda db, **aside: list(db.scan(Order.scan(), **aside)),
    ],
    ids=["get", "batch_get", "transaction", "first", "iter", "scan"],
)
def test_such_an_item_is_told_or_put_aside_and_never_taken_for_another(
    db: Store, read: Callable[..., Any]
) -> None:
    with pytest.raises(ItemUnreadable) as caught:
        read(db)
    aside: list[ItemUnreadable] = []
    found = read(db, aside=aside)

    told = "customer, number: these fields make the key pk = 'CUST#8', sk = 'ORDER#000001'"
    assert told in caught.value.problem
    assert caught.value.key == {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000104"}}
    assert [each.key for each in aside] == [caught.value.key]
    assert found in (None, [None], [], [PRECIOUS])


def test_both_attributes_of_a_key_are_looked_at(db: Store, door: Door) -> None:
    right = Word(language="en", word="cat")
    db.put(right)
    for name, text in (("word", "dog"), ("language", "de")):
        item = Put(right).item | {name: {"S": text}, "sk": {"S": "other" if name == "language" else "cat"}}
        door.call("PutItem", {"TableName": Word.__pksk__.table.name, "Item": item})
        aside: list[ItemUnreadable] = []

        assert all(each == right for each in db.iter(Word.primary(language="en"), aside=aside))
        assert len(aside) == 1
        db.batch_delete(*(Word.primary.delete(language="en", word=word) for word in ("cat", "other")))
        db.put(right)


def test_subclasses_are_looked_at_by_the_key_that_they_share(db: Store, door: Door) -> None:
    db.put(Dog(owner="ann", name="rex"))
    item = Put(Dog(owner="ann", name="rex")).item | {"sk": {"S": "tom"}}
    door.call("PutItem", {"TableName": shop.name, "Item": item})

    assert db.get(Animal.primary.get(owner="ann", name="rex")) == Dog(owner="ann", name="rex")
    with pytest.raises(ItemUnreadable, match="these fields make the key pk = 'OWNER#ann', sk = 'rex'"):
        db.get(Animal.primary.get(owner="ann", name="tom"))
