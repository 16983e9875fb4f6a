"""The types that checkers infer for writes: mypy reads this file, and running it shows that they are true."""

from __future__ import annotations

from typing import assert_type

from pksk import Batch, Check, Delete, Entity, F, Put, Transaction, Update, batch, transaction
from tests.model.writes.shop import Order, order


def test_the_entity_of_a_write_is_inferred() -> None:
    assert_type(Order.primary.update(id="7"), Update[Order])
    assert_type(Order.primary.update(id="7").set(total=1).when(F.total > 0).upsert(), Update[Order])
    assert_type(Order.primary.update(id="7").set(status="x").with_read({}), Update[Order])
    assert_type(Order.primary.delete(id="7").if_present(), Delete[Order])
    assert_type(Order.primary.check(id="7").absent(), Check[Order])
    assert_type(Put(order()).if_absent(), Put[Order])
    assert_type(Put(order()).entity, type[Order])
    assert_type(batch(Order.primary.get(id="7")), Batch[Order])
    assert_type(transaction(Put(order()), Order.primary.delete(id="8")), Transaction[Order])


def test_writes_are_covariant_and_may_be_named_without_their_entity() -> None:
    wider: Update[Entity] = Order.primary.update(id="7")
    put: Put[Entity] = Put(order())
    made: Transaction = transaction(put)
    some: Batch = batch(put)

    assert wider.entity is Order
    assert made.members == some.members
