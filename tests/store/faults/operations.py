"""Everything that a store can do, each as a call on the design of these tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pksk import F, Put, Store, collect
from tests.store.faults.design import Animal, Doc, Dog, Note, Page, Person, Session, Ticket, numbers

__all__ = ["BATCHES", "READS", "REJECTED", "WRITES"]

StoreOperation = Callable[[Store], Any]

NOTE = Note.primary.update(id="1")
DOC = Doc.primary.get(folder="a", id="1")
GETS = [Page.primary.get(book="b", number=n) for n in (3, 99, 0, 7, 3)]


def _read_and_put(db: Store) -> Any:
    """As an application does that changes what it has read."""
    found = db.get(Ticket.primary.get(id="1"))
    assert found is not None
    return db.put(found.model_copy(update={"count": found.count + 1}))


def _read_and_delete(db: Store) -> Any:
    found = db.get(DOC)
    assert found is not None
    return db.delete(found)


def _moved_entity(db: Store) -> Any:
    found = db.get(DOC)
    assert found is not None
    return db.move(found, folder="c")


def _all_pages(db: Store) -> list[Any]:
    query = Page.primary(book="b").limit(5)
    found: list[Any] = []
    after = None
    while True:
        page = db.page(query, after=after)
        found += page.items
        if page.next is None:
            return found
        after = page.next


WRITES: Final[dict[str, StoreOperation]] = {
    "put": lambda db: db.put(Note(id="1", text="new")),
    "put of a new one": lambda db: db.put(Note(id="9", text="new")),
    "put if": lambda db: db.put(Note(id="1", text="new"), when=F.text == "one"),
    "put if the condition holds for itself": lambda db: db.put(
        Note(id="1", text="one"), when=F.text == "one"
    ),
    "create": lambda db: db.create(Note(id="9", text="new")),
    "create with a version": lambda db: db.create(Ticket(id="9")),
    "create with stamps": lambda db: db.create(Doc(folder="a", id="9")),
    "put with a version": _read_and_put,
    "update: set": lambda db: db.update(NOTE.set(text="new")),
    "update: set, which needs to read": lambda db: db.update(NOTE.set(day="friday")),
    "update: set if": lambda db: db.update(NOTE.set(text="new").when(F.text == "one")),
    "update: add a number": lambda db: db.update(NOTE.add(hits=1)),
    "update: add to a set": lambda db: db.update(NOTE.add(tags={"y"})),
    "update: append": lambda db: db.update(NOTE.append(log=["b"])),
    "update: discard": lambda db: db.update(NOTE.discard(tags={"x"})),
    "update: remove": lambda db: db.update(NOTE.remove("text")),
    "update: remove an element": lambda db: db.update(NOTE.apply(F.log[0].remove())),
    "update: set beyond the end": lambda db: db.update(NOTE.apply(F.log[9].set("b"))),
    "update: an older value": lambda db: db.update(
        NOTE.apply(F.text.set(F.day.if_not_exists("x"))).set(day="friday")
    ),
    "update: with a version": lambda db: db.update(Ticket.primary.update(id="1").set(count=9)),
    "update: upsert": lambda db: db.update(Note.primary.update(id="9").add(hits=1), upsert=True),
    "update: a unique value": lambda db: db.update(
        Person.primary.update(id="1").set(email="new").add(seen=1)
    ),
    "update: a reference": lambda db: db.update(Person.primary.update(id="2").set(note="2")),
    "delete": lambda db: db.delete(Note.primary.delete(id="1")),
    "delete a missing item": lambda db: db.delete(Note.primary.delete(id="9")),
    "delete if present": lambda db: db.delete(Note.primary.delete(id="1").if_present()),
    "delete if": lambda db: db.delete(Note.primary.delete(id="1").when(F.text == "one")),
    "delete of a version": _read_and_delete,
    "delete with a unique value": lambda db: db.delete(Person.primary.delete(id="1")),
    "create with a unique value": lambda db: db.create(Person(id="9", email="new", note="2")),
    "put with a unique value": lambda db: db.put(Person(id="1", email="new")),
    "put with references": lambda db: db.put(Person(id="2", email="c@d", note="1")),
    "move": lambda db: db.move(DOC, folder="b", count=6),
    "move of an entity that was read": _moved_entity,
    "move to the same key": lambda db: db.move(DOC, count=6),
    "move with a unique value": lambda db: db.move(Person.primary.get(id="1"), id="7"),
    "transaction": lambda db: db.transaction(
        Put(Note(id="9")).if_absent(),
        NOTE.add(hits=1).append(log=["b"]),
        Doc.primary.update(folder="a", id="1").add(count=1),
        Person.primary.delete(id="2"),
        Note.primary.check(id="2"),
    ),
    "update: upsert over an expired item": lambda db: db.update(
        Session.primary.update(id="expired").add(seen=1), upsert=True
    ),
    "update: upsert of a unique value over an expired item": lambda db: db.update(
        Session.primary.update(id="expired").set(code="z"), upsert=True
    ),
    "create over an expired item": lambda db: db.create(Session(id="expired", code="x2")),
    "create with the unique value of an expired item": lambda db: db.create(Session(id="9", code="y")),
    "put over an expired item": lambda db: db.put(Session(id="expired", seen=1)),
    "update an item with a TTL": lambda db: db.update(Session.primary.update(id="1").add(seen=1)),
    "delete an expired item": lambda db: db.delete(Session.primary.delete(id="expired")),
    "update: of any entity": lambda db: db.update(Animal.primary.update(name="rex").set(legs=3)),
    "update: of a subclass": lambda db: db.update(Dog.primary.update(name="rex").add(tricks=1)),
    "delete of a subclass": lambda db: db.delete(Dog.primary.delete(name="rex")),
    "put over an item of the base class": lambda db: db.put(Dog(name="cat")),
    "move of any entity": lambda db: db.move(Animal.primary.get(name="rex"), name="max"),
    "reconcile": lambda db: db.reconcile(numbers, 40),
    "reconcile to a number that was drawn": lambda db: db.reconcile(numbers, 1),
}

BATCHES: Final[dict[str, StoreOperation]] = {
    "batch_put": lambda db: db.batch_put(*(Page(book="c", number=n, words=n) for n in range(60))),
    "batch_put over other items": lambda db: db.batch_put(
        *(Page(book="b", number=n, words=99) for n in range(4))
    ),
    "batch_delete": lambda db: db.batch_delete(*(Page.primary.delete(book="b", number=n) for n in range(30))),
}

READS: Final[dict[str, StoreOperation]] = {
    "get": lambda db: db.get(DOC),
    "get an expired item": lambda db: db.get(Session.primary.get(id="expired")),
    "get a missing item": lambda db: db.get(Note.primary.get(id="9")),
    "batch_get": lambda db: db.batch_get(*GETS),
    "batch_get of many": lambda db: db.batch_get(*(Page.primary.get(book="b", number=n) for n in range(250))),
    "transaction of gets": lambda db: db.transaction(*GETS[:3]),
    "iter": lambda db: list(db.iter(Page.primary(book="b"))),
    "iter backwards": lambda db: list(db.iter(Page.primary(book="b").reverse())),
    "iter with pages": lambda db: list(db.iter(Page.primary(book="b").pages(2))),
    "iter with a limit": lambda db: list(db.iter(Page.primary(book="b").limit(5))),
    "iter over shards": lambda db: list(db.iter(Page.by_words())),
    "hydrate": lambda db: sorted(map(repr, db.iter(Page.thin().hydrate()))),
    "filter": lambda db: list(db.iter(Page.primary(book="b").filter(F.words == 3))),
    "page": lambda db: db.page(Page.by_words().limit(4)).items,
    "pages": _all_pages,
    "first": lambda db: db.first(Page.primary(book="b").reverse()),
    "count": lambda db: db.count(Page.primary(book="b")),
    "count over shards": lambda db: db.count(Page.by_words()),
    "count with a limit": lambda db: db.count(Page.primary(book="b").limit(7)),
    "scan": lambda db: sorted(map(repr, db.scan(Page.scan()))),
    "scan in segments": lambda db: sorted(map(repr, db.scan(Page.scan(), segments=3))),
    "collect": lambda db: db.run(collect(Note.primary(id="1"), Page.primary(book="b"))),
}

REJECTED: Final[dict[str, StoreOperation]] = {
    "create what is there": lambda db: db.create(Note(id="1")),
    "create what is there, unique": lambda db: db.create(Person(id="1", email="new")),
    "put if, which fails": lambda db: db.put(Note(id="1"), when=F.text == "other"),
    "put of an old version": lambda db: db.put(Ticket(id="1", version=7)),
    "update a missing item": lambda db: db.update(Note.primary.update(id="9").set(text="new")),
    "update a missing item after a read": lambda db: db.update(Note.primary.update(id="9").set(day="friday")),
    "update if, which fails": lambda db: db.update(NOTE.set(text="new").when(F.text == "other")),
    "delete if present, which is not": lambda db: db.delete(Note.primary.delete(id="9").if_present()),
    "delete if, which fails": lambda db: db.delete(Note.primary.delete(id="1").when(F.text == "other")),
    "unique value taken": lambda db: db.create(Person(id="9", email="a@b")),
    "unique value taken by an update": lambda db: db.update(Person.primary.update(id="2").set(email="a@b")),
    "update of another kind": lambda db: db.update(Dog.primary.update(name="cat").add(tricks=1)),
    "delete of another kind": lambda db: db.delete(Dog.primary.delete(name="cat").if_present()),
    "update an expired item": lambda db: db.update(Session.primary.update(id="expired").add(seen=1)),
    "create what has a time": lambda db: db.create(Session(id="1")),
    "reference to nothing": lambda db: db.put(Person(id="9", note="9")),
    "move of a missing item": lambda db: db.move(Doc.primary.get(folder="a", id="9"), folder="b"),
    "move onto another": lambda db: db.move(Person.primary.get(id="1"), id="2"),
    "transaction": lambda db: db.transaction(
        Put(Note(id="9")), Note.primary.update(id="8").add(hits=1), Put(Note(id="1")).if_absent()
    ),
}
