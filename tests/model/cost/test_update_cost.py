"""Which indexes a write is charged for: those that the item can be in, and what becomes of its entry there."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import GSI, LSI, Entity, F, Key, Put, Table
from pksk.capacity import Cost
from pksk.model.requests.costs import estimate

table = Table(
    "mails", indexes=[GSI("by-mail", pk="mail"), LSI("by-day", sk="day"), GSI("by-kind", pk="type")]
)


class Mail(Entity, table=table):
    """No key is declared in any index: fields and the discriminator are what they need."""

    id: str
    mail: str | None = None
    day: str = "2025"
    text: str = ""
    primary = Key("MAIL#{id}", "META")


class Sparse(Entity, table=Table("sparse", indexes=[GSI("open", pk="o", projection="keys")])):
    id: str
    pending: str | None = None
    paid: bool = False
    primary = Key("S#{id}", "META")
    open = Key("P#{pending}", index="open", when=F.paid == False)  # noqa: E712


def by_index(found: Any) -> dict[str | None, float]:
    cost = found if isinstance(found, Cost) else found.cost
    return {charge.index: charge.write for charge in cost.charges}


MAIL = Mail(id="7", mail="a", day="2025")
ONE = Mail.primary.update(id="7")
ALL = {None: 1, "by-mail": 1, "by-day": 1, "by-kind": 1}

PLAIN: dict[str, tuple[Any, Any, Any]] = {
    "put": (Put(MAIL), None, ALL),
    "delete": (Mail.primary.delete(id="7"), MAIL, ALL),
    "moves": (ONE.set(mail="b"), MAIL, ALL | {"by-mail": 2}),
    "moves in the local index": (ONE.set(day="2026"), MAIL, ALL | {"by-day": 2}),
    "leaves": (ONE.remove("mail"), MAIL, ALL),
    "is projected": (ONE.set(text="x"), MAIL, ALL),
}


@pytest.mark.parametrize("name", PLAIN)
def test_an_index_on_plain_fields_is_estimated_as_it_is_priced(name: str) -> None:
    write, before, expected = PLAIN[name]

    assert by_index(estimate([write])) == expected
    assert {charge.index: charge.write for charge in write.price(before).charges} == expected


def test_an_entity_without_the_attributes_of_an_index_is_not_in_it() -> None:
    class Note(
        Entity, table=Table("notes", indexes=[GSI("by-mail", pk="mail"), GSI("both", pk="id", sk="mail")])
    ):
        id: str
        primary = Key("NOTE#{id}", "META")

    assert by_index(estimate([Put(Note(id="7"))])) == {None: 1}


SPARSE = Sparse.primary.update(id="7")
CHANGES: dict[str, tuple[Any, int, str]] = {
    "a source becomes absent": (SPARSE.remove("pending"), 1, "leaves"),
    "the condition fails": (SPARSE.set(paid=True), 1, "leaves"),
    "a source changes": (SPARSE.set(pending="x", paid=False), 2, "moves"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_entry_of_a_sparse_index_leaves_enters_or_moves(name: str) -> None:
    update, writes, word = CHANGES[name]
    found = estimate([update])

    assert by_index(found)["open"] == writes
    assert any(f"{word} 'open'" in text or f"in 'open' {word}" in text for text in found.assumptions)


def test_the_read_item_decides_whether_it_had_an_index_entry() -> None:
    class Counter(Entity, table=Table("counters", indexes=[GSI("used", pk="u")])):
        id: str
        n: int = 0
        primary = Key("C#{id}", "META")
        used = Key("USED#{id}", index="used", when=F.n > 0)

    one = Counter.primary.update(id="7").add(n=1)

    assert by_index(estimate([one.with_read({"n": 0})])) == {None: 1, "used": 1}
    assert "the item enters 'used': one write to add its entry" in estimate([one.with_read({})]).assumptions
    assert by_index(estimate([one.with_read({"n": -5})])) == {None: 1}
    # It stays in the index, under the same key.
    assert by_index(estimate([one.with_read({"n": 5})])) == {None: 1, "used": 1}
    assert by_index(one.with_read({"n": 5}).price(Counter(id="7", n=5))) == {None: 1, "used": 1}


def test_an_upsert_may_enter_every_index() -> None:
    found = estimate([Mail.primary.update(id="7").set(mail="b").upsert()])

    assert by_index(found) == {None: 1, "by-mail": 2, "by-day": 1, "by-kind": 1}
