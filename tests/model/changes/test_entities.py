"""The entity of a change: shared keys, tables without discriminator, and items of no entity."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from pksk import B, Entity, Key, N, Put, Table, change_of, changes_of
from pksk.errors import ItemUnreadable

from .shop import Animal, Boat, Car, Cat, Dog, Order, Streams, Vehicle, shop

STRANGER = {"pk": {"S": "LOG#1"}, "sk": {"S": "x"}, "text": {"S": "hello"}}
GUARD = {"pk": {"S": "unique#Order#email#a"}, "sk": {"S": "unique"}, "type": {"S": "pksk:unique"}}

waiting = Table("waiting", stream=True)


class Book(Entity, table=waiting):
    id: str
    chapters: tuple[Chapter, ...] = ()

    primary = Key("BOOK#{id}", "META")


class Chapter(BaseModel):
    title: str


def test_each_sibling_is_read_as_its_own_class() -> None:
    streams, siblings = Streams(), [Animal(name="a"), Cat(name="b"), Dog(name="c", tricks=["sit"])]
    streams.put(*siblings)

    found = list(changes_of(streams.answer(), shop))

    assert [change.new for change in found] == siblings
    assert [change.entity for change in found] == [Animal, Cat, Dog]


def test_changes_of_an_entity_include_those_of_its_subclasses() -> None:
    streams, cat, dog = Streams(), Cat(name="b"), Dog(name="c")
    streams.put(Order(customer="7", number=1), cat, dog)

    assert [change.new for change in changes_of(streams.answer(), Animal)] == [cat, dog]
    assert [change.new for change in changes_of(streams.answer(), Dog)] == [dog]
    assert [change.new for change in changes_of(streams.answer(), Cat, Order)][1:] == [cat]


def test_an_item_that_becomes_its_sibling_has_images_of_both() -> None:
    streams, cat, dog = Streams(), Cat(name="x"), Dog(name="x")
    streams.put(cat, dog)

    _, change = changes_of(streams.answer(), shop)

    assert (change.kind, change.old, change.new, change.entity) == ("modify", cat, dog, Dog)
    assert change.changed_fields == ("tricks", "lives")


def test_an_item_that_leaves_the_filtered_entity_has_no_new_image() -> None:
    streams, cat, dog = Streams(), Cat(name="x"), Dog(name="x")
    streams.put(cat, dog)
    inserted, left = changes_of(streams.answer(), Cat)
    (entered,) = changes_of(streams.answer(), Dog)

    assert (inserted.kind, inserted.new) == ("insert", cat)
    assert (left.kind, left.old, left.new, left.entity) == ("modify", cat, None, Cat)
    assert (entered.kind, entered.old, entered.new, entered.entity) == ("modify", None, dog, Dog)


@pytest.mark.parametrize(("entity", "base"), [(Cat(name="x"), Animal), (Boat(plate="x"), Vehicle)])
def test_keys_alone_identify_the_common_base_of_siblings(entity: Entity, base: type[Entity]) -> None:
    streams = Streams(view="KEYS_ONLY")
    streams.put(entity)

    (change,) = changes_of(streams.answer(), shop)

    assert change.entity is base
    assert change.key_values in ({"name": "x"}, {"plate": "x"})
    assert change.changed_fields == tuple(base.model_fields)


def test_keys_alone_do_not_identify_one_sibling() -> None:
    streams = Streams(view="KEYS_ONLY")
    streams.put(Cat(name="x"))
    unreadable: list[Any] = []

    with pytest.raises(
        ItemUnreadable, match=r"pk = 'ANIMAL#x'.* may belong to any of Animal, Cat, Dog"
    ) as caught:
        list(changes_of(streams.answer(), Cat))

    assert caught.value.code == "change-ambiguous-entity"
    assert [change.entity for change in changes_of(streams.answer(), Animal)] == [Animal]
    assert list(changes_of(streams.answer(), Cat, unreadable=unreadable)) == []
    assert [error.code for _, error in unreadable] == ["change-ambiguous-entity"]


def test_an_item_without_a_discriminator_belongs_to_the_base() -> None:
    streams = Streams()
    streams.put_item({**without(Put(Cat(name="x")).item, "type")})
    streams.put_item({**without(Put(Car(plate="x")).item, "type")})

    first, second = streams.records()

    assert getattr(change_of(first, shop), "new", None) == Animal(name="x")
    with pytest.raises(ItemUnreadable, match="may belong to any of Car, Boat") as caught:
        change_of(second, shop)
    assert caught.value.code == "change-ambiguous-entity"


def test_items_of_no_entity_are_skipped_unless_they_should_raise() -> None:
    streams = Streams()
    streams.put_item(STRANGER)
    streams.put_item({**STRANGER, "pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000001"}, "type": {"S": "Gone"}})
    streams.put_item({**STRANGER, "sk": {"S": "y"}, "type": {"N": "5"}})
    unreadable: list[Any] = []

    assert list(changes_of(streams.answer(), shop)) == []
    assert change_of(streams.records()[0], shop) is None
    with pytest.raises(
        ItemUnreadable, match=r"pk = 'LOG#1', sk = 'x' belongs to no entity of the table"
    ) as caught:
        list(changes_of(streams.answer(), shop, unknown="raise"))
    assert caught.value.code == "change-unknown"
    assert caught.value.item == STRANGER
    assert caught.value.key == {"pk": {"S": "LOG#1"}, "sk": {"S": "x"}}
    assert list(changes_of(streams.answer(), shop, unknown="raise", unreadable=unreadable)) == []
    assert [record for record, _ in unreadable] == streams.records()


@pytest.mark.parametrize("view", ["NEW_AND_OLD_IMAGES", "KEYS_ONLY"])
def test_guard_items_are_never_errors(view: str) -> None:
    streams = Streams(view=view)
    streams.put_item(GUARD)

    assert list(changes_of(streams.answer(), shop, unknown="raise")) == []


def test_an_item_that_belonged_to_no_entity_has_no_old_image() -> None:
    streams, order = Streams(), Order(customer="7", number=1)
    streams.put_item({**STRANGER, "pk": {"S": "CUST#7"}, "sk": {"S": "ORDER#000001"}, "type": {"S": "Gone"}})
    streams.put(order)

    (change,) = changes_of(streams.answer(), shop)

    assert (change.kind, change.old, change.new) == ("modify", None, order)


def test_a_table_without_a_discriminator_distinguishes_entities_by_their_keys() -> None:
    plain = Table("plain", discriminator=None, stream=True)

    class Letter(Entity, table=plain):
        id: str
        primary = Key("LETTER#{id}", "META")

    class Parcel(Entity, table=plain):
        id: str
        weight: int = 1
        primary = Key("PARCEL#{id}", "{weight:03d}")

    streams, letter, parcel = Streams(plain), Letter(id="1"), Parcel(id="1", weight=7)
    streams.put(letter, parcel)
    streams.put_item(STRANGER, plain)

    assert [change.new for change in changes_of(streams.answer(plain), plain)] == [letter, parcel]
    assert [change.new for change in changes_of(streams.answer(plain), Parcel)] == [parcel]
    with pytest.raises(ItemUnreadable):
        list(changes_of(streams.answer(plain), plain, unknown="raise"))


def test_number_and_binary_keys_identify_entities() -> None:
    points = Table("points", pk=B("place"), sk=N("n"), discriminator=None, stream=True)

    class Point(Entity, table=points):
        place: bytes
        n: int
        primary = Key("{place}", "{n}")

    streams = Streams(points, view="KEYS_ONLY")
    streams.put(Point(place=b"\x00\xff", n=-3))

    for records in (streams.answer(points), streams.boto3_answer(points), streams.event(points)):
        (change,) = changes_of(records, points)
        assert change.key == {"place": {"B": "AP8="}, "n": {"N": "-3"}}
        assert change.key_values == {"place": b"\x00\xff", "n": -3}


def test_items_of_an_incomplete_entity_are_not_taken_for_foreign_items() -> None:
    assert waiting.entities == []
    item = {"pk": {"S": "BOOK#1"}, "sk": {"S": "META"}, "id": {"S": "1"}, "type": {"S": "Book"}}
    record = {
        "eventName": "INSERT",
        "dynamodb": {"Keys": {"pk": item["pk"], "sk": item["sk"]}, "NewImage": item},
    }

    change = change_of(record, waiting)

    assert change is not None
    assert change.new == Book(id="1")


def test_extra_fields_are_changes_too() -> None:
    loose = Table("loose", stream=True)

    class Note(Entity, table=loose, extra="allow"):
        id: str
        primary = Key("NOTE#{id}", "META")

    streams = Streams(loose)
    streams.put(Note(id="1"), Note.model_validate({"id": "1", "colour": "red"}))

    _, change = changes_of(streams.answer(loose), Note)

    assert change.changed_fields == ("colour",)


def without(item: dict[str, Any], name: str) -> dict[str, Any]:
    return {each: value for each, value in item.items() if each != name}
