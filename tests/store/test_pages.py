"""Pages and cursors: forwards, backwards, from any item, and rejected for another query."""

from __future__ import annotations

import string
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk import (
    DesignError,
    F,
    InvalidCursor,
    InvalidValue,
    Page,
    PkskError,
    Query,
    Store,
    between,
    collect,
    connect,
    gte,
)
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Customer, Line, Order, Reading, Slim, Word, shop

FIRST = date(2025, 3, 1)
ALL = Order.primary(customer="7")


@pytest.fixture
def orders(db: Store) -> list[Order]:
    made = [
        Order(customer="7", number=n, day=FIRST + timedelta(days=n % 3), total=n % 4, agent="eve")
        for n in range(11)
    ]
    db.batch_put(*made)
    return made


def forwards(db: Store, query: Query[Any]) -> list[Any]:
    """All results, page by page."""
    found: list[Any] = []
    after = None
    while True:
        page = db.page(query, after=after)
        found += page.items
        if page.next is None:
            return found
        after = page.next


def backwards(db: Store, query: Query[Any], last: str) -> list[Any]:
    """All results before the last one, page by page, in their order."""
    found: list[Any] = []
    before: str | None = last
    while before is not None:
        page = db.page(query, before=before)
        found = [*page.items, *found]
        before = page.previous
    return found


@pytest.mark.parametrize("limit", [1, 3, 10, 11, 12])
def test_pages_of_any_size_find_everything_in_both_directions(
    db: Store, orders: list[Order], limit: int
) -> None:
    query = ALL.limit(limit)
    whole = db.page(ALL.limit(50))

    assert forwards(db, query) == orders
    assert backwards(db, query, whole.cursor(-1)) == orders[:-1]
    assert forwards(db, query.reverse()) == orders[::-1]


def test_a_page_is_a_sequence_of_its_results(db: Store, orders: list[Order]) -> None:
    page = db.page(ALL.limit(3))

    assert (len(page), list(page), page[0], page[1:]) == (3, orders[:3], orders[0], tuple(orders[1:3]))
    assert isinstance(page, Page)


def test_the_first_page_has_no_previous_and_the_last_no_next(db: Store, orders: list[Order]) -> None:
    first = db.page(ALL.limit(6))
    second = db.page(ALL.limit(6), after=first.next)

    assert first.previous is None
    assert second.next is None
    assert list(db.page(ALL.limit(6), before=second.previous)) == orders[:6]


def test_pages_can_go_back_and_forth(db: Store, orders: list[Order]) -> None:
    first = db.page(ALL.limit(4))
    second = db.page(ALL.limit(4), after=first.next)
    back = db.page(ALL.limit(4), before=second.previous)
    again = db.page(ALL.limit(4), after=back.next)

    assert (back.items, again.items) == (first.items, second.items)
    assert back.previous is None


def test_a_cursor_of_any_item(db: Store, orders: list[Order]) -> None:
    page = db.page(ALL.limit(8))

    for place in range(8):
        assert list(db.page(ALL.limit(2), after=page.cursor(place))) == orders[place + 1 : place + 3]
        assert list(db.page(ALL.limit(2), before=page.cursor(place))) == orders[max(0, place - 2) : place]
    assert page.cursor(-1) == page.cursor(7) == page.next


@pytest.mark.one_door
def test_a_position_outside_the_page_raises(db: Store, orders: list[Order]) -> None:
    page = db.page(ALL.limit(2))
    with pytest.raises(IndexError):
        page.cursor(2)
    for wrong in ("x", 1.0, None, True, page[0]):
        with pytest.raises(InvalidValue, match=r"^cursor\(") as caught:
            page.cursor(wrong)  # type: ignore[arg-type]

        assert caught.value.code == "store-page-position"


def test_a_cursor_fits_any_size_of_page_and_any_model(db: Store, orders: list[Order]) -> None:
    page = db.page(ALL.limit(2))

    assert list(db.page(ALL.limit(5), after=page.next)) == orders[2:7]
    assert list(db.page(ALL.pages(2).limit(5), after=page.next)) == orders[2:7]
    assert list(db.page(ALL, after=page.next)) == orders[2:]


def test_without_a_limit_a_page_has_the_results_of_one_request(db: Store, orders: list[Order]) -> None:
    page = db.page(ALL.pages(4))

    assert list(page) == orders[:4]
    assert list(db.page(ALL.pages(4), after=page.next)) == orders[4:8]
    assert forwards(db, ALL.pages(4)) == orders


