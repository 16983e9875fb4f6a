"""What type checkers infer of reads."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any, TypeVar, assert_type
from uuid import UUID, uuid4

from pksk import Entity, F, Get, Plan, Query, Scan, begins, between, collect, gt
from pksk.model import BoundKey
from tests.typing.design import Animal, Count, Customer, Dog, Line, Order, Session, Summary, order_with_lines

E = TypeVar("E", bound=Entity)


def a_key_belongs_to_the_class_that_it_is_taken_from() -> None:
    order = Order(customer="7", number=1, day=date(2025, 3, 1))

    assert_type(Order.primary, BoundKey[Order])
    assert_type(Order.by_uid, BoundKey[Order])
    assert_type(order.primary, BoundKey[Order])
    assert_type(Animal.primary, BoundKey[Animal])
    assert_type(Dog.primary, BoundKey[Dog])
    assert_type(Count.primary, BoundKey[Count])


def a_key_called_is_a_query_of_its_entity() -> None:
    assert_type(Order.primary(customer="7"), Query[Order])
    assert_type(Order.primary(customer="7", number=gt(5)), Query[Order])
    assert_type(Order.by_uid(uid=uuid4()), Query[Order])
    assert_type(Order.by_status(status="open", day=begins("2025-03")), Query[Order])
    assert_type(Count.primary(sensor="a"), Query[Count])


def the_other_reads_are_of_the_entity_too() -> None:
    assert_type(Order.primary.get(customer="7", number=1), Get[Order])
    assert_type(Order.primary.get(customer="7", number=1).consistently(), Get[Order])
    assert_type(Order.primary.get(customer="7", number=1).request, dict[str, Any])
    assert_type(Order.where(customer="7"), Query[Order])
    assert_type(Dog.where(owner="ann"), Query[Dog])
    assert_type(Order.scan(), Scan[Order])
    assert_type(Order.by_status.scan(), Scan[Order])
    assert_type(Order.scan().filter(F.total > 5).segments(4).consistently().hydrate(), Scan[Order])


def what_refines_a_query_keeps_its_type() -> None:
    orders = Order.primary(customer="7", number=between(1, 9))

    assert_type(orders.filter((F.total > 10) & F.tags.contains("x") | ~F["status"].exists()), Query[Order])
    assert_type(orders.reverse(), Query[Order])
    assert_type(orders.consistently(), Query[Order])
    assert_type(orders.limit(5), Query[Order])
    assert_type(orders.pages(100), Query[Order])
    assert_type(orders.hydrate(), Query[Order])
    assert_type(orders.plan, Plan)


def a_smaller_model_is_the_type_of_what_comes() -> None:
    orders = Order.primary(customer="7")

    assert_type(orders.into(Summary), Query[Summary])
    assert_type(orders.into(Summary).reverse().limit(5), Query[Summary])
    assert_type(orders.filter(F.total > 5).into(Summary), Query[Summary])


def several_entities_are_a_union() -> None:
    orders, lines = Order.primary(customer="7"), Line.primary(customer="7")
    customers, animals = Customer.primary(customer="7"), Animal.primary(owner="ann")

    assert_type(collect(orders, lines), Query[Order | Line])
    assert_type(collect(orders, lines).reverse(), Query[Order | Line])
    assert_type(collect(orders, lines, customers), Query[Order | Line | Customer])
    assert_type(collect(orders, lines, orders), Query[Order | Line])
    assert_type(collect(orders, lines, customers, animals), Query[Order | Line | Customer | Animal])
    assert_type(collect(orders, orders, orders, orders, orders), Query[Order])
    many: Query[Order | Line | Customer] = collect(orders, lines, customers, orders, lines)
    assert len(many.entities) == 5


def patterns_keep_the_type_of_their_function() -> None:
    assert_type(Order.of_customer("7", first=1, last=9), Query[Order])
    assert_type(Order.one("7", 1), Get[Order])
    assert_type(order_with_lines("7", 1), Query[Order | Line])
    assert_type(Animal.of_owner("ann"), Query[Animal])
    assert_type(Dog.of_owner("ann"), Query[Dog])


def a_read_of_dogs_is_a_read_of_animals() -> None:
    assert named(Dog.primary(owner="ann")) == ("Dog",)
    assert named(Dog.where(owner="ann").reverse()) == ("Dog",)
    key: BoundKey[Animal] = Dog.primary
    get: Get[Animal] = Dog.primary.get(owner="ann", name="rex")
    scan: Scan[Animal] = Dog.scan()
    either: Query[Order | Line] = Order.primary(customer="7")
    assert all((key, get, scan, either))


def functions_over_any_entity_keep_it() -> None:
    assert_type(first_of(Order.primary(customer="7")), Query[Order])
    assert_type(everything(Order), Scan[Order])


def fields_have_their_types() -> None:
    order = Order(customer="7", number=1, day=date(2025, 3, 1), tags={"x"})
    count = Count(sensor="a", value=1)

    assert_type(order.total, int)
    assert_type(order.status, str | None)
    assert_type(order.uid, UUID)
    assert_type(count.value, int)


def marked_fields_have_the_types_that_are_marked() -> None:
    session = Session(token="t", customer="7", expires=datetime.now(UTC))

    assert_type(session.token, str)
    assert_type(session.version, int)
    assert_type(session.expires, datetime)
    assert_type(session.created, datetime | None)


def named(animals: Query[Animal]) -> tuple[str, ...]:
    """A function that wants animals of any kind."""
    return tuple(entity.__name__ for entity in animals.entities)


def first_of(query: Query[E]) -> Query[E]:
    """A function that takes a query of any entity."""
    return query.limit(1)


def everything(entity: type[E]) -> Scan[E]:
    """A function that wants an entity's class."""
    return entity.scan()


def fetch(kind: type[E], **parts: Any) -> Get[E]:
    """Code over any entity takes its key by name."""
    return BoundKey(kind, "primary").get(**parts)
