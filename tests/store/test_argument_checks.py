"""What a method of the store is given and cannot run is refused with the way that is meant, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pksk import (
    DesignError,
    Engine,
    Entity,
    InvalidValue,
    Key,
    PkskError,
    Put,
    Retry,
    Store,
    Table,
    connect,
    log_to,
    transaction,
)

shop = Table("shop")


class Order(Entity, table=shop):
    id: str
    kind: str = "get"  # a field may be called as a request calls its own kind
    primary = Key("ORDER#{id}", "META")


ORDER = Order(id="7")
GET = Order.primary.get(id="7")
QUERY = Order.primary(id="7")

WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "get of a query": (lambda db: db.get(QUERY), "a Query is run by iter(...), page(...) or first(...)"),
    "get of a class": (lambda db: db.get(Order), "write get(Order.primary.get(...))"),
    "get of an entity": (lambda db: db.get(ORDER), "an Order itself is stored by put(...)"),
    "get of a text": (lambda db: db.get("7"), "write get(E.primary.get(...))"),
    "batch_get of a query": (lambda db: db.batch_get(GET, QUERY), "write batch_get(Order.primary.get(...))"),
    "iter of a get": (lambda db: list(db.iter(GET)), "a Get is run by get(...)"),
    "iter of a transaction": (
        lambda db: list(db.iter(transaction(Put(ORDER)))),
        "a Transaction is run by run(...)",
    ),
    "page of a get": (lambda db: db.page(GET), "write page(Order.primary(...) or Order.scan())"),
    "first of a scan": (lambda db: db.first(Order.scan()), "a Scan is run by scan(...)"),
    "count of a number": (lambda db: db.count(7), "write count(E.primary(...) or E.scan())"),
    "scan of a query": (lambda db: list(db.scan(QUERY)), "write scan(Order.scan())"),
    "nearest of a query": (lambda db: db.nearest(QUERY), "write nearest(Order.by_embedding.nearest(...))"),
    "update of an entity": (lambda db: db.update(ORDER), "an Order itself is stored by put(...)"),
    "update of a put": (lambda db: db.update(Put(ORDER)), "a Put is run by put(...)"),
    "delete of a get": (lambda db: db.delete(GET), "write delete(Order.primary.delete(...))"),
    "move of a query": (lambda db: db.move(QUERY, id="8"), "write move(Order.primary.get(...))"),
    "next of a table": (lambda db: db.next(shop), "write next(sequence(...))"),
    "take of a table": (lambda db: db.take(shop, 5), "write take(sequence(...))"),
    "reconcile of a table": (lambda db: db.reconcile(shop, 5), "write reconcile(sequence(...))"),
    "run of a check": (lambda db: db.run(Order.primary.check(id="7")), "run what E.primary(...)"),
    "run of an entity": (lambda db: db.run(ORDER), "run what E.primary(...)"),
}


class Untouched:
    """A client that nothing may be sent to."""

    def call(self, operation: str, _request: object) -> dict[str, Any]:
        raise AssertionError(operation)


@pytest.mark.parametrize("case", WRONG)
def test_another_kind_of_request_is_refused_with_what_to_write(case: str) -> None:
    call, fix = WRONG[case]

    with pytest.raises(DesignError) as caught:
        call(connect(Untouched()))

    assert caught.value.code == "store-not-a-request"
    assert fix in caught.value.fix


@pytest.mark.parametrize("hooks", [5, log_to(), [5], "log"], ids=["number", "function", "list", "text"])
def test_hooks_are_a_list_of_functions(hooks: Any) -> None:
    with pytest.raises(PkskError) as caught:
        connect("memory:", hooks=hooks)

    assert caught.value.code == "connect-option"


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"attempts": "4"}, {"contended": 0}, {"pause_seconds": -1}, {"quota": True}]
)
def test_figures_of_retries_are_numbers_that_make_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue) as caught:
        Retry(**wrong)

    assert caught.value.code == "store-retry"
    assert next(iter(wrong)) in str(caught.value)


@pytest.fixture
def db(pksk_engine: Engine) -> Store:
    db = connect(pksk_engine)
    db.create_tables(shop)
    db.create(ORDER)
    return db


def test_a_move_is_a_use_in_meters_and_tables_have_a_line_of_their_own(db: Store) -> None:
    with db.meter() as meter:
        db.ensure_tables(shop)
        db.move(ORDER, id="8")

    assert [(row.name, row.uses) for row in meter.rows] == [("tables", 0), ("move Order", 1)]


def test_estimates_of_batches_count_what_is_in_each(db: Store) -> None:
    with db.meter() as meter:
        db.batch_get(GET)
        db.batch_get(GET, Order.primary.get(id="8"))

    assert meter.rows[0].estimate is not None
    assert meter.rows[0].estimate.read == 1.5
