"""Batches: any number of members in as few requests as possible, complete or with the unprocessed ones listed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

import pytest

from pksk import (
    DesignError,
    Engine,
    Entity,
    Key,
    PkskError,
    Put,
    RequestStarted,
    Store,
    Version,
    batch,
    connect,
)
from pksk.schema import Table
from tests.store.doors import Door
from tests.store.shop import (
    Animal,
    Customer,
    Dog,
    Flag,
    Invoice,
    Line,
    Order,
    Reading,
    Word,
    named,
    shop,
    words,
)
from tests.store.table_contents import assert_keys_right, items_of

FIRST = date(2025, 3, 1)


versioned = Table(named("versioned"))


class Page(Entity, table=versioned):
    id: str
    version: Annotated[int, Version()] = 0
    primary = Key("PAGE#{id}", "META")


def orders(count: int, **fields: Any) -> list[Order]:
    return [Order(customer="7", number=n, day=FIRST, **fields) for n in range(count)]


def operations(door: Door) -> tuple[Store, list[RequestStarted]]:
    sent: list[RequestStarted] = []
    return door.open(hooks=[sent.append]), sent


def test_puts_beyond_the_limit_of_a_request_are_sent_in_chunks(db: Store, door: Door) -> None:
    store, sent = operations(door)
    made = orders(60)

    assert store.batch_put(*made) == made
    assert [len(each.parameters["RequestItems"][shop.name]) for each in sent] == [25, 25, 10]
    assert list(db.iter(Order.primary(customer="7"))) == made
    assert_keys_right(door, shop)


def test_a_batch_of_several_tables(db: Store, door: Door) -> None:
    entities = [
        Order(customer="7", number=1, day=FIRST),
        Word(language="de", word="Haus"),
        Reading(sensor=1, moment=b"1"),
    ]
    store, sent = operations(door)

    assert store.batch_put(*entities) == entities
    assert len(sent) == 1
    assert db.get(Word.primary.get(language="de", word="Haus")) == entities[1]


def test_many_items_are_deleted_in_chunks(db: Store, door: Door) -> None:
    db.batch_put(*orders(30))
    store, sent = operations(door)
    store.batch_delete(*(Order.primary.delete(customer="7", number=n) for n in range(28)))

    assert len(sent) == 2
    assert [each.number for each in db.iter(Order.primary(customer="7"))] == [28, 29]


def test_puts_and_deletes_in_one_batch(db: Store) -> None:
    old = orders(2)
    db.batch_put(*old)
    new = Order(customer="7", number=5, day=FIRST)

    assert db.run(batch(Order.primary.delete(customer="7", number=0), Put(new))) == [None, new]
    assert list(db.iter(Order.primary(customer="7"))) == [old[1], new]


def test_a_batch_of_gets(db: Store) -> None:
    made = orders(3)
    db.batch_put(*made)
    gets = [Order.primary.get(customer="7", number=n) for n in (2, 9, 0)]

    assert db.run(batch(*gets)) == [made[2], None, made[0]]


def test_an_empty_batch_does_nothing(db: Store, door: Door) -> None:
    store, sent = operations(door)
    store.batch_put()
    store.batch_delete()

    assert sent == []


def test_a_batch_accepts_an_unpacked_generator(db: Store) -> None:
    assert len(db.batch_put(*(each for each in orders(3)))) == 3


BIG = [Word(language="de", word=str(n), meaning="x" * 390_000) for n in range(45)]
GET_BIG = [Word.primary.get(language="de", word=each.word) for each in BIG]


def test_more_than_sixteen_megabytes_are_put_and_got(db: Store) -> None:
    db.batch_put(*BIG)

    assert db.batch_get(*GET_BIG) == BIG


def test_keys_beyond_the_response_limit_are_read_again(db: Store, door: Door) -> None:
    db.batch_put(*BIG)
    store, sent = operations(door)
    store.batch_get(*GET_BIG)
    keys = [len(each.parameters["RequestItems"][words.name]["Keys"]) for each in sent]

    assert keys == [45, 2]


def test_a_batch_with_text_that_is_longer_in_json(db: Store) -> None:
    made = [Word(language="de", word=str(n), meaning='"\\' * 190_000) for n in range(25)]
    db.batch_put(*made)

    assert db.count(Word.primary(language="de")) == 25


@pytest.mark.one_door
def test_the_same_item_twice_in_a_batch_raises_before_sending(db: Store, door: Door) -> None:
    with pytest.raises(PkskError, match="twice"):
        db.batch_put(*orders(30), *orders(1))

    assert items_of(door, shop) == []


@pytest.mark.one_door
@pytest.mark.parametrize(
    ("entity", "why"),
    [
        (Customer(customer="7", name="Ann"), "'version' is a version"),
        (Invoice(id="1", buyer="7"), "'buyer' is a reference"),
        (Invoice(id="1", customer="7", order=1), "'order' is a reference"),
    ],
)
def test_puts_that_need_a_condition_raise_in_a_batch(db: Store, door: Door, entity: Any, why: str) -> None:
    with pytest.raises(DesignError, match=why) as caught:
        db.batch_put(*orders(30), entity)

    assert caught.value.code == "store-batch-markers"
    assert items_of(door, shop) == []


def test_a_reference_that_is_none_needs_no_check(db: Store) -> None:
    made = [Invoice(id="1"), Invoice(id="2", customer="7")]

    assert db.batch_put(*made) == made
    assert db.get(Invoice.primary.get(id="2")) == made[1]


def test_entities_are_deleted_as_well_as_deletes(db: Store) -> None:
    made = orders(28)
    words_made = [Word(language="de", word="Haus"), Word(language="de", word="Hof")]
    db.batch_put(*made, *words_made)
    db.batch_delete(*made[:26], Order.primary.delete(customer="7", number=26), words_made[0])

    assert list(db.iter(Order.primary(customer="7"))) == made[27:]
    assert list(db.iter(Word.primary(language="de"))) == words_made[1:]


@pytest.mark.one_door
def test_deletes_that_need_a_condition_raise_in_a_batch(db: Store, door: Door) -> None:
    db.create_tables(versioned)
    page = db.create(Page(id="1"))
    with pytest.raises(DesignError, match="'version' is a version, which is compared") as caught:
        db.batch_delete(page)

    assert caught.value.code == "store-batch-markers"
    db.batch_delete(Page.primary.delete(id="1"))
    assert items_of(door, versioned) == []
    with pytest.raises(DesignError, match="'by' is unique"):
        db.batch_delete(Flag(name="x"))


@pytest.mark.one_door
def test_conditions_raise_in_a_batch(db: Store) -> None:
    with pytest.raises(PkskError, match="batches do not support conditions"):
        db.batch_put(Put(orders(1)[0]).if_absent())


def test_a_batch_delete_of_a_class_with_guarded_siblings_raises(db: Store) -> None:
    db.put(Animal(owner="ann", name="tom"))
    with pytest.raises(PkskError, match="Dog"):
        db.batch_delete(Dog.primary.delete(owner="ann", name="tom"))

    assert db.get(Animal.primary.get(owner="ann", name="tom")) is not None


@pytest.mark.one_door
@pytest.mark.parametrize("value", [None, "CUST#7", Order, {"customer": "7"}])
def test_a_value_that_is_not_an_entity_raises(db: Store, value: Any) -> None:
    with pytest.raises(DesignError):
        db.batch_put(*orders(2), value)
    with pytest.raises(PkskError):
        db.batch_delete(value)


@pytest.mark.one_door
def test_a_put_among_deletes_raises(db: Store) -> None:
    with pytest.raises(PkskError):
        db.batch_delete(Put(orders(1)[0]))  # type: ignore[call-overload]


def test_lines_and_orders_in_one_batch(db: Store) -> None:
    made = [*orders(2), *(Line(customer="7", number=0, line=n) for n in range(30))]
    db.batch_put(*made)

    assert len(db.collect(Order.primary(customer="7"), Line.primary(customer="7"))) == 32


@pytest.mark.parametrize("collect", [list, tuple, iter], ids=lambda kind: kind.__name__)
def test_a_batch_takes_an_iterable_of_its_members(db: Store, collect: Any) -> None:
    made = orders(3)
    keys = [Order.primary.get(customer="7", number=n) for n in range(3)]
    deletes = [Order.primary.delete(customer="7", number=n) for n in range(2)]

    assert db.batch_put(each for each in made) == made
    assert db.batch_get(collect(keys)) == made
    db.batch_delete(collect(deletes))
    assert db.batch_get(collect(keys)) == [None, None, made[2]]
    db.batch_delete(made)
    assert db.batch_get(keys) == [None, None, None]
    assert db.batch_put([]) == db.batch_get([]) == []


@pytest.mark.one_door
def test_one_member_of_a_batch_is_not_an_iterable(db: Store) -> None:
    [order] = orders(1)

    assert db.batch_put(order) == [order]
    assert db.batch_get(Order.primary.get(customer="7", number=0)) == [order]
    with pytest.raises(DesignError) as caught:
        db.put([order])  # type: ignore[arg-type]
    assert caught.value.code == "write-not-an-entity"
    assert "db.batch_put(entities)" in caught.value.fix


class WithoutUnprocessed:
    """An engine whose answers leave out, or set to null, what is empty: as some servers do."""

    def __init__(self, *, null: bool) -> None:
        self.engine, self.null = Engine.open(), null

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        answer = self.engine.call(operation, request)
        names = {"BatchWriteItem": "UnprocessedItems", "BatchGetItem": "UnprocessedKeys"}
        if operation in names:
            assert answer.pop(names[operation]) == {}
            answer |= {names[operation]: None} if self.null else {}
        return answer


@pytest.mark.parametrize("null", [False, True])
def test_missing_unprocessed_members_count_as_none(null: bool) -> None:
    db = connect(WithoutUnprocessed(null=null))
    db.create_tables(shop)
    made = orders(30)

    assert db.batch_put(made) == made
    assert db.batch_get(Order.primary.get(customer="7", number=n) for n in range(30)) == made
    db.batch_delete(made)
    assert db.first(Order.primary(customer="7")) is None
