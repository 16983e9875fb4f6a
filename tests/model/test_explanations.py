"""Every example in the explanations of designs, reads, writes and changes raises the error that it explains."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, PlainSerializer

from pksk import (
    GSI,
    Entity,
    Key,
    N,
    PkskError,
    Table,
    VectorIndex,
    changes_of,
)
from tests.model.explanation_examples import examples_of, run_example
from tests.model.writes.shop import Order as WrittenOrder

orders = Table(
    "orders",
    indexes=[
        GSI("by-status", pk="status", sk="day"),
        GSI("by-day", pk="bucket", sk="day"),
        GSI("by-total", pk=N("total"), projection="keys"),
    ],
)
streamed = Table("streamed", stream=True)
near = VectorIndex("near", attribute="v", dimensions=2, pk="tenant", filters=["lang"])


class Order(Entity, table=orders):
    id: str
    total: int = 0
    status: str = "open"
    day: date = date(2025, 1, 1)
    ratio: float = 0.5
    note: Any = None
    primary = Key("ORDER#{id}", "META")
    by_status = Key("{status}", "{day}", index="by-status")
    by_day = Key("{day:%Y-%m}", "{day}", index="by-day")
    by_total = Key("{total}", index="by-total")


class Line(Entity, table=orders):
    id: str
    n: int
    primary = Key("ORDER#{id}", "LINE#{n:03d}")


class Noted(Entity, table=Table("noted")):
    id: str
    total: int
    note: str
    primary = Key("NOTED#{id}", "META")


class Note(Entity, table=Table("notes", indexes=[near])):
    tenant: str
    id: str
    title: str = ""
    lang: str | None = None
    v: list[float]
    primary = Key("{tenant}#{id}", "NOTE")
    near = Key("{tenant}", index="near")


class StreamedOrder(Entity, table=streamed, discriminator="Order"):
    id: str
    total: int = 0
    primary = Key("ORDER#{id}", "META")


class Rush(StreamedOrder, table=streamed):
    hours: int = 24


def record(item: dict[str, Any]) -> dict[str, Any]:
    """The stream record of a new item; an item with nothing but keys shows only its keys."""
    keys = {name: item[name] for name in ("pk", "sk", "id") if name in item}
    images = {"Keys": keys} if len(item) == len(keys) else {"Keys": keys, "NewImage": item}
    return {"eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": images}


def read_changes(*arguments: Any, **options: Any) -> None:
    for _ in changes_of(*arguments, **options):
        pass


NAMES: dict[str, Any] = {
    "Annotated": Annotated, "BaseModel": BaseModel, "Line": Line, "Note": Note, "Order": Order,
    "PlainSerializer": PlainSerializer, "UTC": UTC, "date": date, "datetime": datetime, "__name__": __name__,
}  # fmt: skip
# What a name means in the examples of some areas, and in that of one code.
AREAS: dict[str, dict[str, Any]] = {
    "design": {},
    "reads": {},
    "writes": {"Order": WrittenOrder},
    "changes": {"Order": StreamedOrder, "Rush": Rush, "orders": streamed, "record": record, "changes_of": read_changes},
}  # fmt: skip
CODES: dict[str, dict[str, Any]] = {"where-no-index": {"Order": Noted}}
EXAMPLES = [
    pytest.param(area, code, example, id=code)
    for area in AREAS
    for code, example in examples_of(area).items()
]


@pytest.mark.parametrize(("area", "code", "example"), EXAMPLES)
def test_an_example_raises_the_error_that_it_explains(area: str, code: str, example: str) -> None:
    with pytest.raises(PkskError) as caught:
        run_example(example, code, {**NAMES, **AREAS[area], **CODES.get(code, {})})

    codes = {caught.value.code}
    if area == "reads":
        # An access pattern raises an error of its own about that of its query.
        codes.add(getattr(caught.value.__cause__, "code", ""))
    assert code in codes
    assert caught.value.fix
