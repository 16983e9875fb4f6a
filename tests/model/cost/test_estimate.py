"""Estimates rest on declared figures, list their assumptions, and are None if a figure is missing."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest

from pksk import (
    GSI,
    LSI,
    Entity,
    F,
    Key,
    Put,
    Reference,
    Shard,
    Table,
    Unique,
    VectorIndex,
    batch,
    collect,
    transaction,
)
from pksk.model.access_options import AccessOptions
from pksk.model.requests.costs import estimate

shop = Table(
    "shop",
    indexes=[
        GSI("by-day", pk="g1", sk="g2"),
        GSI("by-state", pk="h1", projection=["total"]),
        LSI("by-total", sk="l1", projection="keys"),
    ],
)


class Order(Entity, table=shop, items=10_000, per_partition=50):
    customer: str
    number: int
    day: date
    state: str = "open"
    total: int = 0
    note: str = ""
    primary = Key("CUST#{customer}", "ORDER#{number:06d}")
    by_day = Key("DAY#{day}#{shard}", "{number:06d}", index="by-day", shard=Shard(4, of="number"))
    by_state = Key("{state}", index="by-state")
    by_total = Key("CUST#{customer}", "{total:09d}", index="by-total")


class Plain(Entity, table=Table("plain")):
    id: str
    primary = Key("PLAIN#{id}", "META")


def cost(request: Any, **declared: Any) -> Any:
    return estimate([request], AccessOptions(**declared)).cost


READS = {
    "a get": (Plain.primary.get(id="7"), {"item_size": 5000}, 1.0),
    "a consistent get": (Plain.primary.get(id="7").consistently(), {"item_size": 5000}, 2.0),
    "declared items": (Order.primary(customer="7"), {"items": 100, "item_size": 1000}, 12.5),
    "the bound of a partition": (Order.primary(customer="7"), {"item_size": 1000}, 6.5),
    "one row": (Order.primary(customer="7", number=5), {"item_size": 1000}, 0.5),
    "a limit": (Order.primary(customer="7").limit(10), {"item_size": 1000}, 1.5),
    "consistent": (Order.primary(customer="7").consistently(), {"items": 8, "item_size": 1000}, 2.0),
    "shards, each rounded up": (Order.by_day(day=date(2025, 1, 1)), {"items": 8, "item_size": 100}, 2.0),
    "several pages": (Order.primary(customer="7"), {"items": 2000, "item_size": 1024}, 250.0),
    "a batch of gets": (
        batch(Plain.primary.get(id="7"), Plain.primary.get(id="8")), {"item_size": 100}, 1.0,
    ),
    "a transaction of gets": (transaction(Plain.primary.get(id="7")), {"item_size": 100}, 2.0),
    "a scan": (Order.scan(), {"items": 10_000, "item_size": 400}, 488.5),
}  # fmt: skip


@pytest.mark.parametrize("name", READS)
def test_reads_are_estimated_from_items_and_size(name: str) -> None:
    request, declared, units = READS[name]

    assert cost(request, **declared).read == units


def test_hydration_is_a_second_read() -> None:
    found = cost(Order.by_total(customer="7").hydrate(), items=10, item_size=5000)

    assert found.charge_of("shop").read == 10 * 1.0
    assert found.charge_of("shop", "by-total").read == 0.5


ONE = Order.primary.update(customer="7", number=1)
FULL = Order(customer="7", number=1, day=date(2025, 1, 1))

WRITES = {
    "a put, in every index": (Put(FULL), {None: 2, "by-day": 2, "by-state": 1, "by-total": 1}),
    "a delete, from every index": (
        Order.primary.delete(customer="7", number=1),
        {None: 2, "by-day": 2, "by-state": 1, "by-total": 1},
    ),
    "a field that one index projects": (ONE.set(note="x"), {None: 2, "by-day": 2}),
    "a field that is a key": (ONE.set(state="paid"), {None: 2, "by-day": 2, "by-state": 2}),
    "a key of the local index, and projected": (
        ONE.set(total=5),
        {None: 2, "by-day": 2, "by-state": 1, "by-total": 2},
    ),
    "a transaction doubles the table alone": (
        transaction(Put(FULL)),
        {None: 4, "by-day": 2, "by-state": 1, "by-total": 1},
    ),
    "a check": (transaction(Order.primary.check(customer="7", number=1)), {None: 4}),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_are_estimated_for_the_table_and_each_index(name: str) -> None:
    request, expected = WRITES[name]
    found = cost(request, item_size=1500)

    assert {charge.index: charge.write for charge in found.charges} == expected


def test_missing_figures_are_named_and_give_no_total() -> None:
    class Loose(Entity, table=Table("loose")):
        a: str
        b: str
        primary = Key("{a}", "{b}")

    found = estimate([Loose.primary(a="x")])

    assert found.cost is None
    assert found.missing == ("how many items a call reads (items=)",)
    assert str(found) == "unknown: how many items a call reads (items=)"


def test_assumptions_name_the_source_of_each_figure() -> None:
    found = estimate([Order.primary(customer="7")])

    assert found.assumptions[0] == "Order: 50 items a call, by per_partition"
    assert "measured on a sample item" in found.assumptions[1]


def test_unique_fields_and_references_are_priced() -> None:
    people = Table("people")

    class Company(Entity, table=people):
        company: str
        primary = Key("COMPANY#{company}", "META")

    class Person(Entity, table=people):
        id: str
        email: Annotated[str, Unique()]
        company: Annotated[str, Reference(Company)]
        primary = Key("PERSON#{id}", "META")

    found = cost(Put(Person(id="7", email="a", company="b")), item_size=500)

    assert found.write == 2 + 2 + 2, "the item, the guard of the address, the check of the company"


def test_several_requests_of_one_call_share_the_declared_items() -> None:
    found = estimate(
        [Order.primary(customer="7"), Order.primary(customer="8")], AccessOptions(items=80, item_size=1000)
    )

    assert found.cost is not None
    assert found.cost.read == 2 * 5.0


def test_a_transaction_is_estimated_with_the_declared_number_of_members() -> None:
    puts = [Put(Plain(id=str(number))) for number in range(2)]

    assert cost(transaction(*puts), items=10, item_size=500).write == 10 * 2
    assert cost(batch(*puts), items=10, item_size=500).write == 10


books = Table("books")


class Author(Entity, table=books):
    name: str
    primary = Key("AUTHOR#{name}", "ABOUT")


class Book(Entity, table=books, per_partition=500):
    name: str
    title: str
    primary = Key("AUTHOR#{name}", "BOOK#{title}")


class Note(Entity, table=books):
    name: str
    n: int
    primary = Key("AUTHOR#{name}", "BOOK#{n:03d}#NOTE")


def test_a_collection_counts_every_entity_whatever_its_order() -> None:
    queries = [Author.primary(name="x"), Book.primary(name="x")]
    found = [estimate([collect(*members)]) for members in (queries, queries[::-1])]

    assert found[0].cost is not None
    assert found[0].cost == found[1].cost
    assert "Author: 1 item a call, since all parts of the key are given" in found[0].assumptions
    assert "Book: 500 items a call, by per_partition" in found[0].assumptions


def test_a_collection_names_the_entity_without_declared_figures() -> None:
    queries = [Book.primary(name="x"), Note.primary(name="x"), Author.primary(name="x")]
    found = [estimate([collect(*members)]) for members in (queries, queries[::-1])]

    assert found[0].cost is found[1].cost is None
    assert found[0].missing == ("how many items of Note a call reads (items=, or its per_partition=)",)
    assert found[0].missing == found[1].missing


def test_an_entry_that_is_smaller_than_its_item_is_an_assumption() -> None:
    read = estimate([Order.by_total(customer="7").hydrate()], AccessOptions(items=10, item_size=5000))
    written = estimate([Put(FULL)])

    assert "Order in 'by-total': 40 bytes an entry, measured on one made up" in read.assumptions
    assert any("Order in 'by-state': " in text for text in written.assumptions)
    assert not any("'by-day'" in text for text in written.assumptions), "it has whole items"


def test_a_vector_index_is_written_by_the_byte() -> None:
    notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=1000, projection="keys")])

    class Text(Entity, table=notes):
        id: str
        words: str = ""
        v: list[float] | None = None
        primary = Key("TEXT#{id}", "META")

    size = len("pkTEXT#id" + "skMETA" + "v") + 4 * 1000
    put, one = estimate([Put(Text(id="7"))]), Text.primary.update(id="7")

    assert [(each.index, each.size_bytes) for each in put.vectors] == [("near", size)]
    assert put.cost is not None
    assert put.cost.charge_of("notes").write == 4, "an item has 4 bytes for each dimension, too"
    assert str(put) == f"4 write units and {size:,} bytes in near"
    assert put.data()["vector_writes"] == [{"table": "notes", "index": "near", "size_bytes": size}]
    assert estimate([one.set(words="x")]).vectors == ()
    assert len(estimate([one.set(v=[1.0] * 1000)]).vectors) == 1


def test_a_call_without_requests_gives_no_figure() -> None:
    assert estimate([]).missing == ("the requests of a call: its example returns none",)


def test_one_item_is_not_several() -> None:
    assert (
        estimate([Order.primary(customer="7")], AccessOptions(items=1)).assumptions[0]
        == "1 item a call, as declared"
    )


def test_a_scan_reads_what_entities_declare_whatever_its_call_returns() -> None:
    class Note(Entity, table=Table("notes")):
        id: str
        primary = Key("NOTE#{id}", "META")

    returned = estimate([Order.scan()], AccessOptions(items=1))

    assert returned.cost == estimate([Order.scan()]).cost
    assert returned.assumptions[0] == "a scan reads all items, and not only 1"
    assert estimate([Note.scan()], AccessOptions(items=1)).assumptions[0] == "1 item in all, as declared"


def test_a_single_item_needs_no_number_of_items() -> None:
    class Settings(Entity, table=Table("settings")):
        theme: str
        primary = Key("SETTINGS", "META", single_item=True)

    assert estimate([Settings.scan()]).missing == ()


def test_a_page_size_does_not_limit_the_results() -> None:
    query = Order.by_day(day=date(2025, 3, 1), number=7).limit(10)
    limited, filtered = query.pages(100), query.filter(F.total > 5)

    assert any("by its limit" in each for each in estimate([limited]).assumptions)
    assert any("by its limit" in each for each in estimate([query.pages(5)]).assumptions)
    for made in (filtered, filtered.pages(100), filtered.pages(5)):
        assert not any("by its limit" in each for each in estimate([made]).assumptions)
