"""Counting results reads only what it needs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from pksk import Clock, DesignError, F, RequestStarted, Store
from tests.store.doors import Door
from tests.store.eventually import Eventually
from tests.store.shop import Line, Order, Session, Word, shop

ORDERS = [
    Order(
        customer="7", number=n, day=date(2025, 3, 1), agent="eve", total=n, status="open" if n % 2 else "paid"
    )
    for n in range(1, 6)
]


@pytest.fixture
def orders(db: Store) -> list[Order]:
    db.put(Line(customer="7", number=1, line=1))
    return db.batch_put(*ORDERS)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Order.slim(day=date(2025, 3, 1)), 5),
        (Order.by_agent(agent="eve"), 5),
        (Order.by_agent(agent="eve").filter(F.total > 2), 3),
        (Order.by_agent(agent="eve").limit(2), 2),
        (Order.by_agent.scan(), 5),
        (Order.slim.scan(), 5),
        (Order.slim.scan().hydrate(), 5),
    ],
)
def test_an_index_with_a_small_projection_can_count(
    db: Store, orders: list[Order], eventually: Eventually, query: object, expected: int
) -> None:
    eventually(lambda: [db.count(query)], [expected])  # type: ignore[arg-type]


@pytest.mark.one_door
def test_a_count_cannot_filter_by_fields_that_the_index_lacks(db: Store, orders: list[Order]) -> None:
    with pytest.raises(DesignError, match="'level'"):
        db.count(Order.by_agent(agent="eve").filter(F.level > 2))


def test_counting_among_foreign_items_reads_only_what_identifies_them(
    db: Store, door: Door, orders: list[Order]
) -> None:
    sent: list[RequestStarted] = []
    watched = door.open(hooks=[sent.append])
    door.settle(shop)
    reads = (Order.primary(customer="7"), Order.scan().filter(F.total > 2), Order.by_agent(agent="eve"))

    assert [watched.count(read) for read in reads] == [5, 3, 5]
    assert all("ProjectionExpression" in each.parameters for each in sent[:2])
    assert sent[2].parameters["Select"] == "COUNT"


def test_expired_items_are_not_counted(db: Store, clock: Clock, eventually: Eventually) -> None:
    soon = datetime.fromtimestamp(clock(), UTC) + timedelta(minutes=1)
    db.put(Session(token="a", user="ann", expires=soon))
    db.put(Session(token="b", user="ann"))
    eventually(lambda: [db.count(Session.by_user(user="ann"))], [2])
    clock.advance(120)

    assert db.count(Session.primary(user="ann")) == 1
    assert db.count(Session.by_user(user="ann")) == 1
    assert db.count(Session.scan()) == 1


def test_filters_on_computed_fields_count_whole_entities(db: Store) -> None:
    db.batch_put(*(Word(language="en", word=word) for word in ("sea", "see", "sight")))

    assert db.count(Word.where(language="en", length=3)) == 2
