"""Items stored under another key than their fields make, as programs write that build keys by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from pksk import Entity, ItemUnreadable, Key, N, Put, Shard, Store, Table, connect
from tests.store.doors import Door
from tests.store.shop import Animal, Dog, Order, Word, shop


class Decided(Entity, table=Table("decided")):
    c: str
    n: int
    primary = Key("P#{c}#{shard}", "Q#{n:03d}", shard=Shard(4, of="c"))


class Drawn(Entity, table=Table("drawn")):
    c: str
    n: int
    primary = Key("P#{c}#{shard}", "Q#{n:03d}", shard=Shard(4))


class Timed(Entity, table=Table("timed", sk=N("num"))):
    c: str
    at: int
    primary = Key("P#{c}", "{at}")


class Numbered(BaseModel):
    customer: str
    number: int


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
        lambda db, **unreadable: db.get(GET, **unreadable),
        lambda db, **unreadable: db.batch_get(GET, **unreadable),
        lambda db, **unreadable: db.transaction(GET, **unreadable),
        lambda db, **unreadable: db.first(Order.primary(customer="7"), **unreadable),
        lambda db, **unreadable: list(db.iter(Order.primary(customer="7"), **unreadable)),
        lambda db, **unreadable: list(db.scan(Order.scan(), **unreadable)),
    ],
    ids=["get", "batch_get", "transaction", "first", "iter", "scan"],
)
def test_an_item_with_a_wrong_key_raises_or_is_collected(db: Store, read: Callable[..., Any]) -> None:
    with pytest.raises(ItemUnreadable) as caught:
        read(db)
    unreadable: list[ItemUnreadable] = []
    found = read(db, unreadable=unreadable)

    problem = "customer, number: these fields make the key pk = 'CUST#8', sk = 'ORDER#000001'"
    assert problem in caught.value.problem
    assert caught.value.key == {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000104"}}
    assert [each.key for each in unreadable] == [caught.value.key]
    assert found in (None, [None], [], [PRECIOUS])


def test_both_attributes_of_a_key_are_checked(db: Store, door: Door) -> None:
    right = Word(language="en", word="cat")
    db.put(right)
    for name, text in (("word", "dog"), ("language", "de")):
        item = Put(right).item | {name: {"S": text}, "sk": {"S": "other" if name == "language" else "cat"}}
        door.call("PutItem", {"TableName": Word.__pksk__.table.name, "Item": item})
        unreadable: list[ItemUnreadable] = []

        assert all(each == right for each in db.iter(Word.primary(language="en"), unreadable=unreadable))
        assert len(unreadable) == 1
        db.batch_delete(*(Word.primary.delete(language="en", word=word) for word in ("cat", "other")))
        db.put(right)


def test_subclasses_are_checked_by_their_shared_key(db: Store, door: Door) -> None:
    db.put(Dog(owner="ann", name="rex"))
    item = Put(Dog(owner="ann", name="rex")).item | {"sk": {"S": "tom"}}
    door.call("PutItem", {"TableName": shop.name, "Item": item})

    assert db.get(Animal.primary.get(owner="ann", name="rex")) == Dog(owner="ann", name="rex")
    with pytest.raises(ItemUnreadable, match="these fields make the key pk = 'OWNER#ann', sk = 'rex'"):
        db.get(Animal.primary.get(owner="ann", name="tom"))


def test_smaller_models_with_the_fields_of_the_key_are_checked(db: Store) -> None:
    unreadable: list[ItemUnreadable] = []

    assert list(db.iter(Order.primary(customer="7").into(Numbered), unreadable=unreadable)) == []
    assert len(unreadable) == 1


@pytest.mark.one_door
@pytest.mark.parametrize(
    ("made", "other"),
    [
        (lambda: Decided(c="7", n=1), {"n": {"N": "2"}}),
        (lambda: Decided(c="7", n=1), {"c": {"S": "8"}}),
        (lambda: Drawn(c="7", n=1), {"n": {"N": "2"}}),
        (lambda: Timed(c="7", at=1), {"at": {"N": "2"}}),
    ],
    ids=["sort key", "what decides on the shard", "beside a shard that chance draws", "number"],
)
def test_keys_with_shards_and_numbers_are_checked_as_far_as_fields_determine_them(
    made: Callable[[], Entity], other: dict[str, Any]
) -> None:
    entity = made()
    table, item, scan = type(entity).__pksk__.table, Put(entity).item, type(entity).scan()
    with connect("memory:") as db:
        db.create_tables(table)
        db.client.call("PutItem", {"TableName": table.name, "Item": item})
        assert list(db.iter(scan)) == [entity]

        db.client.call("PutItem", {"TableName": table.name, "Item": item | other})
        with pytest.raises(ItemUnreadable, match="these fields make the key"):
            list(db.iter(scan))
