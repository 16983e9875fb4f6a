"""Unique fields and references are estimated with every write that they make dearer."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from pksk import Entity, F, Key, Put, Reference, Table, Unique, batch, connect, transaction
from pksk.model.requests.costs import estimate

people = Table("people")


class Company(Entity, table=people):
    company: str
    name: str = ""
    primary = Key("COMPANY#{company}", "META")


class Person(Entity, table=people):
    id: str
    email: Annotated[str, Unique()]
    nick: Annotated[str | None, Unique()] = None
    company: Annotated[str | None, Reference(Company)] = None
    primary = Key("PERSON#{id}", "META")


def person(**fields: Any) -> Person:
    return Person(id="7", email="a@b", **fields)


ONE = Person.primary.update(id="7")
EMPLOYED = Put(person(company="c"))
ITEM, GUARD, CHECK = 2, 2, 2

WRITES: dict[str, tuple[Any, float]] = {
    "put": (Put(person(nick="n", company="c")), ITEM + 2 * GUARD + CHECK),
    "put without what may be absent": (Put(person()), ITEM + GUARD),
    "put in a batch": (batch(EMPLOYED), ITEM + GUARD + CHECK),
    "delete": (Person.primary.delete(id="7"), ITEM + 2 * GUARD),
    "a unique value changes": (ONE.set(email="c@d"), ITEM + 2 * GUARD),
    "a unique value goes": (ONE.remove("nick"), ITEM + GUARD),
    "a reference changes": (ONE.set(company="d"), ITEM + CHECK),
    "a reference goes": (ONE.set(company=None), 1),
    "another entity": (Company.primary.delete(company="c"), 1),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_has_the_items_of_its_guards_in_a_transaction(name: str) -> None:
    write, units = WRITES[name]
    found = estimate([write])

    assert found.cost is not None
    assert found.cost.write == units


READS: dict[str, tuple[Any, float]] = {
    "put": (Put(person()), 1),
    "create": (Put(person()).if_absent(), 0),
    "delete": (Person.primary.delete(id="7"), 1),
    "a unique value changes, read before and after": (ONE.set(email="c@d"), 2),
    "a unique value changes in a transaction": (transaction(ONE.set(email="c@d")), 1),
    "a reference changes, read after": (ONE.set(company="d"), 1),
    "a reference is copied, read before and after": (ONE.apply(F.company.set(F.nick)), 2),
    "a unique value is copied, read before and after": (ONE.apply(F.nick.set(F.company)), 2),
    "a reference goes": (ONE.set(company=None), 0),
    "another entity": (Company.primary.delete(company="c"), 0),
}


@pytest.mark.parametrize("name", READS)
def test_the_read_of_a_guarded_write_is_estimated(name: str) -> None:
    write, units = READS[name]
    found = estimate([write])

    assert found.cost is not None
    assert found.cost.read == units


TOGETHER: dict[str, tuple[Any, float]] = {
    "a check of it": (Company.primary.check(company="c"), 0),
    "a put of it": (Put(Company(company="c")), 0),
    "an update of it": (Company.primary.update(company="c").set(name="n"), 0),
    "a check of another one": (Company.primary.check(company="x"), CHECK),
    "a put of another one": (Put(Company(company="x")), CHECK),
    "a check that it is absent": (Company.primary.check(company="c").absent(), CHECK),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_a_reference_is_checked_unless_the_transaction_does_so(name: str) -> None:
    other, further = TOGETHER[name]
    found = estimate([transaction(EMPLOYED, other)])

    assert found.cost is not None
    assert found.cost.write == ITEM + GUARD + ITEM + further


def test_one_item_is_checked_once_in_a_transaction() -> None:
    both = transaction(EMPLOYED, Put(Person(id="8", email="e", company="c")))
    found = estimate([both])

    assert found.cost is not None
    assert found.cost.write == 2 * (ITEM + GUARD) + CHECK


def test_a_check_of_one_transaction_does_not_count_for_the_next() -> None:
    found = estimate([transaction(Company.primary.check(company="c")), EMPLOYED])

    assert found.cost is not None
    assert found.cost.write == CHECK + ITEM + GUARD + CHECK


class Seat(Entity, table=people):
    id: str
    show: str | None = None
    seat: Annotated[str | None, Unique(within="show")] = None
    note: str = ""
    primary = Key("SEAT#{id}", "META")


SEAT, TAKEN = Seat.primary.update(id="7"), Seat(id="7", show="lear", seat="A1")
WITHIN: dict[str, tuple[Any, float, float]] = {
    "put": (Put(TAKEN), ITEM + GUARD, 1),
    "put with None in another field": (Put(Seat(id="7", seat="A1")), 1, 1),
    "delete": (Seat.primary.delete(id="7"), ITEM + GUARD, 1),
    "the value changes": (SEAT.set(seat="B1"), ITEM + 2 * GUARD, 2),
    "another field changes": (SEAT.set(show="hamlet"), ITEM + 2 * GUARD, 2),
    "another field goes": (SEAT.remove("show"), ITEM + GUARD, 2),
    "a field of neither changes": (SEAT.set(note="n"), 1, 0),
}


@pytest.mark.parametrize("name", WITHIN)
def test_a_value_that_is_unique_within_others_is_estimated_as_it_is_consumed(name: str) -> None:
    write, write_units, read_units = WITHIN[name]
    found = estimate([write])

    assert found.cost is not None
    assert (found.cost.write, found.cost.read) == (write_units, read_units)
    with connect("memory:") as db:
        db.create_tables(people)
        if not isinstance(write, Put):
            db.put(TAKEN)
        with db.meter() as meter:
            db.run(write)
    assert (meter.consumed.write, meter.consumed.read) == (write_units, read_units)
