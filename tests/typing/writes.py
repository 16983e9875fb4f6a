"""What type checkers infer of writes, and of conditions."""

from __future__ import annotations

from datetime import date
from typing import Any, assert_type

from pksk import Batch, Check, Delete, F, Get, Put, Transaction, Update, batch, transaction
from pksk.expressions import Condition, Field
from tests.typing.design import Animal, Customer, Dog, Order

DAY = date(2025, 3, 1)


def writes_are_of_their_entity() -> None:
    put, update = Put(Order(customer="7", number=1, day=DAY)), Order.primary.update(customer="7", number=1)

    assert_type(put, Put[Order])
    assert_type(put.when(F.total == 0), Put[Order])
    assert_type(put.if_absent(), Put[Order])
    assert_type(put.request, dict[str, Any])
    assert_type(update, Update[Order])
    assert_type(update.set(status="paid").add(total=5).remove("tags"), Update[Order])
    assert_type(update.add(tags={"x"}).when(F.total > 5), Update[Order])
    assert_type(update.apply(F.total.increment(5)), Update[Order])
    assert_type(Order.primary.delete(customer="7", number=1).if_present(), Delete[Order])
    assert_type(Order.primary.check(customer="7", number=1).when(F.total > 5), Check[Order])
    assert_type(Order.place("7", 1, DAY), Put[Order])


def writes_together_are_of_all_their_entities() -> None:
    order, other = (Order(customer="7", number=number, day=DAY) for number in (1, 2))
    customer = Customer(customer="7", name="Ann")

    assert_type(batch(Put(order), Order.primary.delete(customer="7", number=2)), Batch[Order])
    assert_type(batch(Put(order), Put(other)), Batch[Order])
    assert_type(transaction(Put(order), Order.primary.check(customer="7", number=2)), Transaction[Order])
    both: Transaction[Order | Customer] = transaction(Put(order), Put(customer))
    some: Batch[Order | Customer] = batch(Put(order), Put(customer))
    assert all((both, some))


def a_write_of_a_dog_is_a_write_of_an_animal() -> None:
    put: Put[Animal] = Put(Dog(owner="ann", name="rex"))
    update: Update[Animal] = Dog.primary.update(owner="ann", name="rex").add(tricks=1)
    delete: Delete[Animal] = Dog.primary.delete(owner="ann", name="rex")
    gets: Batch[Animal] = batch(Dog.primary.get(owner="ann", name="rex"))
    get: Get[Dog | Order] = Dog.primary.get(owner="ann", name="rex")
    assert all((put, update, delete, gets, get))


def conditions_are_conditions() -> None:
    condition: Condition = F.total.between(1, 5) & ~F.tags.contains("x") | F.status.is_in("open", "paid")
    size: Condition = (F.tags.size() > 3) & (F["size"] != 4) & F.lines[0].sku.begins("A")

    assert_type(F.total, Field)
    assert_type(F["size"], Field)
    assert_type(F.lines[0].sku, Field)
    assert condition != size
