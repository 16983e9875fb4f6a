"""Where an access pattern can be declared, and how its tables are found."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import pytest

from pksk import (
    DesignError,
    Entity,
    Get,
    Key,
    PkskError,
    Query,
    Table,
    Transaction,
    Update,
    access,
    sequence,
    transaction,
)
from tests.model.patterns import models

T = TypeVar("T", bound=Callable[..., Any])


def names(table: Table) -> list[str]:
    return [each.name for each in table.patterns]


def problems(table: Table) -> list[str]:
    return [each.outcome().problem for each in table.patterns]


def an_order(table: Table) -> Any:
    class Order(Entity, table=table):
        id: str
        primary = Key("ORDER#{id}", "META")

    return Order


def test_a_static_method_of_a_plain_class_is_registered_like_a_function() -> None:
    shop = Table("shop")
    order = an_order(shop)

    class Orders:
        """What many applications have: a class of queries."""

        @access(rate=5, items=3)
        @staticmethod
        def one(order_id: str) -> Query[Any]:
            return order.primary(id=order_id)  # type: ignore[no-any-return]

        @access()
        def other(order_id: str) -> Query[Any]:  # type: ignore[misc]  # noqa: N805
            return order.primary(id=order_id)  # type: ignore[no-any-return]

    assert names(shop) == ["Orders.one", "Orders.other"]
    assert problems(shop) == ["", ""]
    assert Orders.one("7").pattern.name == "Orders.one"  # type: ignore[union-attr]


def test_a_method_that_needs_its_class_raises_outside_of_an_entity() -> None:
    order = an_order(Table("shop"))

    with pytest.raises(DesignError, match="it takes 'cls', and its class is not an Entity") as caught:

        class ByClass:
            @access()
            @classmethod
            def one(cls, order_id: str) -> Query[Any]:
                return order.primary(id=order_id)  # type: ignore[no-any-return]

    assert caught.value.code == "access-method"
    with pytest.raises(DesignError, match="it takes 'self'"):

        class ByObject:
            @access()
            def one(self, order_id: str) -> Query[Any]:
                return order.primary(id=order_id)  # type: ignore[no-any-return]


def test_a_decorator_around_the_decorator_changes_nothing() -> None:
    shop = Table("shop")
    order = an_order(shop)

    def often(function: T) -> T:
        return access(rate=100)(function)

    class Orders:
        @often
        @staticmethod
        def one(order_id: str) -> Query[Any]:
            return order.primary(id=order_id)  # type: ignore[no-any-return]

    class Line(Entity, table=shop):
        id: str
        primary = Key("LINE#{id}", "META")

        @often
        @classmethod
        def one(cls, line: str) -> Get[Line]:
            return cls.primary.get(id=line)

    assert names(shop) == ["Orders.one", "Line.one"]
    assert problems(shop) == ["", ""]


def run(source: str, **names: Any) -> dict[str, Any]:
    """Run a module without `from __future__ import annotations`, so that annotations are what they say."""
    module = ModuleType("lazy_annotations")
    module.__dict__.update(
        {"Entity": Entity, "Key": Key, "Query": Query, "Get": Get, "access": access, "models": models},
        **names,
    )
    sys.modules["lazy_annotations"] = module
    try:
        exec(compile(source, "lazy_annotations", "exec", dont_inherit=True), module.__dict__)
    finally:
        del sys.modules["lazy_annotations"]
    return module.__dict__


@pytest.mark.parametrize(
    "annotation", ["Query[models.Order]", "'Query[models.Order]'", "Query['models.Order']"]
)
def test_the_entity_may_be_named_in_the_annotation_alone(annotation: str) -> None:
    before = len(models.shop.patterns)
    run(f"""
def helper(customer):
    return models.Order.primary(customer=customer)

@access()
def of_customer(customer: str) -> {annotation}:
    return helper(customer)
