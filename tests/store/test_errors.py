"""Errors: one tree, the same classes and words through every door, with the error of the service as their cause."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import uuid4

import pytest

from pksk import (
    AlreadyExists,
    ConditionFailed,
    Engine,
    F,
    NotFound,
    PkskError,
    Put,
    Query,
    ReferenceMissing,
    RequestRejected,
    ServiceError,
    StaleVersion,
    Store,
    StoreError,
    TableMissing,
    TransactionFailed,
    UniqueViolation,
    connect,
)
from pksk.model import Entity, Key
from pksk.schema import Table
from tests.store.doors import Door
from tests.store.shop import TABLES, Customer, Flag, Invoice, Order, Word, named

FIRST = date(2025, 3, 1)
ORDER = Order(customer="7", number=1, day=FIRST)
nowhere = Table(named("nowhere"))


class Lost(Entity, table=nowhere):
    id: str
    primary = Key("LOST#{id}", "META")


# What is done to a store that has an order and a customer, and what comes of it: the class, our code, the service's.
FAILURES: dict[str, tuple[Callable[[Store], Any], type[StoreError], str, str]] = {
    "create": (
        lambda db: db.create(ORDER),
        AlreadyExists,
        "store-already-exists",
        "ConditionalCheckFailedException",
    ),
    "put-when": (
        lambda db: db.put(ORDER, when=F.total > 5),
        ConditionFailed,
        "store-condition-failed",
        "ConditionalCheckFailedException",
    ),
    "update": (
        lambda db: db.update(Word.primary.update(language="de", word="x").set(meaning="y")),
        NotFound,
        "store-not-found",
        "ConditionalCheckFailedException",
    ),
    "update-when": (
        lambda db: db.update(Order.primary.update(customer="7", number=1).set(note="x").when(F.total > 5)),
        ConditionFailed,
        "store-condition-failed",
        "ConditionalCheckFailedException",
    ),
    "delete": (
        lambda db: db.delete(Order.primary.delete(customer="7", number=2).if_present()),
        NotFound,
        "store-not-found",
        "ConditionalCheckFailedException",
    ),
    "version": (
        lambda db: db.put(Customer(customer="8", name="Eve")),
        StaleVersion,
        "store-stale-version",
        "TransactionCanceledException",
    ),
    "unique": (
        lambda db: db.create(Customer(customer="9", name="Eve", email="b@b.c")),
        UniqueViolation,
        "store-unique-violation",
        "TransactionCanceledException",
    ),
    "reference": (
        lambda db: db.put(Invoice(id="1", buyer="none")),
        ReferenceMissing,
        "store-reference-missing",
        "TransactionCanceledException",
    ),
    "transaction": (
        lambda db: db.transaction(Put(ORDER).if_absent(), Put(Flag(name="x"))),
        TransactionFailed,
        "store-transaction-failed",
        "TransactionCanceledException",
    ),
    "table": (
        lambda db: db.get(Lost.primary.get(id="1")),
        TableMissing,
        "store-table-missing",
        "ResourceNotFoundException",
    ),
    "refused": (
        lambda db: db.update(Order.primary.update(customer="7", number=1).apply(F.note.inner.set("x"))),
        RequestRejected,
        "store-path-missing",
        "ValidationException",
    ),
}


@pytest.fixture
def filled(db: Store) -> Store:
    db.put(ORDER)
    db.put(Customer(customer="8", name="Bob", email="b@b.c"))
    db.put(Word(language="de", word="Haus", meaning="house"))
    return db


@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_has_its_class_its_code_and_its_cause(filled: Store, name: str) -> None:
    act, kind, code, service_code = FAILURES[name]
    with pytest.raises(PkskError) as caught:
        act(filled)
    error = caught.value

    assert (type(error), error.code) == (kind, code)
    assert isinstance(error, StoreError)
    assert isinstance(error.__cause__, ServiceError)
    assert error.__cause__.code == service_code
    assert error.request is not None
    assert f"(pksk explain {code})" in str(error)


@pytest.mark.one_door
@pytest.mark.parametrize("name", FAILURES)
def test_each_failure_can_be_sent_to_another_process(filled: Store, name: str) -> None:
    with pytest.raises(StoreError) as caught:
        FAILURES[name][0](filled)
    copy = pickle.loads(pickle.dumps(caught.value))

    assert (type(copy), str(copy)) == (type(caught.value), str(caught.value))
    assert getattr(copy, "item", None) == getattr(caught.value, "item", None)


def test_a_failed_request_does_not_affect_later_ones(filled: Store) -> None:
    for act, kind, _, _ in FAILURES.values():
        with pytest.raises(kind):
            act(filled)

    assert filled.get(Order.primary.get(customer="7", number=1)) == ORDER
    assert filled.put(ORDER) == ORDER


def test_an_error_of_a_member_is_of_the_class_that_it_has_alone(filled: Store) -> None:
    with pytest.raises(TransactionFailed) as caught:
        filled.transaction(
            Put(ORDER).if_absent(),
            Put(Customer(customer="9", name="Eve", email="b@b.c")),
            Put(Invoice(id="1", buyer="none")),
            Put(Customer(customer="8", name="Eve", email="b@b.c")),
        )
    failures = caught.value.failures

    assert {place: type(error) for place, error in failures.items()} == {
        0: AlreadyExists,
        1: UniqueViolation,
        2: ReferenceMissing,
        3: StaleVersion,
    }
    assert {place: error.code for place, error in failures.items()} == {
        0: "store-already-exists",
        1: "store-unique-violation",
        2: "store-reference-missing",
        3: "store-stale-version",
    }


@pytest.mark.one_door
def test_a_mistake_of_the_program_is_not_an_error_of_the_store(db: Store) -> None:
    wrong: list[Callable[[], Any]] = [
        lambda: db.get(Order.primary.get(customer="7")),
        lambda: db.run(Order.primary(number=3)),
        lambda: db.update(Order.primary.update(customer="7", number=1).set(customer="8")),
    ]
    for act in wrong:
        with pytest.raises(PkskError) as caught:
            act()

        assert not isinstance(caught.value, StoreError)


def test_the_service_is_quoted_in_its_own_words(filled: Store, door: Door) -> None:
    token = str(uuid4())
    filled.transaction(Put(Flag(name="x")), token=token)
    with pytest.raises(RequestRejected) as caught:
        filled.transaction(Put(Flag(name="y")), token=token)

    assert caught.value.service_code == "IdempotentParameterMismatchException"
    assert str(caught.value.__cause__) in caught.value.problem


@pytest.mark.one_door
def test_an_inexact_query_raises_before_sending(db: Store, door: Door) -> None:
    sent: list[Any] = []
    store = door.open(hooks=[sent.append])
    query: Query[Any] = Order.slim(day=FIRST)
    with pytest.raises(PkskError, match="does not project"):
        list(store.iter(query))

    assert sent == []


class WithoutTransactions:
    """A server of others, which does not have all operations."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def call(self, operation: str, request: Any) -> dict[str, Any]:
        if operation.startswith("Transact"):
            raise ServiceError("UnknownOperationException", None)
        return self.engine.call(operation, request)


def test_a_server_without_transactions_supports_the_other_requests() -> None:
    with Engine.open() as engine:
        db = connect(WithoutTransactions(engine))
        db.create_tables(*TABLES)
        db.put(ORDER)
        db.update(Order.primary.update(customer="7", number=1).set(status="sent"))
        for act in (
            lambda: db.create(Customer(customer="9", name="Eve", email="b@b.c")),
            lambda: db.move(ORDER, number=2),
            lambda: db.transaction(Put(ORDER)),
        ):
            with pytest.raises(RequestRejected, match="use a server with transactions") as caught:
                act()

            assert caught.value.service_code == "UnknownOperationException"
        assert db.count(Order.primary(customer="7")) == 1
