"""Shards and time buckets: merged in order, lazily, and paged like any other query."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from threading import get_ident
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pksk import GSI, Engine, Entity, F, Key, Query, RequestStarted, Shard, Store, Table, between, connect
from pksk.sending.operation import Call, Steps, Together
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Order
from tests.store.test_pages import backwards, forwards

FIRST = date(2025, 1, 1)
YEAR = Order.monthly(status="open", day=between(FIRST, date(2025, 12, 31)))
SPRING = Order.monthly(status="open", day=between(FIRST, date(2025, 5, 31)))


def orders(count: int, step: int) -> list[Order]:
    """Orders over the days of a year, several on each day."""
    return [
        Order(customer=str(n % 5), number=n, day=FIRST + timedelta(days=n * step % 151), total=n % 3)
        for n in range(count)
    ]


@pytest.fixture
def made(db: Store, eventually: Eventually) -> list[Order]:
    """Orders on days of their own."""
    made = orders(30, 17)
    db.batch_put(*made)
    eventually(lambda: db.count(SPRING), len(made))
    return made


@pytest.fixture
def tied(db: Store, made: list[Order], eventually: Eventually) -> list[Order]:
    """The same, and several of one day, which are in all shards."""
    more = [Order(customer="x", number=n, day=date(2025, 4, 6)) for n in range(9)]
    db.batch_put(*more)
    eventually(lambda: db.count(SPRING), len(made) + 9)
    return [*made, *more]


def watched(door: Door) -> tuple[Store, list[RequestStarted]]:
    sent: list[RequestStarted] = []
    return door.open(hooks=[sent.append]), sent


def test_rows_of_all_shards_and_buckets_come_in_order(db: Store, made: list[Order]) -> None:
    found = list(db.iter(SPRING))

    assert [each.day for each in found] == sorted(each.day for each in made)
    assert sorted(each.number for each in found) == sorted(each.number for each in made)
    assert list(db.iter(SPRING.reverse())) == found[::-1]


def test_a_limit_across_shards_returns_the_first_results(db: Store, made: list[Order]) -> None:
    found = list(db.iter(SPRING))

    for limit in (1, 5, 20, 100):
        assert list(db.iter(SPRING.limit(limit))) == found[:limit]
        assert list(db.iter(SPRING.reverse().limit(limit))) == found[::-1][:limit]


def test_page_sizes_do_not_change_results(db: Store, made: list[Order]) -> None:
    found = list(db.iter(SPRING))

    assert list(db.iter(SPRING.pages(1))) == found
    assert list(db.iter(SPRING.reverse().pages(2))) == found[::-1]
    assert db.count(SPRING.pages(1)) == len(made)
    assert db.count(SPRING.limit(7)) == 7


@pytest.mark.parametrize("limit", [1, 4, 30])
def test_pages_find_the_same_in_both_directions(db: Store, made: list[Order], limit: int) -> None:
    found = list(db.iter(SPRING))
    whole = db.page(SPRING.limit(100))

    assert forwards(db, SPRING.limit(limit)) == found
    assert backwards(db, SPRING.limit(limit), whole.cursor(-1)) == found[:-1]
    assert forwards(db, SPRING.reverse().limit(limit)) == found[::-1]
    last = db.page(SPRING.reverse().limit(100)).cursor(-1)
    assert backwards(db, SPRING.reverse().limit(limit), last) == found[::-1][:-1]


def test_pages_from_any_row(db: Store, made: list[Order]) -> None:
    assert_pieces(db, list(db.iter(SPRING)))


def assert_pieces(db: Store, found: list[Order]) -> None:
    whole = db.page(SPRING.limit(100))
    for place in range(0, len(found), 5):
        cursor = whole.cursor(place)

        assert list(db.page(SPRING.limit(6), after=cursor)) == found[place + 1 : place + 7]
        assert list(db.page(SPRING.limit(6), before=cursor)) == found[max(0, place - 6) : place]


def test_rows_with_equal_sort_keys_in_several_shards_are_each_found_once(
    db: Store, tied: list[Order]
) -> None:
    found = list(db.iter(SPRING))

    assert [each.day for each in found] == sorted(each.day for each in tied)
    assert sorted((each.customer, each.number) for each in found) == sorted(
        (each.customer, each.number) for each in tied
    )
    for limit in (2, 100):
        assert forwards(db, SPRING.limit(limit)) == found
    assert [each.day for each in db.iter(SPRING.reverse())] == [each.day for each in reversed(found)]


def test_rows_with_equal_sort_keys_come_the_other_way_round_backwards(db: Store, tied: list[Order]) -> None:
    found = list(db.iter(SPRING))

    assert list(db.iter(SPRING.reverse())) == found[::-1]
    assert backwards(db, SPRING.limit(2), db.page(SPRING.limit(100)).cursor(-1)) == found[:-1]
    assert_pieces(db, found)


def test_pages_of_filtered_rows(db: Store, made: list[Order]) -> None:
    query = SPRING.filter(F.total == 1)
    found = list(db.iter(query))

    assert [each.total for each in found] == [1] * 10
    assert forwards(db, query.limit(3)) == found
    assert forwards(db, query.limit(3).pages(1)) == found
    assert backwards(db, query.limit(3), db.page(query.limit(50)).cursor(-1)) == found[:-1]


def test_reading_the_first_of_twelve_buckets_does_not_read_all(
    door: Door, db: Store, made: list[Order]
) -> None:
    store, sent = watched(door)
    found = store.first(YEAR)

    assert found is not None
    assert found.day == min(each.day for each in made)
    # The three shards of the first bucket.
    assert len(sent) == 3


def test_a_program_that_stops_early_has_read_little(door: Door, db: Store, made: list[Order]) -> None:
    store, sent = watched(door)
    found = store.iter(YEAR)
    for _ in range(3):
        next(found)
    found.close()  # type: ignore[attr-defined]

    assert len(sent) <= 9


def test_reading_all_results_reads_each_partition_once(door: Door, db: Store, made: list[Order]) -> None:
    store, sent = watched(door)
    list(store.iter(YEAR))

    assert len(sent) == 36


def test_a_page_behind_a_cursor_does_not_read_what_is_before_it(
    door: Door, db: Store, made: list[Order]
) -> None:
    cursor = db.page(SPRING.limit(100)).cursor(25)
    store, sent = watched(door)
    store.page(SPRING.limit(2), after=cursor)

    assert len(sent) <= 9


def test_empty_buckets_are_skipped(db: Store, eventually: Eventually) -> None:
    db.batch_put(
        *(Order(customer="7", number=n, day=date(2025, month, 1)) for n, month in enumerate((1, 12)))
    )
    eventually(lambda: [each.number for each in db.iter(YEAR)], [0, 1])
    eventually(lambda: [each.number for each in db.iter(YEAR.reverse())], [1, 0])
    eventually(lambda: forwards(db, YEAR.limit(1)), list(db.iter(YEAR)))


def test_a_span_within_a_bucket_begins_and_ends_in_it(
    db: Store, made: list[Order], eventually: Eventually
) -> None:
    span = (date(2025, 2, 10), date(2025, 4, 3))
    query = Order.monthly(status="open", day=between(*span))
    expected = sorted(each.day for each in made if span[0] <= each.day <= span[1])

    assert [each.day for each in db.iter(query)] == expected
    assert [each.day for each in forwards(db, query.limit(2))] == expected


log = Table("logged", indexes=[GSI("timely", pk="t1", sk="t2")])


class Entry(Entity, table=log):
    """Time buckets and shards of the table itself, with sort keys that are often equal."""

    id: str
    day: date
    level: int

    primary = Key(
        "ENTRY#{day:%Y-%m}#{shard}", "{level}#{id}", shard=Shard(3, of="id"), identity=("level", "id")
    )
    timely = Key("TIME#{day:%Y-%m}#{shard}", "{level:02d}", index="timely", shard=Shard(4, of="id"))


SPANS: list[Query[Any]] = [
    Entry.timely(day=between(FIRST, date(2025, 4, 30))),
    Entry.timely(day=between(FIRST, date(2025, 4, 30))).reverse(),
    Entry.timely(day=between(date(2025, 2, 1), date(2025, 2, 28))).filter(F.level > 3),
    Entry.timely(day=date(2025, 2, 3)),
    Entry.timely(day=date(2025, 2, 3)).reverse(),
]


@pytest.fixture(scope="module")
def entries() -> Iterator[Store]:
    with connect("memory:") as db:
        db.create_tables(log)
        for n in range(120):
            db.put(Entry(id=f"e{n}", day=FIRST + timedelta(days=n % 118), level=n * 7 % 5))
        yield db


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    query=st.sampled_from(SPANS),
    limit=st.integers(1, 40),
    size=st.none() | st.integers(1, 9),
    place=st.integers(0, 200),
)
def test_any_page_of_any_range_is_a_slice_of_all_rows(
    entries: Store, query: Query[Any], limit: int, size: int | None, place: int
) -> None:
    whole = list(entries.iter(query))
    sized = query.limit(limit) if size is None else query.limit(limit).pages(size)
    cursor = entries.page(query.limit(200)).cursor(place % len(whole))
    place %= len(whole)

    assert list(entries.page(sized, after=cursor)) == whole[place + 1 : place + 1 + limit]
    assert list(entries.page(sized, before=cursor)) == whole[max(0, place - limit) : place]
    assert list(entries.iter(sized)) == whole[:limit]


def test_equal_sort_keys_have_the_same_order_in_every_read(entries: Store) -> None:
    whole = list(entries.iter(SPANS[0]))

    assert list(entries.iter(SPANS[1])) == whole[::-1]
    for limit in (1, 7, 50):
        assert forwards(entries, SPANS[0].limit(limit)) == whole


def test_an_order_by_buckets_and_shards_is_one_of_sort_keys_in_each_bucket(entries: Store) -> None:
    months = [(each.day.month, each.level) for each in entries.iter(SPANS[0])]

    assert months == sorted(months)


def test_parallel_requests_inside_parallel_requests_do_not_wait_for_another_thread() -> None:
    def inner() -> Steps[int]:
        yield Call("ListTables", {})
        return get_ident()

    def outer() -> Steps[list[int]]:
        idents: list[int] = yield Together((inner(), inner()))
        return [get_ident(), *idents]

    def both() -> Steps[list[list[int]]]:
        threads: list[list[int]] = yield Together((outer(), outer()))
        return threads

    with Store(Engine.open(), workers=3) as db:
        threads = db._driver.run(both())

    assert [len(set(idents)) for idents in threads] == [1, 1]
    assert get_ident() not in threads[0] + threads[1]