""")

    assert [each.outcome().problem for each in models.shop.patterns[before:]] == [""]


def test_the_entity_may_be_named_through_its_module() -> None:
    before = len(models.shop.patterns)

    @access()
    def checked(customer: str) -> Transaction:
        return transaction(models.Order.primary.check(customer=customer, id="7"))

    assert names(models.shop)[before:] == ["checked"]


def test_an_annotation_may_be_quoted_in_a_module_whose_annotations_are_texts() -> None:
    shop = Table("shop")
    order = an_order(shop)

    @access()
    def one(order_id: str) -> "Query[Any]":  # noqa: UP037
        return order.primary(id=order_id)  # type: ignore[no-any-return]

    assert (names(shop), problems(shop)) == (["one"], [""])


def test_a_pattern_may_name_a_variable_that_is_assigned_later() -> None:
    shop = Table("shop")
    order = an_order(shop)

    @access()
    def one(order_id: str) -> Query[Any]:
        return order.primary(id=order_id or default)  # type: ignore[no-any-return]

    assert names(shop) == ["one"]
    default = "7"
    assert problems(shop) == [""]


def test_the_table_may_be_named_instead_of_an_entity() -> None:
    shop = Table("shop")
    an_order(shop)

    @access()
    def one(order_id: str) -> Query[Any]:
        return shop.entities[0].entity.primary(id=order_id)  # type: ignore[no-any-return]

    assert (names(shop), problems(shop)) == (["one"], [""])


@pytest.mark.parametrize("keeps", [functools.cache, functools.lru_cache(maxsize=3)])
def test_a_function_behind_a_cache_is_found(keeps: Any) -> None:
    shop = Table("shop")
    order = an_order(shop)

    def one(order_id: str) -> Query[Any]:
        return order.primary(id=order_id)  # type: ignore[no-any-return]

    access(items=3)(keeps(one))

    assert (names(shop), problems(shop)) == (["one"], [""])


def test_a_function_behind_a_decorator_is_found() -> None:
    shop = Table("shop")
    order = an_order(shop)

    def loud(function: T) -> T:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper  # type: ignore[return-value]

    @access()
    @loud
    def one(order_id: str) -> Query[Any]:
        return order.primary(id=order_id)  # type: ignore[no-any-return]

    assert (names(shop), problems(shop)) == (["one"], [""])


WAITING = """
from __future__ import annotations
from pydantic import BaseModel

class Order(Entity, table=shop):
    id: str
    address: Address | None = None
    primary = Key("ORDER#{id}", "META")

@access()
def one(id: str) -> Get[Order]:
    return Order.primary.get(%s=id)

class Address(BaseModel):
    city: str = ""

Order.model_rebuild()
"""


def test_an_entity_that_waits_for_a_name_has_its_patterns_checked_when_it_is_complete() -> None:
    shop = Table("shop")
    run(WAITING % "id", shop=shop)

    assert (names(shop), problems(shop)) == (["one"], [""])
    with pytest.raises(PkskError, match="'idd' is not a part of this key"):
        run(WAITING % "idd", shop=Table("shop"))


def test_a_pattern_without_an_entity_raises() -> None:
    with pytest.raises(DesignError) as caught:

        @access()
        def nothing(order: str) -> Query[Any]:
            raise ValueError(order)

    assert caught.value.code == "access-no-table"


@pytest.mark.parametrize(
    ("head", "problem"),
    [("cls, id: str", "its first parameter is 'cls'"), ("id: str", "is 'id'"), ("", "it has no parameters")],
)
def test_a_pattern_of_an_entity_without_classmethod_raises(head: str, problem: str) -> None:
    source = f"""
class Order(Entity, table=shop):
    id: str
    primary = Key("ORDER#{{id}}", "META")

    @access()
    def one({head}) -> Get["Order"]:
        return Order.primary.get(id="7")
"""

    with pytest.raises(DesignError) as caught:
        run(source, shop=Table("shop"))

    assert caught.value.code == "access-method"
    assert caught.value.problem.startswith("Order.one: it is neither a class method nor a static method")
    assert problem in caught.value.problem
    assert "write @classmethod between @access(...) and def one(cls, ...)" in caught.value.fix


def test_a_pattern_that_only_draws_from_a_sequence_belongs_to_its_table() -> None:
    shop = Table("shop")
    numbers = sequence("orders", table=shop)

    @access(rate=5)
    def number() -> Update:
        return numbers.take()

    assert names(shop) == ["number"]
    assert problems(shop) == [""]
    assert number().pattern.name == "number"  # type: ignore[union-attr]
