"""Code that type checkers must reject: each comment names the error, and a missing one fails."""

from __future__ import annotations

from datetime import date
from typing import assert_type

from pksk import (
    Attribute,
    Entity,
    F,
    Get,
    Key,
    Nearest,
    Put,
    Query,
    Reference,
    Shard,
    Store,
    access,
    batch,
    collect,
    transaction,
)
from tests.typing.design import Animal, Customer, Dog, Order
from tests.typing.reads import named
from tests.typing.searches import Poem, Text

DAY = date(2025, 3, 1)


def an_assertion_that_does_not_hold() -> None:
    assert_type(Order.primary(customer="7"), Query[Dog])  # type: ignore[assert-type]


def entities_with_wrong_fields() -> None:
    Order(customer=7, number=1, day=DAY)  # type: ignore[arg-type]
    Order(customer="7", number=1)  # type: ignore[call-arg]
    Order(customer="7", number=1, day=DAY, colour="red")  # type: ignore[call-arg]
    Order("7", 1, DAY)  # type: ignore[call-arg]
    Order(customer="7", number=1, day=DAY, primary=Key("X"))  # type: ignore[call-arg]


def keys_with_wrong_arguments() -> None:
    Key(5)  # type: ignore[arg-type]
    Key("ORDER#{id}", when="total > 5")  # type: ignore[arg-type]
    Key("ORDER#{id}", codec="bare")  # type: ignore[arg-type]
    Key("ORDER#{id}", shard=4)  # type: ignore[arg-type]
    Shard("4")  # type: ignore[arg-type]


def markers_with_wrong_arguments() -> None:
    Attribute(5)  # type: ignore[arg-type]
    Reference(5)  # type: ignore[arg-type]
    Reference("Customer", customer=5)  # type: ignore[arg-type]


def names_that_are_not_there() -> None:
    Order.by_colour(colour="red")  # type: ignore[attr-defined]
    Order.primary.find(customer="7")  # type: ignore[attr-defined]
    Order.primary.get(customer="7", number=1).filter(F.total > 5)  # type: ignore[attr-defined]


def patterns_with_wrong_arguments() -> None:
    Order.of_customer(7, 1, 9)  # type: ignore[arg-type]
    Order.of_customer("7")  # type: ignore[call-arg]
    access(rate=[5])  # type: ignore[arg-type]
    access(rates=5)  # type: ignore[call-arg]


class Wrong(Entity):
    """A class in no table, whose patterns are never called."""

    number: int

    @access(rate=1)
    @classmethod
    def query(cls) -> Query[Order]:
        """Says orders, returns customers."""
        return Customer.primary(customer="7")  # type: ignore[return-value]

    @access(rate=1)
    @classmethod
    def get(cls) -> Get[Order]:
        """Says one, returns several."""
        return Order.primary(customer="7")  # type: ignore[return-value]

    @access(rate=1)
    @classmethod
    def both(cls) -> Query[Order]:
        """Says orders, returns customers also."""
        return collect(Order.primary(customer="7"), Customer.primary(customer="7"))  # type: ignore[arg-type]


def reads_of_the_wrong_entity() -> None:
    named(Order.primary(customer="7"))  # type: ignore[arg-type]
    dogs: Query[Dog] = Animal.primary(owner="ann")  # type: ignore[assignment]
    named(dogs)


def queries_with_wrong_arguments() -> None:
    orders = Order.primary(customer="7")
    orders.filter("total > 5")  # type: ignore[arg-type]
    orders.limit("5")  # type: ignore[arg-type]
    orders.into(int)  # type: ignore[type-var]
    Order.primary("7")  # type: ignore[call-arg]
    collect(orders)  # type: ignore[call-overload]


def requests_are_not_their_results(db: Store) -> None:
    list(Order.primary(customer="7"))  # type: ignore[call-overload]
    db.get(Order(customer="7", number=1, day=DAY))  # type: ignore[call-overload]
    db.query(Order.primary(customer="7"))  # type: ignore[attr-defined]


def writes_of_the_wrong_kind() -> None:
    update = Order.primary.update(customer="7", number=1)
    Put("order")  # type: ignore[type-var]
    batch(update)  # type: ignore[arg-type]
    transaction(Order.primary(customer="7"))  # type: ignore[arg-type]
    update.when("total > 5")  # type: ignore[arg-type]
    update.remove(5)  # type: ignore[arg-type]


def searches_with_what_is_no_vector() -> None:
    Text.near.nearest(["1", "0"])  # type: ignore[list-item]
    Text.near.nearest([1, 0], "5")  # type: ignore[arg-type]
    Text.near.nearest([1, 0]).into(int)  # type: ignore[type-var]
    assert_type(Text.near.nearest([1, 0]), Nearest[Poem])  # type: ignore[assert-type]
