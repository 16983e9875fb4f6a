"""Arguments of the store: a wrong one raises with a fix, before any request is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pksk import (
    DesignError,
    Entity,
    InvalidValue,
    Key,
    PkskError,
    Put,
    Retry,
    Table,
    connect,
    connect_async,
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
    "batch_get of a class": (lambda db: db.batch_get(Order), "write batch_get(Order.primary.get(...))"),
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
    "run of a check": (
        lambda db: db.run(Order.primary.check(id="7")),
        "pass a request, such as E.primary(...)",
    ),
    "run of an entity": (lambda db: db.run(ORDER), "pass a request, such as E.primary(...)"),
}


METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "get": lambda db, value: db.get(value),
    "batch_get": lambda db, value: db.batch_get(value),
    "iter": lambda db, value: next(db.iter(value)),
    "page": lambda db, value: db.page(value),
    "first": lambda db, value: db.first(value),
    "count": lambda db, value: db.count(value),
    "scan": lambda db, value: next(db.scan(value)),
    "nearest": lambda db, value: db.nearest(value),
    "update": lambda db, value: db.update(value),
    "delete": lambda db, value: db.delete(value),
    "move": lambda db, value: db.move(value, id="8"),
    "next": lambda db, value: db.next(value, id="8"),
    "run": lambda db, value: db.run(value),
}
# Values that no method takes.
VALUES: dict[str, Any] = {"none": None, "text": "ORDER#7", "number": 5, "class": Order, "dict": {"id": "7"}}


class NoRequests:
    """A client that fails on every request."""

    def call(self, operation: str, _request: object) -> dict[str, Any]:
        raise AssertionError(operation)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("method", METHODS)
def test_a_value_that_is_not_a_request_raises(method: str, value: Any) -> None:
    with pytest.raises(PkskError) as caught:
        METHODS[method](connect(NoRequests()), value)

    # These two take a class, together with the parts of a key.
    by_class = value is Order and method in ("get", "delete")
    assert caught.value.code == ("key-missing-part" if by_class else "store-not-a-request")


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("query", "db.iter(Order.primary(...))"),
        ("save", "db.put(order)"),
        ("delet", "did you mean 'delete'?"),
        ("xyz", "see help(Store)"),
        ("read", "db.get(Order, id=...)"),
        ("batchwrite", "see help(Store)"),
    ],
)
@pytest.mark.parametrize("open_store", [connect, connect_async])
def test_a_method_that_a_store_does_not_have_raises_with_what_to_write(
    open_store: Callable[[Any], Any], name: str, fix: str
) -> None:
    with pytest.raises(AttributeError, match=f"has no method '{name}'") as caught:
        getattr(open_store("memory:"), name)

    assert isinstance(caught.value, DesignError)
    assert caught.value.code == "store-no-method"
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    ("operation", "call"),
    [
        ("get_item", "get("),
        ("put_item", "put("),
        ("update_item", "update("),
        ("delete_item", "delete("),
        ("batch_get_item", "batch_get("),
        ("batch_write_item", "batch_put("),
        ("transact_get_items", "transaction("),
        ("transact_write_items", "transaction("),
    ],
)
def test_methods_of_boto3_are_answered_with_the_same_operation(operation: str, call: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(connect(NoRequests()), operation)

    assert f"write db.{call}" in str(caught.value)


def test_python_finds_out_what_a_store_does_not_have() -> None:
    assert not hasattr(connect(NoRequests()), "__len__")


@pytest.mark.parametrize("case", WRONG)
def test_the_wrong_kind_of_request_raises_with_a_fix(case: str) -> None:
    call, fix = WRONG[case]

    with pytest.raises(DesignError) as caught:
        call(connect(NoRequests()))

    assert caught.value.code == "store-not-a-request"
    assert fix in caught.value.fix


@pytest.mark.parametrize("hooks", [5, log_to(), [5], "log"], ids=["number", "function", "list", "text"])
def test_hooks_are_a_list_of_functions(hooks: Any) -> None:
    with pytest.raises(PkskError) as caught:
        connect("memory:", hooks=hooks)

    assert caught.value.code == "connect-option"


@pytest.mark.parametrize(
    "wrong",
    [{"attempts": 0}, {"attempts": "4"}, {"conflict_attempts": 0}, {"pause_seconds": -1}, {"quota": True}],
)
def test_figures_of_retries_are_numbers_that_make_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue) as caught:
        Retry(**wrong)

    assert caught.value.code == "store-retry"
    assert next(iter(wrong)) in str(caught.value)


@pytest.mark.parametrize("flag", ["no", "", 0, None])
def test_upsert_must_be_a_bool(flag: Any) -> None:
    with pytest.raises(DesignError, match=r"update\(upsert=.*a flag is True or False"):
        connect(NoRequests()).update(Order.primary.update(id="7").set(kind="x"), upsert=flag)


def test_destructive_must_be_a_bool() -> None:
    with pytest.raises(DesignError, match="destructive='no'"):
        connect(NoRequests()).ensure_tables(shop, destructive="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [None, 1, ["kind"]])
def test_the_name_of_a_removed_field_must_be_text(name: Any) -> None:
    with pytest.raises(InvalidValue, match="Order has no field"):
        Order.primary.update(id="7").remove(name)
