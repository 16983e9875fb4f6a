"""Tables as designs use them: lists of indexes, and copies that begin empty."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy
from typing import Any

import pytest

from pksk import GSI, Entity, Key, SchemaError, Table


@pytest.mark.parametrize(
    ("indexes", "fix"),
    [
        (GSI("by-day", pk="day"), "write indexes=[GSI('by-day', pk='day')]."),
        (None, 'GSI("by-email"'),
        (5, "GSI("),
    ],
)
def test_indexes_that_are_not_a_list_raise_with_the_fix(indexes: Any, fix: str) -> None:
    with pytest.raises(SchemaError, match=r"^Table 'orders': indexes=") as caught:
        Table("orders", indexes=indexes)

    assert caught.value.code == "schema-index"
    assert fix in caught.value.fix


@pytest.mark.parametrize("copied", [copy, deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_a_copy_of_a_table_begins_with_nothing_registered(copied: Any) -> None:
    orders = Table("orders", indexes=[GSI("by-day", pk="day")], tags={"a": "b"})

    class Order(Entity, table=orders):
        id: str
        primary = Key("ORDER#{id}", "META")

    other = copied(orders)

    class Bill(Entity, table=other):
        id: str
        primary = Key("ORDER#{id}", "META")

    assert other == orders
    assert repr(other) == repr(orders)
    assert [each.name for each in orders.entities] == ["Order"]
    assert [each.name for each in other.entities] == ["Bill"]
