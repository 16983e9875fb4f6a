"""A model of an existing application becomes an entity without being rewritten."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, Generic, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_serializer, field_validator
from pydantic.alias_generators import to_camel

from pksk import GSI, Entity, Key, Table
from tests.model.strict_equality import equal


class Money(BaseModel):
    model_config = ConfigDict(frozen=True)
    amount: Decimal
    currency: str = "EUR"


class Order(BaseModel):
    """As an application has it: aliases, frozen, validators, its own way to write JSON."""

    model_config = ConfigDict(
        alias_generator=to_camel, frozen=True, extra="forbid", str_strip_whitespace=True
    )
    order_id: str
    placed_on: date = Field(description="the day")
    total: Money
    status: str | None = None
    tags: set[str] = set()

    @field_validator("status")
    @classmethod
    def lower(cls, status: str | None) -> str | None:
        return status.lower() if status else None

    @field_serializer("placed_on", when_used="json")
    def slashes(self, day: date) -> str:
        return day.strftime("%d/%m/%Y")

    @property
    def is_open(self) -> bool:
        return self.status == "open"


def table() -> Table:
    return Table("wrapped", indexes=[GSI("by-day", pk="day", sk="sk")])


class ModelFirst(Order, Entity, table=table()):
    primary = Key("ORDER#{order_id}", "META")
    by_day = Key("DAY#{placed_on}", index="by-day")


class EntityFirst(Entity, Order, table=table()):
    primary = Key("ORDER#{order_id}", "META")
    by_day = Key("DAY#{placed_on}", index="by-day")


VALUES: dict[str, Any] = {
    "orderId": " 7 ", "placedOn": "2025-01-02", "total": {"amount": "1.10"}, "status": "OPEN", "tags": ["a"],
}  # fmt: skip


@pytest.mark.parametrize("wrapped", [ModelFirst, EntityFirst])
def test_a_model_of_an_application_is_wrapped_in_either_order(wrapped: Any) -> None:
    entity = wrapped.model_validate(VALUES)
    item = wrapped.__pksk__.to_item(entity)

    assert item == {
        "order_id": {"S": "7"}, "placed_on": {"S": "2025-01-02"},
        "total": {"M": {"amount": {"N": "1.1"}, "currency": {"S": "EUR"}}}, "status": {"S": "open"},
        "tags": {"SS": ["a"]},
        "type": {"S": wrapped.__name__}, "pk": {"S": "ORDER#7"}, "sk": {"S": "META"}, "day": {"S": "DAY#2025-01-02"},
    }  # fmt: skip
    assert equal(wrapped.__pksk__.from_item(item), entity)
    assert isinstance(entity, Order)
    assert entity.is_open


@pytest.mark.parametrize("wrapped", [ModelFirst, EntityFirst])
def test_a_wrapped_model_behaves_as_it_did(wrapped: Any) -> None:
    entity, plain = wrapped.model_validate(VALUES), Order.model_validate(VALUES)

    assert entity.model_dump() == plain.model_dump()
    assert entity.model_dump_json(by_alias=True) == plain.model_dump_json(by_alias=True)
    assert wrapped.model_json_schema()["properties"] == Order.model_json_schema()["properties"]
    with pytest.raises(ValidationError, match="frozen"):
        entity.status = "closed"
    with pytest.raises(ValidationError, match="extra"):
        wrapped.model_validate({**VALUES, "other": 1})


@pytest.mark.parametrize("wrapped", [ModelFirst, EntityFirst])
def test_a_query_of_a_wrapped_model_is_planned(wrapped: Any) -> None:
    request = wrapped.by_day(placed_on=date(2025, 1, 2)).plan.requests[0]

    assert request["ExpressionAttributeValues"][":v0"] == {"S": "DAY#2025-01-02"}


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    number: int
    content: T


class Lines(Page[list[Money]], Entity, table=Table("lines")):
    primary = Key("PAGE#{number:04d}", "META")


class Boxes(Page[T], Entity, Generic[T]):
    id: str


class Dates(Boxes[date], table=Table("dates")):
    primary = Key("DATE#{id}", "{content}")


def test_a_generic_model_is_wrapped_when_its_types_are_known() -> None:
    lines = Lines(number=3, content=[Money(amount=Decimal("0.1"))])
    dates = Dates(id="a", number=1, content=date(2025, 1, 2))

    for each in (lines, dates):
        assert equal(type(each).__pksk__.from_item(type(each).__pksk__.to_item(each)), each)
    assert Dates.__pksk__.to_item(dates)["sk"] == {"S": "2025-01-02"}


class Loose(BaseModel):
    id: str
    amount: int | float = 0


def test_a_field_that_cannot_be_stored_is_declared_again() -> None:
    class Stored(Loose, Entity, table=Table("loose")):
        amount: float = 0.0
        primary = Key("L#{id}", "META")

    read = Stored.from_item(Stored.__pksk__.to_item(Stored(id="1", amount=2)))

    assert type(read.amount) is float
