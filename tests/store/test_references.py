"""References: the item that an entity refers to is present, and of the right class, when it is written."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any

import pytest

from pksk import (
    GSI,
    DesignError,
    Entity,
    F,
    Key,
    NotFound,
    Put,
    Reference,
    ReferenceMissing,
    Store,
    Table,
    TransactionFailed,
    connect,
)
from pksk.schema import B
from tests.store.doors import Door
from tests.store.shop import TABLES, Customer, Invoice, Order, named, shop
from tests.store.table_contents import items_of

ANN = Customer(customer="7", name="Ann")
ORDER = Order(customer="7", number=1, day=date(2025, 3, 1))
THE_INVOICE = Invoice.primary.update(id="1")

kennel = Table(named("kennel"), indexes=[GSI("by-tricks", pk="g1", sk="g2")])


class Animal(Entity, table=kennel):
    name: str
    fed: int = 0
    primary = Key("ANIMAL", "{name}")


class Dog(Animal, table=kennel):
    tricks: int = 0
    by_tricks = Key("TRICKS#{tricks}", "{fed:03d}#{name}", index="by-tricks")


class Puppy(Dog, table=kennel):
    weeks: int = 0


class Cat(Animal, table=kennel):
    lives: int = 9


class Tag(Entity, table=kennel):
    id: str
    dog: Annotated[str | None, Reference(Dog, name="dog")] = None
    friend: Annotated[str | None, Reference(Dog, name="friend")] = None
    pet: Annotated[str | None, Reference(Animal, name="pet")] = None
    primary = Key("TAG#{id}", "M")


@pytest.fixture
def tables() -> Iterable[Table]:
    return (*TABLES, kennel)


def test_a_put_with_a_missing_reference_raises_with_the_reference(db: Store, door: Door) -> None:
    with pytest.raises(ReferenceMissing) as caught:
        db.put(Invoice(id="1", buyer="7"))

    assert caught.value.field == "buyer"
    assert caught.value.key == {"pk": {"S": "CUST#7"}, "sk": {"S": "PROFILE"}}
    assert str(caught.value) == (
        "Put of Invoice: buyer refers to Customer(customer='7'), and there is no item pk = 'CUST#7', sk = 'PROFILE'.\n"
        "Fix: store the Customer first, or in the same transaction.  (pksk explain store-reference-missing)"
    )
    assert items_of(door, shop) == []


def test_a_reference_by_two_fields(db: Store) -> None:
    db.put(ORDER)
    db.create(Invoice(id="1", customer="7", order=1))
    with pytest.raises(ReferenceMissing, match=r"order refers to Order\(customer='7', number=2\)"):
        db.create(Invoice(id="2", customer="7", order=2))


def test_a_reference_with_a_field_of_none_is_not_checked(db: Store) -> None:
    db.put(Invoice(id="1", customer="7"))
    db.put(Invoice(id="2"))


def test_an_update_checks_only_the_references_that_it_changes(db: Store) -> None:
    db.put(ANN)
    db.put(Invoice(id="1", buyer="7"))
    db.delete(Customer.primary.delete(customer="7"))

    assert db.update(THE_INVOICE.set(amount=5)).amount == 5
    with pytest.raises(
        ReferenceMissing, match=r"Update of Invoice: buyer refers to Customer\(customer='8'\)"
    ):
        db.update(THE_INVOICE.set(buyer="8"))
    db.put(Customer(customer="8", name="Bob"))
    assert db.update(THE_INVOICE.set(buyer="8")).buyer == "8"
    assert db.update(THE_INVOICE.remove("buyer")).buyer is None


def test_an_update_of_one_of_two_fields_reads_the_other(db: Store) -> None:
    db.put(ORDER)
    db.put(ORDER.model_copy(update={"number": 2}))
    db.put(Invoice(id="1", customer="7", order=1))

    assert db.update(THE_INVOICE.set(order=2)).order == 2
    with pytest.raises(ReferenceMissing, match=r"Order\(customer='7', number=3\)"):
        db.update(THE_INVOICE.set(order=3))


def test_an_update_checks_a_reference_copied_from_another_field(db: Store) -> None:
    db.put(ANN)
    db.put(Invoice(id="1", customer="9", amount=3))
    missing = r"buyer refers to Customer\(customer='9'\)"
    for copy in (F.buyer.set(F.customer), F.buyer.set(F.customer.if_not_exists("7"))):
        with pytest.raises(ReferenceMissing, match=missing):
            db.update(THE_INVOICE.apply(copy))
    with pytest.raises(ReferenceMissing, match=r"Order\(customer='9', number=3\)"):
        db.update(THE_INVOICE.apply(F.order.set(F.amount)))
    db.put(Customer(customer="9", name="Bob"))

    assert db.update(THE_INVOICE.apply(F.buyer.set(F.customer))).buyer == "9"


def test_a_reference_to_an_item_that_the_same_transaction_deletes_raises(db: Store) -> None:
    db.put(ANN)
    with pytest.raises(DesignError, match="refers to an item that the same transaction deletes"):
        db.transaction(Put(Invoice(id="1", buyer="7")), Customer.primary.delete(customer="7"))


def test_writes_that_refer_to_one_item_check_it_once(db: Store) -> None:
    db.put(ANN)
    db.transaction(*(Put(Invoice(id=str(n), buyer="7")) for n in range(4)))

    assert db.count(Invoice.scan()) == 4


# References to items that the same transaction writes or checks


@pytest.fixture
def kennels(db: Store) -> Store:
    db.batch_put(Cat(name="tom"), Dog(name="rex"), Puppy(name="pip"))
    return db


WRONG: dict[str, Any] = {
    "update": Cat.primary.update(name="tom").set(lives=3),
    "update with a condition": Cat.primary.update(name="tom")
    .set(lives=3)
    .when((F.lives == 9) | (F.lives == 8)),
    "update through the base": Animal.primary.update(name="tom").add(fed=1),
    "upsert": Cat.primary.update(name="tom").set(lives=3).upsert(),
    "upsert through the base": Animal.primary.update(name="tom").add(fed=1).upsert(),
    "upsert of a missing item": Animal.primary.update(name="tom").add(fed=1).upsert(),
    "put": Put(Cat(name="tom")),
    "check": Cat.primary.check(name="tom"),
    "check of none": Dog.primary.check(name="none").absent(),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_reference_to_the_wrong_class_fails_whatever_the_transaction_does_to_its_item(
    kennels: Store, door: Door, name: str
) -> None:
    if name == "upsert of a missing item":
        kennels.delete(Cat.primary.delete(name="tom"))
    before = items_of(door, kennel)
    dog = "none" if name == "check of none" else "tom"
    with pytest.raises(TransactionFailed) as caught:
        kennels.transaction(Put(Tag(id="1", pet="rex")), WRONG[name], Put(Tag(id="2", dog=dog)))

    ((place, error),) = caught.value.failures.items()
    assert (place, type(error), error.field) == (2, ReferenceMissing, "dog")  # type: ignore[attr-defined]
    assert error.request == Put(Tag(id="2", dog=dog))
    assert items_of(door, kennel) == before


RIGHT: dict[str, Any] = {
    "update": Dog.primary.update(name="rex").set(tricks=3),
    "update through the base": Animal.primary.update(name="rex").add(fed=1),
    "update of a subclass": Puppy.primary.update(name="rex").set(weeks=3).upsert(),
    "upsert": Dog.primary.update(name="rex").set(tricks=3).upsert(),
    "upsert of a missing item": Dog.primary.update(name="rex").add(fed=1).upsert(),
    "put": Put(Puppy(name="rex")),
    "check": Animal.primary.check(name="rex"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_reference_to_the_right_class_is_accepted(kennels: Store, name: str) -> None:
    if name in ("update of a subclass", "upsert of a missing item"):
        kennels.delete(Dog.primary.delete(name="rex"))
    made = kennels.transaction(RIGHT[name], Put(Tag(id="1", dog="rex", pet="rex", friend="pip")))[1]

    assert kennels.get(Tag.primary.get(id="1")) == made
    assert kennels.get(Dog.primary.get(name="rex")) is not None


def test_every_write_that_refers_to_a_missing_item_fails(db: Store, door: Door) -> None:
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(
            Dog.primary.check(name="rex"),
            Put(Tag(id="1", dog="rex")),
            Put(Tag(id="2")),
            Put(Tag(id="3", pet="rex", friend="rex")),
            Put(Tag(id="4", friend="pip")),
        )

    failures = {place: (type(error), error.request) for place, error in caught.value.failures.items()}
    assert failures == {
        0: (NotFound, Dog.primary.check(name="rex")),
        1: (ReferenceMissing, Put(Tag(id="1", dog="rex"))),
        3: (ReferenceMissing, Put(Tag(id="3", pet="rex", friend="rex"))),
        4: (ReferenceMissing, Put(Tag(id="4", friend="pip"))),
    }
    assert items_of(door, kennel) == []


def test_only_references_to_another_class_fail(kennels: Store) -> None:
    with pytest.raises(TransactionFailed) as caught:
        kennels.transaction(
            Put(Tag(id="1", pet="tom")), Put(Tag(id="2", dog="tom")), Put(Tag(id="3", friend="tom"))
        )

    assert list(caught.value.failures) == [1, 2]


def test_every_reference_to_an_item_that_the_transaction_puts_as_another_class_fails(db: Store) -> None:
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(Cat(name="tom")), *(Put(Tag(id=each, dog="tom")) for each in "12"))

    assert list(caught.value.failures) == [1, 2]
    assert "\n  1: Put of Tag: dog refers to" in str(caught.value)
    assert "\n  2: Put of Tag: dog refers to" in str(caught.value)


class Sealed(Entity, table=Table("sealed", pk=B("id"), sk=None)):
    id: bytes
    uses: int = 0
    primary = Key("{id}")


class Letter(Entity, table=Table("letters")):
    id: str
    seal: Annotated[bytes, Reference(Sealed, id="seal")]
    primary = Key("LETTER#{id}", "META")


@pytest.mark.one_door
def test_an_item_with_a_binary_key_is_updated_and_referred_to_in_one_transaction() -> None:
    with connect("memory:") as db:
        db.create_tables(Sealed.__pksk__.table, Letter.__pksk__.table)
        db.put(Sealed(id=b"\xff\1"))
        db.transaction(Sealed.primary.update(id=b"\xff\1").add(uses=1), Put(Letter(id="1", seal=b"\xff\1")))

        assert db.get(Sealed.primary.get(id=b"\xff\1")) == Sealed(id=b"\xff\1", uses=1)