def test_a_page_of_filtered_results_is_full(db: Store, orders: list[Order]) -> None:
    query = ALL.filter(F.total == 3).limit(2)
    first = db.page(query)

    assert [each.number for each in first] == [3, 7]
    assert forwards(db, query) == [each for each in orders if each.total == 3]
    assert forwards(db, ALL.filter(F.total == 3).pages(1).limit(1)) == [
        each for each in orders if each.total == 3
    ]


def test_a_page_among_foreign_items(db: Store, orders: list[Order]) -> None:
    db.batch_put(*(Line(customer="7", number=n, line=line) for n in range(11) for line in range(3)))

    assert forwards(db, ALL.limit(3)) == orders
    assert backwards(db, ALL.limit(3), db.page(ALL.limit(11)).cursor(-1)) == orders[:-1]


def test_the_cursor_of_a_deleted_item_is_still_valid(db: Store, orders: list[Order]) -> None:
    page = db.page(ALL.limit(3))
    db.delete(orders[2])

    assert list(db.page(ALL.limit(2), after=page.next)) == orders[3:5]
    assert list(db.page(ALL.limit(2), before=page.next)) == orders[0:2]


def test_new_items_do_not_shift_pages(db: Store, orders: list[Order]) -> None:
    page = db.page(Order.primary(customer="7", number=gte(2)).limit(3))
    new = db.put(Order(customer="7", number=1000, day=FIRST))
    rest = db.page(Order.primary(customer="7", number=gte(2)).limit(50), after=page.next)

    assert list(rest) == [*orders[5:], new]


def test_pages_of_a_keys_only_index(db: Store, orders: list[Order], eventually: Eventually) -> None:
    query = Order.slim(day=FIRST).hydrate()
    expected = [each for each in orders if each.day == FIRST]
    eventually(lambda: forwards(db, query.limit(2)), expected)
    last = db.page(query.limit(4)).cursor(-1)

    assert backwards(db, query.limit(2), last) == expected[:-1]


def test_pages_of_smaller_models_have_cursors(db: Store, orders: list[Order], eventually: Eventually) -> None:
    query = Order.by_agent(agent="eve").into(Slim)
    expected = [
        Slim(total=each.total, status="open") for each in sorted(orders, key=lambda o: (o.day, o.number))
    ]
    eventually(lambda: forwards(db, query.limit(2)), expected)


def equal_rows(db: Store, eventually: Eventually) -> list[Reading]:
    """Rows of an index of which several have one key."""
    made = [Reading(sensor=n % 3, moment=bytes([n]), value=Decimal(1 if n % 2 else 2)) for n in range(9)]
    db.batch_put(*made)
    eventually(lambda: db.count(Reading.by_value(kind="heat")), 9)
    return list(db.iter(Reading.by_value(kind="heat")))


def test_pages_of_rows_with_equal_index_keys(db: Store, eventually: Eventually) -> None:
    whole = equal_rows(db, eventually)

    assert [each.value for each in whole] == [1] * 4 + [2] * 5
    for limit in (1, 2, 4):
        assert forwards(db, Reading.by_value(kind="heat").limit(limit)) == whole


def test_pages_backwards_across_equal_index_keys(db: Store, eventually: Eventually) -> None:
    whole, query = equal_rows(db, eventually), Reading.by_value(kind="heat")

    assert list(db.iter(query.reverse())) == whole[::-1]
    for limit in (1, 2, 4):
        assert backwards(db, query.limit(limit), db.page(query.limit(9)).cursor(-1)) == whole[:-1]


def test_pages_of_a_collection_of_several_partitions(db: Store, orders: list[Order]) -> None:
    db.put(Customer(customer="8", name="Bob"))
    db.batch_put(*(Word(language="de", word=word) for word in ("a", "b", "c")))
    query: Query[Any] = collect(
        Order.primary(customer="7", number=gte(8)),
        Customer.primary(customer="8"),
        Order.primary(customer="7", number=2),
    )
    whole = list(db.iter(query))

    assert len(whole) == 5
    for limit in (1, 2, 3, 5):
        assert forwards(db, query.limit(limit)) == whole
        assert backwards(db, query.limit(limit), db.page(query.limit(9)).cursor(-1)) == whole[:-1]


# What must not be accepted


@pytest.mark.one_door
def test_after_and_before_together_raise(db: Store, orders: list[Order]) -> None:
    page = db.page(ALL.limit(3))
    with pytest.raises(DesignError, match="after= and before= are both set"):
        db.page(ALL.limit(3), after=page.next, before=page.next)


