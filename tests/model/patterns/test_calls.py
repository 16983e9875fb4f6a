"""A request that a pattern's call returns knows its pattern, and is the same request otherwise."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from pksk import Delete, Entity, F, Get, Key, Put, Query, Table, Transaction, Update, access, transaction

shop = Table("called")


class Order(Entity, table=shop):
    customer: str
    id: str
    total: int = 0
    primary = Key("CUST#{customer}", "ORDER#{id}")

    @access(rate=5, items=25, item_size=400)
    @classmethod
    def of_customer(cls, customer: str) -> Query[Order]:
        """The orders of a customer."""
        return cls.primary(customer=customer)

    @access()
    @staticmethod
    def one(customer: str, order: str) -> Get[Order]:
        return Order.primary.get(customer=customer, id=order)

    @classmethod
    @access(items=1)
    def first(cls, customer: str) -> Query[Order]:
        return cls.primary(customer=customer).limit(1)

    @access(item_size=300)
    def paid(self, total: int) -> Update[Order]:
        return Order.primary.update(customer=self.customer, id=self.id).set(total=total)

    @access(items=4)
    @classmethod
    def several(cls, customers: list[str]) -> list[Query[Order]]:
        return [cls.primary(customer=each) for each in customers]


@access(rate="5/day", item_size=1000)
def place(order: Order) -> Transaction:
    return transaction(Put(order), Order.primary.check(customer=order.customer, id="first"))


@access()
def drop(customer: str, order: str) -> Delete[Order]:
    return Order.primary.delete(customer=customer, id=order)


ORDER = Order(customer="7", id="1")


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        (Order.of_customer("7"), "Order.of_customer"),
        (Order.one("7", "1"), "Order.one"),
        (Order.first("7"), "Order.first"),
        (ORDER.paid(5), "Order.paid"),
        (place(ORDER), "place"),
        (drop("7", "1"), "drop"),
    ],
)
def test_a_request_knows_the_pattern_that_made_it(request_: Any, name: str) -> None:
    assert request_.pattern.name == name
    assert [each.options for each in shop.patterns if each.name == name] == [request_.pattern.options]


def test_explain_uses_the_declared_figures_unless_others_are_passed() -> None:
    made = Order.of_customer("7").explain()

    assert "25 items a call, as declared" in made.estimate.assumptions
    assert str(made.estimate) == "1.5 read units"
    assert str(Order.of_customer("7").explain(items=250).estimate) == "12.5 read units"
    assert str(Order.primary(customer="7").explain().estimate).startswith("unknown")


def test_a_request_of_a_pattern_is_equal_to_one_made_by_hand() -> None:
    assert Order.of_customer("7") == Order.primary(customer="7")
    assert hash(Order.of_customer("7")) == hash(Order.primary(customer="7"))
    assert repr(Order.of_customer("7")) == repr(Order.primary(customer="7"))
    assert Order.primary(customer="7").pattern is None


def test_a_pattern_is_kept_in_a_changed_write_and_in_a_pickle() -> None:
    assert drop("7", "1").when(F.total == 0).if_present().pattern == drop("7", "1").pattern
    assert ORDER.paid(5).when(F.total == 0).pattern == ORDER.paid(5).pattern
    assert pickle.loads(pickle.dumps(place(ORDER))).pattern == place(ORDER).pattern


def test_a_shared_request_is_copied_for_its_pattern() -> None:
    held = Order.primary(customer="7")

    @access()
    def always() -> Query[Order]:
        return held

    assert always().pattern.name == "always"  # type: ignore[union-attr]
    assert held.pattern is None


def test_several_requests_are_returned_as_they_are() -> None:
    assert Order.several(["7", "8"]) == [Order.primary(customer="7"), Order.primary(customer="8")]


def test_a_pattern_stays_a_function_with_its_name_and_its_documentation() -> None:
    assert Order.of_customer.__name__ == "of_customer"
    assert Order.of_customer.__doc__ == "The orders of a customer."
    assert isinstance(vars(Order)["of_customer"], classmethod)
    assert isinstance(vars(Order)["one"], staticmethod)


def test_a_pattern_of_a_base_is_known_by_the_entity_that_it_is_called_on() -> None:
    animals = Table("animals")

    class Base(Entity):
        id: str

        @access(items=3)
        @classmethod
        def one(cls, animal: str) -> Get[Any]:
            return cls.primary.get(id=animal)  # type: ignore[attr-defined, no-any-return]

    class Dog(Base, table=animals):
        primary = Key("DOG#{id}", "META")

    class Cat(Base, table=animals):
        primary = Key("CAT#{id}", "META")

    class Kitten(Cat, table=animals):
        pass

    found = [kind.one("7").pattern for kind in (Dog, Cat, Kitten)]
    assert [each.name for each in found if each] == ["Dog.one", "Cat.one", "Cat.one"]
