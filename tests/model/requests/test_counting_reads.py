"""Reads that only count read only the attributes that decide whether a row is a result."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

import pytest

from pksk import GSI, TTL, DesignError, Entity, F, Key, Table
from pksk.store.requests.query import counting_read
from tests.model.requests.shop import Order


@pytest.mark.parametrize(
    ("read", "projected"),
    [
        (Order.primary(customer="7"), {"type", "pk", "sk"}),
        (Order.by_day(day=date(2025, 1, 1)), {"pk", "sk"}),
        (Order.by_total(customer="7"), {"pk", "sk"}),
        (Order.scan(), {"type", "pk", "sk"}),
        (Order.by_day.scan(), {"pk", "sk"}),
    ],
)
def test_a_count_reads_only_what_identifies_a_row(read: Any, projected: set[str]) -> None:
    request = counting_read(read).plan.requests[0]
    names = request.get("ExpressionAttributeNames", {})

    assert {names.get(name, name) for name in request["ProjectionExpression"].split(", ")} == projected
    assert "Select" not in request


def test_a_count_reads_the_ttl_of_the_entity_or_its_subclass() -> None:
    table = Table("visits", ttl="until", indexes=[GSI("by-day", pk="g1", projection="keys")])

    class Visit(Entity, table=table):
        id: str
        day: str
        primary = Key("VISIT#{id}", "META")
        by_day = Key("{day}", index="by-day")

    class Short(Visit, table=table):
        until: Annotated[int | None, TTL()] = None

    names = counting_read(Visit.primary(id="7")).plan.requests[0]["ExpressionAttributeNames"]

    assert "until" in names.values()
    with pytest.raises(DesignError, match="does not project"):
        _ = counting_read(Visit.by_day(day="x")).plan
    assert counting_read(Visit.by_day(day="x").hydrate()).plan.reads_table


def test_a_count_that_needs_whole_items_reads_them() -> None:
    query = Order.by_day(day=date(2025, 1, 1)).filter(F.total > 5)

    assert counting_read(query) is query