@pytest.mark.one_door
@pytest.mark.parametrize("text", ["", "x", "====", "no cursor", "\u00e9", "a" * 500, 5, None, b"abc"])
def test_a_text_that_is_not_a_cursor_raises(db: Store, text: Any) -> None:
    if text is None:
        assert list(db.page(ALL.limit(1), after=None)) == []
        return
    with pytest.raises(InvalidCursor, match="is not a cursor of this query") as caught:
        db.page(ALL.limit(3), after=text)

    assert isinstance(caught.value, ValueError)
    with pytest.raises(InvalidCursor):
        db.page(ALL.limit(3), before=text)


@pytest.mark.one_door
def test_the_cursor_of_another_query_raises(db: Store, orders: list[Order], eventually: Eventually) -> None:
    cursor = db.page(ALL.limit(3)).next
    others: list[Query[Any]] = [
        Order.primary(customer="8"),
        Order.primary(customer="7", number=gte(0)),
        ALL.reverse(),
        ALL.filter(F.total == 1),
        Line.primary(customer="7"),
        Order.by_status(status="open"),
        collect(ALL, Customer.primary(customer="7")),
    ]
    for other in others:
        with pytest.raises(InvalidCursor):
            db.page(other.limit(3), after=cursor)


def test_the_cursor_of_another_secret_raises(db: Store, door: Door, orders: list[Order]) -> None:
    ours, theirs = door.open(cursor_secret="ours"), door.open(cursor_secret=b"theirs")
    cursor = ours.page(ALL.limit(3)).next

    assert list(door.open(cursor_secret=b"ours").page(ALL.limit(3), after=cursor)) == orders[3:6]
    with pytest.raises(InvalidCursor, match="cursor_secret= or PKSK_CURSOR_SECRET"):
        theirs.page(ALL.limit(3), after=cursor)


@pytest.mark.one_door
def test_every_changed_character_of_a_cursor_is_noticed(db: Store, orders: list[Order]) -> None:
    cursor = db.page(ALL.limit(3)).next or ""
    chance = Random(7)
    alphabet = string.ascii_letters + string.digits + "-_"
    changed = [
        cursor[:place]
        + chance.choice([each for each in alphabet if each != cursor[place]])
        + cursor[place + 1 :]
        for place in range(len(cursor))
    ]
    for text in (*changed, cursor[:-1], cursor[1:], cursor + "A", cursor + "=", cursor + "\n", " " + cursor):
        with pytest.raises(InvalidCursor):
            db.page(ALL.limit(3), after=text)


def test_a_cursor_shows_nothing_of_the_key(db: Store) -> None:
    from base64 import urlsafe_b64decode

    db.batch_put(*(Order(customer="secret-name", number=n, day=FIRST) for n in range(3)))
    cursor = db.page(Order.primary(customer="secret-name").limit(1)).next or ""
    plain = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))

    assert b"secret" not in plain
    assert "secret" not in cursor
    assert cursor.isascii()


def test_equal_positions_have_equal_cursors(db: Store, orders: list[Order]) -> None:
    assert db.page(ALL.limit(3)).next == db.page(ALL.limit(5)).cursor(2)


@pytest.mark.parametrize("limit", [0, -1, "3", True, 2.0])
def test_invalid_limits_raise(limit: Any) -> None:
    with pytest.raises(PkskError, match="the number of rows must be 1 or more"):
        ALL.limit(limit)
    with pytest.raises(PkskError, match="the number of rows must be 1 or more"):
        ALL.pages(limit)


@given(st.text(max_size=80), st.binary(max_size=60))
def test_any_other_text_is_an_invalid_cursor(text: str, data: bytes) -> None:
    from base64 import urlsafe_b64encode

    with connect("memory:") as db:
        db.client.call("CreateTable", shop.create_request())
        for each in (text, urlsafe_b64encode(data).decode(), urlsafe_b64encode(data).decode().rstrip("=")):
            with pytest.raises(InvalidCursor):
                db.page(ALL.limit(3), after=each)


def test_a_page_between_two_days_of_an_index(db: Store, orders: list[Order], eventually: Eventually) -> None:
    query = Order.by_status(status="open", day=between(FIRST, FIRST + timedelta(days=1)))
    expected = sorted(
        (each for each in orders if each.day <= FIRST + timedelta(days=1)), key=lambda o: (o.day, o.number)
    )
    eventually(lambda: forwards(db, query.limit(3)), expected)
    cursor = db.page(query.limit(5)).cursor(4)

    assert backwards(db, query.limit(2), cursor) == expected[:4]
