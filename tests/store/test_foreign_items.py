"""An item whose discriminator contradicts its key: every read raises the same error, and writes lose nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from pksk import Engine, F, ItemUnreadable, Put, Store, TransactionFailed, connect
from tests.store.doors import Door
from tests.store.shop import Animal, Customer, Dog, Line, Order, Session, Word, shop, words

FIRST = Order(customer="7", number=1, day=date(2025, 3, 1), agent="eve")
FOREIGN = Order(customer="7", number=2, day=date(2025, 3, 2), agent="eve")
LAST = Order(customer="7", number=3, day=date(2025, 3, 3), agent="eve")
GET = Order.primary.get(customer="7", number=2)
KEY = {"pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000002"}}


class Day(BaseModel):
    day: date


def put_as(door: Door, entity: Any, says: dict[str, str] | None) -> None:
    """Store an item past the store, with another discriminator or none."""
    item = Put(entity).item
    del item["type"]
    door.call("PutItem", {"TableName": shop.name, "Item": item | ({"type": says} if says else {})})


@pytest.fixture(params=["Customer", "Gone"], ids=["another-entity", "no-entity"])
def foreign(request: pytest.FixtureRequest, db: Store, door: Door) -> str:
    """Three orders and a line of one; one order has the discriminator of another entity."""
    db.batch_put(FIRST, LAST, Line(customer="7", number=1, line=1))
    put_as(door, FOREIGN, {"S": request.param})
    door.settle(shop)
    return str(request.param)


def reads_of(db: Store, unreadable: list[ItemUnreadable] | None = None) -> dict[str, Callable[[], Any]]:
    """Every read that meets the foreign item."""
    some, not_last, neighbour = (
        Order.primary(customer="7"),
        F.day < date(2025, 3, 3),
        Order.primary.get(customer="7", number=1),
    )
    return {
        "get": lambda: [db.get(GET, unreadable=unreadable)],
        "run get": lambda: [db.run(GET, unreadable=unreadable)],
        "batch_get": lambda: db.batch_get(neighbour, GET, unreadable=unreadable),
        "transaction": lambda: db.transaction(neighbour, GET, unreadable=unreadable),
        "iter": lambda: list(db.iter(some, unreadable=unreadable)),
        "iter of one": lambda: list(db.iter(Order.primary(customer="7", number=2), unreadable=unreadable)),
        "iter of an index": lambda: list(db.iter(Order.by_status(status="open"), unreadable=unreadable)),
        "iter, hydrated": lambda: list(db.iter(Order.by_agent(agent="eve").hydrate(), unreadable=unreadable)),
        "iter, local": lambda: list(db.iter(Order.by_total(customer="7"), unreadable=unreadable)),
        "iter, smaller": lambda: list(db.iter(some.into(Day), unreadable=unreadable)),
        "page": lambda: list(db.page(some.limit(9), unreadable=unreadable)),
        "first": lambda: [db.first(some.reverse().filter(not_last), unreadable=unreadable)],
        "collect": lambda: db.collect(Customer.primary(customer="7"), some, unreadable=unreadable),
        "run query": lambda: db.run(some, unreadable=unreadable),
    }


def test_every_read_raises_with_the_discriminator_and_the_expected_one(db: Store, foreign: str) -> None:
    for name, read in reads_of(db).items():
        with pytest.raises(ItemUnreadable) as caught:
            read()

        error = caught.value
        assert (name, error.key) == (name, KEY)
        assert f"the item has '{foreign}', expected is " in error.fields["type"], name
        assert "'Order'" in error.fields["type"], name
        assert error.code == "item-unreadable", name


def test_every_read_collects_a_foreign_item_in_unreadable(db: Store, foreign: str) -> None:
    unreadable: list[ItemUnreadable] = []
    for name, read in reads_of(db, unreadable).items():
        unreadable.clear()
        found = [each for each in read() if each is not None]

        assert [error.key for error in unreadable] == [KEY], name
        assert all(getattr(each, "day", None) != FOREIGN.day for each in found), name


def test_a_scan_raises_for_an_item_of_no_entity(db: Store, door: Door) -> None:
    db.batch_put(FIRST, LAST)
    put_as(door, FOREIGN, {"S": "Gone"})
    unreadable: list[ItemUnreadable] = []
    with pytest.raises(ItemUnreadable, match="the item has 'Gone', expected is 'Order'"):
        list(db.scan(Order.scan()))

    assert sorted(order.number for order in db.scan(Order.scan(), unreadable=unreadable)) == [1, 3]
    assert [error.key for error in unreadable] == [KEY]
    with pytest.raises(ItemUnreadable, match="the item has 'Gone'"):
        db.count(Order.scan())


def test_a_scan_skips_items_of_other_entities(db: Store, door: Door) -> None:
    """That one's scan meets it."""
    db.put(FIRST)
    put_as(door, FOREIGN, {"S": "Customer"})

    assert list(db.scan(Order.scan())) == [FIRST]
    with pytest.raises(ItemUnreadable):
        list(db.scan(Customer.scan()))


