"""Parameters of every kind, and functions that no call of can be planned."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import Field

from pksk import (
    Batch,
    DesignError,
    Entity,
    Get,
    Key,
    Pattern,
    Precision,
    Put,
    Query,
    Table,
    Transaction,
    access,
    batch,
    transaction,
)

shop = Table("shop")


class Order(Entity, table=shop):
    id: str
    n: int = 0
    primary = Key("ORDER#{id}", "{n:03d}")


def last() -> Pattern:
    pattern: Pattern = shop.patterns[-1]
    return pattern


@pytest.mark.parametrize("example", [None, {"order": "7"}])
def test_positional_parameters(example: dict[str, Any] | None) -> None:
    @access(example=example)
    def one(order: str, n: int = 3, /) -> Get[Order]:
        return Order.primary.get(id=order, n=n)

    (request,) = last().outcome().requests
    assert request == Order.primary.get(id="7" if example else "order", n=3)
    assert last().outcome({"order": "8", "n": 1}).requests == (Order.primary.get(id="8", n=1),)


@pytest.mark.parametrize(
    ("example", "expected"),
    [(None, ["orders"]), ({"orders": ["a", "b"]}, ["a", "b"]), ({"orders": ("a",), "n": {"x": 1}}, ["a"])],
)
def test_any_number_of_parameters(example: dict[str, Any] | None, expected: list[str]) -> None:
    @access(example=example)
    def several(*orders: str, **n: int) -> Batch[Order]:
        return batch(*(Order.primary.get(id=each, n=0) for each in orders))

    assert last().outcome().requests == (batch(*(Order.primary.get(id=each, n=0) for each in expected)),)


def test_the_class_itself_in_a_container() -> None:
    class Line(Entity, table=Table("lines")):
        id: str
        primary = Key("LINE#{id}", "LINE")

        @access()
        @classmethod
        def add(cls, lines: list["Line"]) -> Batch["Line"]:  # noqa: UP037  as without postponed annotations
            return batch(*map(Put, lines))

    (request,) = Line.__pksk__.table.patterns[0].outcome().requests
    assert request == batch(Put(Line(id="id")))


class Code(Entity, table=shop):
    code: Annotated[str, Field(pattern="^[0-9]{3}-[a-z]$")]
    color: Annotated[str, Field(max_length=3, examples=["red"])]
    primary = Key("CODE#{code}", "{color}")

    @access()
    @classmethod
    def one(cls, code: str, color: str) -> Query[Code]:
        return cls.primary(code=code, color=color)


def test_a_text_parameter_with_the_name_of_a_field_gets_a_valid_sample() -> None:
    pattern = next(each for each in shop.patterns if each.name == "Code.one")

    assert pattern.outcome().arguments == {"code": "000-a", "color": "red"}
    assert not pattern.outcome().problem


class Seat(Entity, table=shop):
    hall: Annotated[str, Field(max_length=3)]
    row: Annotated[int, Field(ge=100)]
    month: Annotated[date, Precision("month")]
    number: Annotated[int, Field(examples=[7])]
    primary = Key("SEAT#{hall}", "{row}#{month:%Y-%m}#{number}")

    @access()
    @classmethod
    def one(cls, hall: str, row: int, month: date, number: int) -> Get[Seat]:
        return cls.primary.get(hall=hall, row=row, month=month, number=number)


def test_a_parameter_with_the_name_and_type_of_a_field_gets_a_valid_sample() -> None:
    pattern = next(each for each in shop.patterns if each.name == "Seat.one")

    assert not pattern.outcome().problem
    assert pattern.outcome().arguments == {"hall": "hal", "row": 100, "month": date(2025, 6, 1), "number": 7}


def test_an_unknown_argument_raises() -> None:
    @access()
    def one(order: str) -> Get[Order]:
        return Order.primary.get(id=order, n=0)

    assert last().outcome({"order": "7", "x": 1}).problem == "TypeError: it takes no argument 'x'"


def test_a_parameter_of_an_unknown_type_needs_an_example() -> None:
    @access()
    def one(key: Callable[[int], str]) -> Get[Order]:
        return Order.primary.get(id=key(7), n=0)

    assert last().outcome().problem.startswith("needs example: key: ")


async def waits(order: str) -> Query[Order]:
    return Order.primary(id=order)


async def waits_and_yields(order: str) -> AsyncIterator[Query[Order]]:
    yield Order.primary(id=order)


def yields(order: str) -> Iterator[Query[Order]]:
    yield Order.primary(id=order)


def gives_an_iterable(order: str) -> Iterable[Query[Order]]:
    return [Order.primary(id=order)]


@pytest.mark.parametrize("function", [waits, waits_and_yields, yields, gives_an_iterable, 7, str])
def test_a_pattern_that_returns_no_request_raises(function: Any) -> None:
    with pytest.raises(DesignError) as caught:
        access()(function)

    assert caught.value.code == "access-kind"
    assert caught.value.fix


def a_query_for_a_get(order: str) -> Get[Order]:
    return Order.primary(id=order)  # type: ignore[return-value]


def several_for_one(order: str) -> Query[Order]:
    return [Order.primary(id=order)]  # type: ignore[return-value]


def one_for_several(order: str) -> list[Query[Order]]:
    return Order.primary(id=order)  # type: ignore[return-value]


@pytest.mark.parametrize("function", [a_query_for_a_get, several_for_one, one_for_several])
def test_a_pattern_that_returns_another_type_than_annotated_raises(function: Any) -> None:
    with pytest.raises(DesignError, match="it is annotated with") as caught:
        access()(function)

    assert isinstance(caught.value.__cause__, DesignError)
    assert caught.value.__cause__.code == "access-returns"


def test_a_pattern_that_returns_nothing_needs_an_example() -> None:
    def several(orders: list[str]) -> list[Query[Order]]:
        return [Order.primary(id=each) for each in orders if each.startswith("7")]

    access()(several)
    assert last().outcome().problem.startswith("needs example: it returns no request")
    with pytest.raises(DesignError, match="it returns no request"):
        access(example={"orders": ["8"]})(several)


def test_a_batch_that_is_declared_consistent_must_read_so() -> None:
    def several(order: str) -> Batch[Order]:
        return batch(Order.primary.get(id=order, n=0))

    with pytest.raises(DesignError, match="does not read consistently"):
        access(consistent=True)(several)


def test_made_up_entities_of_one_type_have_different_keys_where_equal_ones_fail() -> None:
    @access()
    def both(debit: Order, credit: Order) -> Transaction:
        return transaction(Put(debit), Put(credit))

    (request,) = last().outcome().requests

    assert isinstance(request, Transaction)
    assert [each.item["pk"]["S"] for each in request.members if isinstance(each, Put)] == [
        "ORDER#id",
        "ORDER#id2",
    ]


def test_made_up_entities_of_one_type_are_equal_where_that_works() -> None:
    @access()
    def replaced(old: Order, new: Order) -> Put[Order]:
        if old.id != new.id:
            raise ValueError
        return Put(new)

    assert last().outcome().problem == ""
