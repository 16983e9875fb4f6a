"""Spans of OpenTelemetry, made by its own SDK."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, Tracer

from pksk import (
    AlreadyExists,
    Engine,
    Entity,
    Key,
    PkskError,
    Query,
    ServiceError,
    Table,
    access,
    connect,
    trace_with,
)

SHOP = Table("shop")


class Order(Entity, table=SHOP):
    customer: str
    number: int
    primary = Key("CUST#{customer}", "ORDER#{number:06d}")

    @access(rate=1, items=5)
    @classmethod
    def of_customer(cls, customer: str) -> Query[Order]:
        return cls.primary(customer=customer)


class RecordedSpans:
    """A tracer, and the spans that it has finished."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer: Tracer = provider.get_tracer("test")

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())


def test_each_request_is_a_span_with_the_names_of_the_conventions() -> None:
    recorded = RecordedSpans()
    with connect("memory:", hooks=[trace_with(recorded.tracer)]) as db:
        db.create_tables(SHOP)
        db.put(Order(customer="7", number=1))
        found = list(db.iter(Order.of_customer("7")))

    put, query = recorded.spans[-2:]
    assert len(found) == 1
    assert (put.name, put.kind, query.name) == ("DynamoDB.PutItem", SpanKind.CLIENT, "DynamoDB.Query")
    assert put.attributes is not None
    assert put.attributes["aws.dynamodb.table_names"] == ("shop",)
    assert put.attributes["pksk.entities"] == ("Order",)
    assert query.attributes is not None
    assert query.attributes["pksk.pattern"] == "Order.of_customer"


def test_a_span_is_a_child_of_the_one_around_it() -> None:
    recorded = RecordedSpans()
    with connect("memory:", hooks=[trace_with(recorded.tracer)]) as db:
        db.create_tables(SHOP)
        with recorded.tracer.start_as_current_span("request") as outer:
            db.get(Order.primary.get(customer="7", number=1))

    get = next(span for span in recorded.spans if span.name == "DynamoDB.GetItem")
    assert get.parent is not None
    assert get.parent.span_id == outer.get_span_context().span_id


def test_a_failed_request_is_a_span_with_an_error() -> None:
    recorded = RecordedSpans()
    with connect("memory:", hooks=[trace_with(recorded.tracer)]) as db:
        db.create_tables(SHOP)
        db.create(Order(customer="7", number=1))
        with pytest.raises(AlreadyExists):
            db.create(Order(customer="7", number=1))

    failed = recorded.spans[-1]
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.attributes is not None
    assert failed.attributes["error.type"] == "ConditionalCheckFailedException"
    assert failed.events[0].name == "exception"


def test_a_span_has_the_consumed_capacity_if_it_is_metered() -> None:
    recorded = RecordedSpans()
    with connect("memory:", hooks=[trace_with(recorded.tracer)]) as db:
        db.create_tables(SHOP)
        with db.meter():
            db.put(Order(customer="7", number=1))

    assert recorded.spans[-1].attributes is not None
    assert recorded.spans[-1].attributes["aws.dynamodb.consumed_capacity"] == ("1 write unit",)


def test_each_attempt_has_a_span() -> None:
    recorded, engine = RecordedSpans(), Engine.open()

    class Throttling:
        left = 1

        def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
            if operation == "GetItem" and self.left:
                self.left -= 1
                raise ServiceError("InternalServerError", "again", 500)
            return engine.call(operation, request)

    with connect(Throttling(), hooks=[trace_with(recorded.tracer)]) as db:
        db.create_tables(SHOP)
        db.get(Order.primary.get(customer="7", number=1))

    last = [dict(span.attributes or {}).get("pksk.attempt") for span in recorded.spans[-2:]]
    assert last == [None, 2]


def test_without_the_library_the_error_names_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)

    with pytest.raises(PkskError, match="pip install opentelemetry-api"):
        trace_with()
