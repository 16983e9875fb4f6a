"""Limits and pages read only the items that they return, whatever other items are among them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from pksk import Clock, F, ItemUnreadable, Put, Store
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Customer, Order, Session, Word

FIRST = date(2025, 3, 1)
SLIM = Order.slim(day=FIRST).hydrate()
ALL = Word.primary(language="en")


@pytest.fixture
def orders(db: Store) -> list[Order]:
    made = [Order(customer="7", number=n, day=FIRST, total=n, agent="eve") for n in range(250)]
    db.batch_put(*made)
    return made


def test_a_limit_on_a_keys_only_index_reads_as_many_items(
    db: Store, orders: list[Order], eventually: Eventually
) -> None:
    eventually(lambda: db.count(Order.slim(day=FIRST)), 250)
    for run, count in (
        (lambda: [db.first(SLIM)], 1),
        (lambda: list(db.iter(SLIM.limit(5))), 5),
        (lambda: list(db.page(SLIM.limit(5))), 5),
    ):
        with db.meter() as meter:
            assert run() == orders[:count]

        # The rows of the index, then the items.
        assert (meter.calls, meter.consumed.read) == (2, 0.5 + 0.5 * count)


def test_a_filtered_query_with_a_limit_reads_only_the_items_that_it_returns(
    db: Store, orders: list[Order], eventually: Eventually
) -> None:
    filtered = Order.by_agent(agent="eve").filter(F.total >= 9).hydrate()
    eventually(lambda: db.count(filtered), 241)
    with db.meter() as meter:
        assert list(db.iter(filtered.limit(3))) == orders[9:12]

    # The rows of the index are read to the end of their page, the items are not.
    assert meter.calls == 2
    assert meter.consumed.read < 10


def test_items_of_a_keys_only_index_are_read_in_small_groups(
    db: Store, orders: list[Order], eventually: Eventually
) -> None:
    eventually(lambda: db.count(Order.slim(day=FIRST)), 250)
    with db.meter() as meter:
        results = db.iter(SLIM)
        assert next(results) == orders[0]
        begun = meter.consumed.read
        assert list(results) == orders[1:]

    assert begun <= 60
    assert meter.consumed.read > 125


def test_many_rows_that_have_expired_are_few_requests(db: Store, clock: Clock) -> None:
    now = datetime.fromtimestamp(int(clock()), UTC)
    over = [Session(user="7", token=f"0{n:03d}", expires=now + timedelta(seconds=5)) for n in range(100)]
    alive = [Session(user="7", token=f"{1000 + n}", expires=now + timedelta(days=9)) for n in range(9)]
    for session in (*over, *alive):
        db.put(session)
    clock.advance(60)
    for run, found in (
        (lambda: [db.first(Session.primary(user="7"))], alive[:1]),
        (lambda: list(db.page(Session.primary(user="7").limit(5))), alive[:5]),
    ):
        with db.meter() as meter:
            assert run() == found

        assert meter.calls <= 8


@pytest.fixture
def words(db: Store) -> list[Word]:
    made = [Word(language="en", word=f"{n:03d}", meaning=str(n)) for n in range(250)]
    db.batch_put(*made)
    return made


def damage(door: Door, word: Word) -> None:
    """Store what the entity cannot be read from."""
    item = Put(word).item | {"meaning": {"N": "1"}}
    door.call("PutItem", {"TableName": Word.__pksk__.table.name, "Item": item})


def test_many_unreadable_rows_need_few_requests(db: Store, door: Door, words: list[Word]) -> None:
    for word in words[:200]:
        damage(door, word)
    unreadable: list[ItemUnreadable] = []
    with db.meter() as meter:
        assert db.first(ALL, unreadable=unreadable) == words[200]

    assert len(unreadable) == 200
    assert meter.calls <= 10


def test_a_count_with_a_list_for_unreadable_items_excludes_them(
    db: Store, door: Door, words: list[Word]
) -> None:
    damage(door, words[3])
    unreadable: list[ItemUnreadable] = []

    assert (db.count(ALL), db.count(ALL, unreadable=unreadable), len(unreadable)) == (250, 249, 1)


def test_a_page_without_a_limit_is_one_request_even_without_results(db: Store, words: list[Word]) -> None:
    rare = ALL.filter(F.meaning == "240").pages(50)
    found, requests, cursor = [], [], None
    while True:
        with db.meter() as meter:
            page = db.page(rare, after=cursor)
        found.append([each.word for each in page])
        requests.append(meter.calls)
        cursor = page.next
        if cursor is None:
            break

    assert found[:5] == [[], [], [], [], ["240"]]
    assert set(requests) == {1}


def test_pages_backwards_across_empty_pages(db: Store, words: list[Word]) -> None:
    rare = ALL.filter(F.meaning == "40").pages(50)
    page = db.page(rare.limit(1))
    empty = db.page(rare, after=page.cursor(0))

    assert list(empty) == []
    assert list(db.page(rare.limit(1), before=empty.previous)) == [words[40]]


def test_a_page_of_a_scan_is_one_request_even_without_results(db: Store, orders: list[Order]) -> None:
    db.put(Customer(customer="8", name="Ann"))
    found, cursor = 0, None
    for _ in range(30):
        with db.meter() as meter:
            page = db.page(Customer.scan().pages(10), after=cursor)
        found += len(page)
        assert meter.calls == 1
        assert page.previous is None
        cursor = page.next
        if cursor is None:
            break

    assert (found, cursor) == (1, None)


def test_an_unreadable_item_after_a_page_is_reported_once(db: Store, door: Door, words: list[Word]) -> None:
    damage(door, words[2])
    unreadable: list[ItemUnreadable] = []
    first = db.page(ALL.pages(3), unreadable=unreadable)
    second = db.page(ALL.pages(3), after=first.next, unreadable=unreadable)

    assert [*first, *second] == [words[n] for n in (0, 1, 3, 4, 5)]
    assert len(unreadable) == 1


@pytest.mark.parametrize("limit", [5, 25, 125])
def test_an_empty_page_after_the_last_has_a_cursor_back(db: Store, words: list[Word], limit: int) -> None:
    query, page = ALL.limit(limit), db.page(ALL.limit(limit))
    while page[-1] != words[-1]:
        page = db.page(query, after=page.next)
    empty = db.page(query, after=page.cursor(-1))
    back = db.page(query, before=empty.previous)

    assert (list(empty), empty.next) == ([], None)
    assert list(back) == words[-limit:]
    assert back.next is None


def test_an_empty_page_before_the_first_has_a_cursor_forward(db: Store, words: list[Word]) -> None:
    first = db.page(ALL.limit(3))
    empty = db.page(ALL.limit(3), before=first.cursor(0))
    again = db.page(ALL.limit(3), after=empty.next)

    assert (list(empty), empty.previous) == ([], None)
    assert list(again) == list(first)
