"""Where a pattern may stand, and how its tables are found."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import pytest

from pksk import DesignError, Entity, Get, Key, PkskError, Query, Table, Transaction, access, transaction
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


def test_a_static_method_of_a_class_that_is_no_entity_is_registered_as_a_function_is() -> None:
    shop = Table("shop")
    order = an_order(shop)

    class Orders:
        """What many applications have: a class that only asks."""

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


def test_a_method_of_such_a_class_is_refused_where_it_needs_the_class() -> None:
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
    module = ModuleType("asked")
    module.__dict__.update(
        {"Entity": Entity, "Key": Key, "Query": Query, "Get": Get, "access": access, "models": models},
        **names,
    )
    sys.modules["asked"] = module
    try:
        exec(compile(source, "asked", "exec", dont_inherit=True), module.__dict__)
    finally:
        del sys.modules["asked"]
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


def test_code_that_names_no_entity_is_refused() -> None:
    with pytest.raises(DesignError) as caught:

        @access()
        def nothing(order: str) -> Query[Any]:
            raise ValueError(order)

    assert caught.value.code == "access-no-table"
