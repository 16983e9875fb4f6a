"""Reads that only count need no more of a row than tells that it is a result."""

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
def test_what_tells_a_row_is_all_that_is_read(read: Any, projected: set[str]) -> None:
    request = counting_read(read).plan.requests[0]
    names = request.get("ExpressionAttributeNames", {})

    assert {names.get(name, name) for name in request["ProjectionExpression"].split(", ")} == projected
    assert "Select" not in request


def test_the_time_of_an_item_tells_too_also_that_of_a_subclass() -> None:
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


def test_what_needs_whole_items_is_read_as_it_is() -> None:
    query = Order.by_day(day=date(2025, 1, 1)).filter(F.total > 5)

    assert counting_read(query) is query
