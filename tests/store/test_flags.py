"""Flags are True or False, and names are text."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import DesignError, InvalidValue, Store
from tests.store.shop import Order, shop

CHANGE = Order.primary.update(customer="7", number=1)


@pytest.mark.parametrize("flag", ["no", "", 0, None])
def test_an_upsert_is_asked_for_by_true_alone(db: Store, flag: Any) -> None:
    with pytest.raises(DesignError, match=r"update\(upsert=.*a flag is True or False"):
        db.update(CHANGE.set(total=1), upsert=flag)

    assert db.get(Order.primary.get(customer="7", number=1)) is None


@pytest.mark.one_door
def test_nothing_is_destroyed_by_the_text_no(db: Store) -> None:
    with pytest.raises(DesignError, match="destructive='no'"):
        db.ensure_tables(shop, destructive="no")  # type: ignore[arg-type]


@pytest.mark.one_door
@pytest.mark.parametrize("name", [None, 1, ["total"]])
def test_what_is_removed_is_named_by_text(db: Store, name: Any) -> None:
    with pytest.raises(InvalidValue, match="Order has no field"):
        CHANGE.remove(name)
