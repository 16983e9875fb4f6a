"""The monthly bill: known figures are counted, unknown ones are listed, and no unknown figure counts as zero."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import (
    GSI,
    LSI,
    DesignError,
    Entity,
    Get,
    Key,
    OnDemand,
    Provisioned,
    Put,
    Query,
    Table,
    Transaction,
    VectorIndex,
    access,
    transaction,
)
from pksk.capacity import Prices
from pksk.model.bill.month import Month, month

SECONDS = 730 * 3600

users = Table("users")
orders = Table(
    "orders",
    billing=Provisioned(read=100, write=50),
    table_class="infrequent-access",
    indexes=[LSI("by-day", sk="day"), GSI("days", pk="g", billing=Provisioned(read=5, write=6))],
)


class User(Entity, table=users, items=10):
    id: str
    primary = Key("USER#{id}", "META")


class Order(Entity, table=orders, items=100):
    id: str
    day: str = "2025"
    primary = Key("ORDER#{id}", "META")
    days = Key("{day}", index="days")


class Cart(Entity, table=orders):
    id: str
    primary = Key("CART#{id}", "META")


@access(rate=1000)
def buy(key: str) -> Transaction:
    return transaction(Put(Order(id=key)), User.primary.check(id=key))


@access(rate=0)
def never(key: str) -> Get[User]:
    return User.primary.get(id=key)


def arms(bill: Month) -> dict[str, Any]:
    return {each.name: each for each in bill.indexes}


def patterns(bill: Month) -> dict[str, Any]:
    return {each.name: each for each in bill.patterns}


BOTH = month([users, orders])


def test_storage_is_counted_as_far_as_it_is_known() -> None:
    table = arms(BOTH)["orders"]

    assert table.stored.size is not None
    assert table.storage is not None
    assert table.at_least == {"stored_bytes", "storage"}
    assert "Cart: how many items there are (items=)" in BOTH.missing
    assert arms(BOTH)["orders/days"].at_least == frozenset(), "carts are not in it"


def test_a_local_index_uses_the_capacity_of_its_table() -> None:
    rows = arms(BOTH)

    assert rows["orders/by-day"].shared
    assert rows["orders/by-day"].provisioned is None
    assert rows["orders/by-day"].requests is None
    assert rows["orders"].used.write == 1000 * (2 + 1)
    assert rows["orders"].write_per_second == 1000 * 2


def test_use_above_the_provisioned_capacity_is_noted() -> None:
    assert [note.partition(":")[0] for note in BOTH.notes] == ["orders", "orders/days"]
    assert "use 3,000 write units a second, and 50 are provisioned" in BOTH.notes[0]


@pytest.mark.parametrize(("limit", "notes"), [(5, []), (4, ["use 5 read units a second, and 4 are allowed"])])
def test_use_above_a_limit_is_noted(limit: int, notes: list[str]) -> None:
    small = Table("small", billing=OnDemand(max_read=limit))

    class Row(Entity, table=small, items=1):
        id: str
        primary = Key("ROW#{id}", "META")

        @access(rate=10)
        @classmethod
        def one(cls, key: str) -> Get[Row]:
            return cls.primary.get(id=key)

    found = month([small]).notes
    assert [note.split("calls ")[1].partition(";")[0] for note in found] == notes


def test_a_pattern_is_paid_on_demand_or_by_the_hour_or_both() -> None:
    rows = patterns(BOTH)

    assert rows["buy"].provisioned
    assert float(rows["buy"].money.amount) == pytest.approx(1000 * 2 * SECONDS * 0.625 / 1e6)
    assert rows["never"].calls_per_second == 0
    assert rows["never"].money.amount == 0


def test_a_pattern_that_uses_other_tables_has_a_note() -> None:
    alone = patterns(month([users]))["buy"]

    assert alone.missing == ("its part in table 'orders', which is not in this bill",)
    assert float(alone.money.amount) == pytest.approx(1000 * 2 * SECONDS * 0.625 / 1e6)
    assert "buy: its part in table 'orders', which is not in this bill" in month([users]).missing


shelf = Table("shelf", indexes=[GSI("by-title", pk="title", projection="keys")], stream=True)


class Book(Entity, table=shelf, items=1_000_000):
    id: str
    title: str = ""
    primary = Key("BOOK#{id}", "META")

    @access(rate=2, items=1, item_size=400)
    @classmethod
    def one(cls, key: str) -> Query[Book]:
        return cls.primary(id=key)

    @access(rate=1, items=2, item_size=300)
    @classmethod
    def smaller(cls, key: str) -> Query[Book]:
        return cls.primary(id=key)

    @access()
    @classmethod
    def add(cls, book: Book) -> Put[Book]:
        return Put(book)

    @access(rate=1, example={"title": "x"})
    @classmethod
    def titled(cls, title: str) -> Query[Book]:
        return cls.primary(id=title).filter(_fail())


def _fail() -> Any:
    raise ValueError("nothing")


SHELF = month([shelf])


def test_patterns_without_a_rate_or_an_estimate_have_no_cost_of_zero() -> None:
    rows = arms(SHELF)

    assert rows["shelf"].write_per_second is None
    assert rows["shelf"].read_per_second == 2 * 0.5 + 1 * 0.5
    assert rows["shelf"].at_least >= {"read_per_second", "write_per_second", "requests"}
    assert rows["shelf/by-title"].write_per_second is None
    assert rows["shelf/by-title"].requests is None
    assert "Book.add: its rate (rate=)" in SHELF.missing


def test_a_table_without_patterns_is_not_free() -> None:
    bare = month([Table("bare")])

    assert arms(bare)["bare"].requests is None
    assert arms(bare)["bare"].storage is None
    assert bare.missing == (
        "bare: its storage, as it has no entity",
        "bare: its reads and writes, as it has no access pattern",
    )
    assert bare.total.amount == 0


def test_storage_has_the_largest_size_that_a_pattern_declares() -> None:
    rows = arms(SHELF)

    assert rows["shelf"].stored.size == 1_000_000 * (400 + 100)
    assert "Book: 400 bytes an item, as declared by Book.one, and 1,000,000 of them" in SHELF.assumptions
    entry = len("pkBOOK#id" + "skMETA" + "titletitle")
    assert rows["shelf/by-title"].stored.size == 1_000_000 * (entry + 100)
    assert f"Book in 'by-title': {entry} bytes an entry, measured on one made up" in SHELF.assumptions


def test_the_readers_of_a_stream_are_missing() -> None:
    wanted = "shelf: GetRecords calls on its stream, as its readers are not known, at $0.020 for 100,000"

    assert wanted in SHELF.missing


def test_a_vector_index_is_billed_by_the_bytes_written() -> None:
    notes = Table("notes", indexes=[VectorIndex("near", attribute="v", dimensions=1000)])

    class Note(Entity, table=notes, items=1_000_000):
        id: str
        v: list[float] | None = None
        primary = Key("NOTE#{id}", "META")

        @access(rate=100, item_size=4500)
        @classmethod
        def write(cls, key: str) -> Put[Note]:
            return Put(cls(id=key))

    bill = month([notes])
    row = arms(bill)["notes/near"]

    assert row.written_per_second == 100 * 4500
    assert float(row.requests.amount) == pytest.approx(100 * 4500 * SECONDS / 2**30 * 0.52)
    assert row.stored.size == 1_000_000 * 4600
    assert row.at_least == {"read_per_second", "requests"}, "nothing is known of searches"
    assert "notes/near: its searches, as no access pattern makes one" in bill.missing
    both = 100 * 5 * SECONDS * 0.625 / 1e6 + float(row.requests.amount)
    assert float(bill.patterns[0].money.amount) == pytest.approx(both)  # type: ignore[union-attr]


def test_a_price_that_the_file_lacks_is_missing_and_the_rest_is_counted() -> None:
    bill = month([users, orders], region="ap-northeast-2")
    rows = arms(bill)

    assert rows["users"].requests is not None
    assert rows["users"].storage is None
    assert rows["orders"].requests is None
    assert (
        "pksk/capacity/prices.toml: regions.ap-northeast-2.standard has no storage_gb_month" in bill.missing
    )
    assert any("infrequent-access has no read_unit_hour" in each for each in bill.missing)


def test_a_class_and_a_side_without_price_are_missing() -> None:
    text = 'as_of = 2026-01-31\ncurrency = "EUR"\n[regions.moon.standard]\nread_units_per_million = 10\n'
    bill = month([users, orders, shelf], Prices.parse(text), "moon")
    rows = arms(bill)

    assert rows["shelf"].requests is not None, "its reads have a price"
    assert "requests" in rows["shelf"].at_least
    assert any("moon.infrequent-access has no write_unit_hour" in each for each in bill.missing)
    assert any("moon.standard has no write_units_per_million" in each for each in bill.missing)
    assert "at_least" in bill.data()["tables"][0]


def test_two_tables_of_one_name_are_not_billed_twice() -> None:
    with pytest.raises(DesignError, match="two tables are named 'users'") as caught:
        month([users, Table("users", sk=None)])

    assert caught.value.code == "cost-table-twice"
    assert month([users, users]).total == month([users]).total
