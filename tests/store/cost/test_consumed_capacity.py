"""The requests of a store, with stamps, guards, checks and reads, cost what DynamoDB reports."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from examples.tour.price_check import PriceCheck
from pksk import DesignError, F, Put, Store, StoreError, batch, connect
from tests.conftest import LONG
from tests.store.cost.marked import OTHERS, PEOPLE, Company, Person, Visit, numbers, person, visit

BLOCKS = range(60 if LONG else 2)
CALLS = 1000 if LONG else 250


@pytest.mark.parametrize("block", BLOCKS)
def test_the_sent_requests_are_priced_as_they_consume(block: int) -> None:
    random = Random(int(os.environ.get("PKSK_RANDOM", "8")) * 1000 + block)
    sent = PriceCheck(PEOPLE, OTHERS, enabled=True)
    with connect("memory:", hooks=[sent]) as db:
        sent.client = db.client
        db.create_tables(PEOPLE, OTHERS)
        db.batch_put(Company(name="one"), Company(name="two", text="t" * 2000))
        for _ in range(CALLS):
            cost, call = sent.cost, random.choice(KINDS)
            with db.meter() as meter:
                done(call, db, random)

            assert meter.consumed + cost == sent.cost, call
            assert all(row.estimate is None or row.estimate.charges or not row.uses for row in meter.rows)
    assert sent.requests > CALLS
    assert sent.failures > 0


def done(call: Callable[[Store, Random], Any], db: Store, random: Random) -> None:
    """Run a call; it may raise, and the requests that it has sent count all the same."""
    try:
        call(db, random)
    except StoreError:
        pass
    except DesignError as error:
        if error.code not in ("store-transaction-clash", "write-item-twice"):
            raise


def _known(db: Store, random: Random) -> Person | None:
    found = list(db.iter(Person.of_family(random.choice("xy"))))
    return random.choice(found).model_copy(update={"text": "u" * random.choice((0, 1500))}) if found else None


def _changed(db: Store, random: Random) -> Any:
    one, known = person(random), _known(db, random)
    place = known if known is not None and random.random() < 0.8 else one
    update = Person.primary.update(family=place.family, id=place.id)
    for name in random.sample(["email", "city", "age", "text", "company"], random.randint(1, 3)):
        update = update.set(**{name: getattr(one, name)})
    copies = [F.email.set(F.city), F.company.set(F.city.if_not_exists("one")), F.age.set(F.version + 1)]
    copied = [each for each in copies if str(each.path.elements[0]) not in update.changed_fields]
    update = update.apply(*random.sample(copied, 1)) if copied and random.random() < 0.2 else update
    return update.when(F.age > 20) if random.random() < 0.2 else update


def _deleted(db: Store, random: Random) -> Any:
    one, known = person(random), _known(db, random)
    place = known if known is not None and random.random() < 0.3 else one
    return Person.primary.delete(family=place.family, id=place.id)


def _again(db: Store, random: Random, call: Callable[[Person], Any]) -> Any:
    known = _known(db, random)
    return None if known is None else call(known)


def _paged(db: Store, random: Random) -> None:
    query: Any = random.choice((Visit.all_of().hydrate(), Person.of_family("x"), Visit.primary(place="p")))
    first = db.page(query.limit(random.randint(1, 7)))
    if first.next is not None:
        second = db.page(query.limit(3), after=first.next)
        db.page(query.limit(3), before=second.previous)


KINDS: list[Callable[[Store, Random], Any]] = [
    lambda db, random: db.put(person(random)),
    lambda db, random: db.create(person(random)),
    lambda db, random: db.create(person(random)),
    lambda db, random: db.put(visit(random)),
    lambda db, random: db.put(visit(random), when=F.n > 5),
    lambda db, random: _again(db, random, db.put),
    lambda db, random: _again(db, random, db.put),
    lambda db, random: _again(db, random, db.delete),
    lambda db, random: _again(db, random, lambda known: db.move(known, family="z", text="v" * 1200)),
    lambda db, _: db.move(Person.primary.get(family="z", id="1"), family="x"),
    lambda db, random: db.update(_changed(db, random)),
    lambda db, random: db.update(_changed(db, random)),
    lambda db, random: db.update(_changed(db, random), upsert=True),
    lambda db, random: db.delete(_deleted(db, random)),
    lambda db, random: db.delete(Visit.primary.delete(place="p", n=random.randint(0, 30)).if_present()),
    lambda db, random: db.transaction(
        Put(person(random)), _changed(db, random), Put(visit(random)), _deleted(db, random)
    ),
    lambda db, random: db.transaction(_changed(db, random), Put(visit(random))),
    lambda db, random: db.transaction(_changed(db, random), Visit.primary.delete(place="p", n=1)),
    lambda db, random: db.transaction(
        Person.primary.get(family="x", id="1"), Visit.primary.get(place="p", n=random.randint(0, 30))
    ),
    lambda db, random: db.batch_put(*{each.n: each for each in (visit(random) for _ in range(40))}.values()),
    lambda db, random: db.run(
        batch(*(Visit.primary.delete(place="q", n=n) for n in range(random.randint(1, 30))))
    ),
    lambda db, random: db.batch_get(
        *(Visit.primary.get(place="p", n=n) for n in range(random.randint(1, 130)))
    ),
    lambda db, _: list(db.iter(Person.of_family("x"))),
    lambda db, random: list(db.iter(Person.by_city(city="here").hydrate().pages(random.randint(1, 4)))),
    lambda db, _: list(db.iter(Person.by_age(family="y").hydrate().consistently())),
    lambda db, random: list(db.iter(Visit.all_of().hydrate().limit(random.randint(1, 9)))),
    lambda db, _: db.count(Visit.all_of().hydrate()),
    lambda db, _: db.count(Person.of_family("x")),
    lambda db, _: db.first(Visit.primary(place="q").reverse()),
    lambda db, random: list(db.scan(Visit.scan(), segments=random.randint(1, 4))),
    lambda db, _: db.next(numbers),
    lambda db, _: db.take(numbers, 10),
    lambda db, random: db.reconcile(numbers, random.randint(0, 100)),
    _paged,
]


def test_patterns_have_their_estimate_beside_their_consumption() -> None:
    with connect("memory:") as db:
        db.create_tables(PEOPLE)
        with db.meter() as meter:
            list(db.iter(Person.of_family("x")))
            db.create(Person(family="x", id="1"))

    by_name = {row.name: row for row in meter.rows}
    pattern = by_name["Person.of_family"]
    assert pattern.estimate is not None
    assert (pattern.uses, pattern.consumed.read, pattern.estimate.read) == (1, 0.5, 1)
    assert by_name["put Person"].estimate is not None
