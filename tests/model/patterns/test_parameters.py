"""Parameters of every kind, and functions that no call of can be planned."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

import pytest

from pksk import Batch, DesignError, Entity, Get, Key, Pattern, Query, Table, access, batch

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


def test_an_argument_that_is_not_taken_is_a_problem() -> None:
    @access()
    def one(order: str) -> Get[Order]:
        return Order.primary.get(id=order, n=0)

    assert last().outcome({"order": "7", "x": 1}).problem == "TypeError: it takes no argument 'x'"


def test_a_type_of_which_no_value_is_known_needs_an_example() -> None:
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
def test_what_gives_no_request_when_it_is_called_is_refused(function: Any) -> None:
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
def test_a_pattern_that_returns_something_else_than_it_says_is_refused(function: Any) -> None:
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

    with pytest.raises(DesignError, match="reads not consistently"):
        access(consistent=True)(several)