def test_an_item_whose_discriminator_is_not_text_is_foreign_too(db: Store, door: Door) -> None:
    put_as(door, FOREIGN, {"N": "5"})
    with pytest.raises(ItemUnreadable, match="the item has"):
        db.get(GET)
    with pytest.raises(ItemUnreadable, match="the item has"):
        list(db.scan(Order.scan()))


def test_an_item_without_a_discriminator_is_recognised_by_its_key(db: Store, door: Door) -> None:
    line = Line(customer="7", number=1, line=1)
    db.put(FIRST)
    for each in (FOREIGN, line):
        put_as(door, each, None)
    door.settle(shop)

    assert db.get(GET) == FOREIGN
    assert list(db.iter(Order.primary(customer="7"))) == [FIRST, FOREIGN]
    assert db.count(Order.primary(customer="7")) == 2
    assert list(db.iter(Order.by_agent(agent="eve").hydrate())) == [FIRST, FOREIGN]
    assert sorted(order.number for order in db.scan(Order.scan())) == [1, 2]
    assert db.count(Order.scan()) == 2
    assert list(db.scan(Line.scan())) == [line]


def test_foreign_and_unknown_items_are_skipped_in_shared_ranges(db: Store, door: Door) -> None:
    db.put(FIRST)
    db.create(Session(token="t", user="u", code="unique"))
    for says in ({"S": "Gone"}, None):
        item = {"pk": {"S": "CUST#7"}, "sk": {"S": f"ORDER#x#{says}"}} | ({"type": says} if says else {})
        door.call("PutItem", {"TableName": shop.name, "Item": item})

    assert list(db.iter(Order.primary(customer="7"))) == [FIRST]
    assert list(db.scan(Order.scan())) == [FIRST]
    assert (db.count(Order.primary(customer="7")), db.count(Order.scan())) == (1, 1)


def test_an_item_of_a_sibling_entity_is_skipped(db: Store) -> None:
    tom, rex = db.batch_put(Animal(owner="ann", name="tom"), Dog(owner="ann", name="rex"))

    assert db.get(Dog.primary.get(owner="ann", name="tom")) is None
    assert list(db.iter(Dog.primary(owner="ann"))) == [rex]
    assert list(db.scan(Dog.scan())) == [rex]
    assert list(db.iter(Animal.primary(owner="ann"))) == [rex, tom]


def test_a_query_on_one_sibling_raises_for_an_unknown_discriminator(db: Store, door: Door) -> None:
    put_as(door, Dog(owner="ann", name="rex"), {"S": "Cat"})
    for read in (Dog.primary(owner="ann"), Dog.scan(), Animal.scan()):
        with pytest.raises(ItemUnreadable, match="the item has 'Cat', expected is "):
            db.run(read)


