"""Every example in the explanations of the store raises the error that it explains."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any
from unittest.mock import patch

import pytest
from pydantic import BaseModel, create_model

from pksk import (
    Engine,
    Entity,
    Key,
    PkskError,
    Reference,
    Retry,
    ServiceError,
    Store,
    Table,
    Unique,
    Version,
    connect,
)
from pksk.sending.driver import Driver
from tests.model.explanation_examples import examples_of, run_example

EXAMPLES = examples_of("store")
QUICKLY = Retry(conflict_attempts=2, pause_seconds=0, throttled_pause_seconds=0)

shop = Table("shop")


class Customer(Entity, table=shop):
    id: str
    name: str
    email: Annotated[str, Unique()]
    version: Annotated[int, Version()] = 0
    primary = Key("CUST#{id}", "META")


class Parcel(BaseModel):
    marks: set[str] = set()


class Order(Entity, table=shop):
    id: str
    parcel: Parcel = Parcel()
    total: int = 0
    address: dict[str, str] | None = None
    customer: Annotated[str | None, Reference(Customer)] = None
    primary = Key("ORDER#{id}", "META")


class Rush(Order, table=shop):
    pass


class Survey(create_model("Answers", **{f"answer{n}": (str, "") for n in range(200)}), Entity, table=shop):  # type: ignore[misc]
    id: str
    primary = Key("SURVEY#{id}", "META")


class Failing:
    """An engine with a function that may answer a call, or raise an error, instead of it."""

    def __init__(
        self, engine: Engine, failing: Callable[[str, Mapping[str, Any]], dict[str, Any] | None]
    ) -> None:
        self._engine, self._failing = engine, failing

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        answer = self._failing(operation, request)
        return self._engine.call(operation, request) if answer is None else answer


def _throttled(_operation: str, _request: Mapping[str, Any]) -> dict[str, Any] | None:
    raise ServiceError("ThrottlingException", "Rate exceeded")


def _silent(operation: str, _request: Mapping[str, Any]) -> dict[str, Any] | None:
    if operation == "UpdateItem":
        raise ServiceError("NoAnswer", "the connection was closed", 0)
    return None


def _stuck(operation: str, request: Mapping[str, Any]) -> dict[str, Any] | None:
    return {"UnprocessedKeys": request["RequestItems"]} if operation == "BatchGetItem" else None


def _busy(operation: str, _request: Mapping[str, Any]) -> dict[str, Any] | None:
    if operation == "TransactWriteItems":
        reasons = {"CancellationReasons": [{"Code": "TransactionConflict"}]}
        raise ServiceError("TransactionCanceledException", "cancelled", 400, reasons)
    return None


def _no_credentials(_operation: str, _request: Mapping[str, Any]) -> dict[str, Any] | None:
    raise ServiceError("NotConfigured", "there are no AWS credentials. Fix: set AWS_ACCESS_KEY_ID.", 0)


def _expired(_operation: str, _request: Mapping[str, Any]) -> dict[str, Any] | None:
    raise ServiceError("ExpiredTokenException", "The security token included in the request is expired")


def _archived(operation: str, _request: Mapping[str, Any]) -> dict[str, Any] | None:
    return (
        {"Table": {"TableName": "shop", "TableStatus": "ARCHIVED"}} if operation == "DescribeTable" else None
    )


def _being_made(operation: str, _request: Mapping[str, Any]) -> dict[str, Any] | None:
    return (
        {"Table": {"TableName": "shop", "TableStatus": "CREATING"}} if operation == "DescribeTable" else None
    )


def _without_opentelemetry(make: Callable[[], Any]) -> None:
    with patch.dict(sys.modules, {"opentelemetry": None}):
        make()


@pytest.fixture
def names(pksk_engine: Engine) -> dict[str, Any]:
    db = connect(pksk_engine)
    db.create_tables(shop)
    db.create(Customer(id="7", name="Ann", email="ann@example.org"))
    db.create(Order(id="7"))
    db.create(Survey(id="7"))

    def failing(how: Callable[[str, Mapping[str, Any]], dict[str, Any] | None]) -> Store:
        return connect(Failing(pksk_engine, how), retry=QUICKLY)

    being_made = failing(_being_made)
    being_made._driver = Driver(being_made.client, pause=lambda _seconds: None)
    from_another_process = connect(pksk_engine)
    from_another_process._driver.detach(1)
    return {
        "no_credentials": failing(_no_credentials), "expired": failing(_expired), "archived": failing(_archived),
        "being_made": being_made, "from_another_process": from_another_process, "db": db,
        "throttled": failing(_throttled), "silent": failing(_silent), "stuck": failing(_stuck),
        "busy": failing(_busy), "without_opentelemetry": _without_opentelemetry, "shop": shop, "Order": Order,
        "Customer": Customer, "Rush": Rush, "Survey": Survey, "Annotated": Annotated, "__name__": __name__,
    }  # fmt: skip


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_about_the_store_raises_the_error_that_it_explains(
    code: str, names: dict[str, Any]
) -> None:
    with pytest.raises(PkskError) as raised:
        run_example(EXAMPLES[code], code, names)

    assert raised.value.code == code
