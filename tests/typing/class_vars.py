"""Keys annotated as class variables, which Pydantic's plugin for mypy requires and all checkers understand."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import ClassVar, assert_type

from pksk import Entity, F, Get, InvalidValue, Key, Put, Query, Table, access
from pksk.model import BoundKey

shop = Table("shop")


class Order(Entity, table=shop):
    customer: str
    number: int
    day: date | None = None

    primary: ClassVar[Key] = Key("CUST#{customer}", "ORDER#{number:06d}")

    @access(rate=40, items=20)
    @classmethod
    def of_customer(cls, customer: str) -> Query[Order]:
        """The orders of a customer."""
        return cls.primary(customer=customer)


def keys_are_inferred_as_without_the_annotation() -> None:
    order = Order(customer="7", number=1)

    assert_type(Order.primary, BoundKey[Order])
    assert_type(order.primary, BoundKey[Order])
    assert_type(Order.primary(customer="7").filter(F.day.exists()), Query[Order])
    assert_type(Order.primary.get(customer="7", number=1), Get[Order])
    assert_type(Order.of_customer("7"), Query[Order])
    assert_type(Put(order), Put[Order])


def keys_are_no_fields() -> None:
    with suppress(InvalidValue):
        Order(customer="7", number=1, primary=Key("X"))  # type: ignore[call-arg]