def test_without_a_discriminator_only_the_key_decides(db: Store, door: Door) -> None:
    word = db.put(Word(language="en", word="sea"))
    item = {**Put(word).item, "sk": {"S": "see"}, "word": {"S": "see"}, "type": {"S": "Gone"}}
    door.call("PutItem", {"TableName": words.name, "Item": item})

    assert [each.word for each in db.iter(Word.primary(language="en"))] == ["sea", "see"]
    assert sorted(each.word for each in db.scan(Word.scan())) == ["sea", "see"]


def test_writes_that_read_a_foreign_item_first_change_nothing(db: Store, door: Door) -> None:
    """A move; and of an entity with unique fields every write but a put, which replaces whatever is there."""
    customer = Customer(customer="7", name="Ann", email="a@b.c")
    for each in (FOREIGN, customer):
        put_as(door, each, {"S": "Gone"})
    before = door.call("Scan", {"TableName": shop.name, "ConsistentRead": True})["Items"]
    for write in (
        lambda: db.move(GET, number=9),
        lambda: db.delete(Customer.primary.delete(customer="7")),
    ):
        with pytest.raises(ItemUnreadable, match="the item has 'Gone', expected is"):
            write()

    assert door.call("Scan", {"TableName": shop.name, "ConsistentRead": True})["Items"] == before


UPDATES: dict[str, Any] = {
    "index key": Order.primary.update(customer="7", number=2).set(status="sent"),
    "unique": Customer.primary.update(customer="7").set(email="new@b.c"),
    "upsert": Customer.primary.update(customer="7").set(name="Eve").upsert(),
    "expiry": Session.primary.update(user="7", token="t").remove("expires"),
}


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_an_update_of_a_foreign_item_writes_nothing_and_reserves_nothing(
    db: Store, door: Door, update: Any
) -> None:
    entities = (FOREIGN, Customer(customer="7", name="Ann", email="a@b.c"), Session(user="7", token="t"))
    for each in entities:
        put_as(door, each, {"S": "Gone"})
    before = door.call("Scan", {"TableName": shop.name, "ConsistentRead": True})["Items"]
    with pytest.raises(ItemUnreadable, match="the item has 'Gone', expected is"):
        db.update(update)
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(LAST), update)

    assert isinstance(caught.value.failures[1], ItemUnreadable)
    assert door.call("Scan", {"TableName": shop.name, "ConsistentRead": True})["Items"] == before


def test_an_update_of_an_item_that_became_foreign_since_the_read_writes_nothing() -> None:
    engine = Engine.open()
    customer = Customer(customer="7", name="Ann")

    class Meddling:
        """The engine; another client replaces the item before it is written."""

        done = False

        def call(self, operation: str, request: Any) -> Any:
            if operation == "TransactWriteItems" and not self.done:
                self.done = True
                item = {**Put(customer).item, "type": {"S": "Gone"}}
                engine.call("PutItem", {"TableName": shop.name, "Item": item})
            return engine.call(operation, request)

    with connect(Meddling()) as store:
        store.create_tables(shop)
        store.put(customer)
        with pytest.raises(ItemUnreadable, match="the item has 'Gone'"):
            store.update(Customer.primary.update(customer="7").set(email="a@b.c"))

    (item,) = engine.call("Scan", {"TableName": shop.name})["Items"]
    assert "email" not in item


def test_writes_that_replace_or_delete_a_foreign_item_raise_with_it(db: Store, door: Door) -> None:
    put_as(door, FOREIGN, {"S": "Gone"})
    with pytest.raises(ItemUnreadable, match=r"(?s)the item has 'Gone'.* was done nevertheless") as caught:
        db.update(Order.primary.update(customer="7", number=2).add(total=5))

    assert caught.value.item["total"] == {"N": "5"}
    with pytest.raises(ItemUnreadable, match=r"(?s)the item has 'Gone'.* was done nevertheless") as caught:
        db.delete(Order.primary.delete(customer="7", number=2))
    assert caught.value.item["total"] == {"N": "5"}
    put_as(door, FOREIGN, {"S": "Gone"})
    assert db.put(FOREIGN) == FOREIGN
