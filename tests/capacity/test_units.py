"""Capacity units, by the worked figures of the developer guide."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pksk.capacity import batch_read_units, batch_write_units, query_units, read_units, write_units
from pksk.errors import InvalidValue
from pksk.limits import ITEM_BYTES

SIZES = st.integers(0, ITEM_BYTES)
KB = 1024


@pytest.mark.parametrize(
    ("size_bytes", "consistent", "eventual", "transactional"),
    [
        (0, 1, 0.5, 2),
        (1, 1, 0.5, 2),
        (4 * KB, 1, 0.5, 2),
        (4 * KB + 1, 2, 1, 4),
        (8 * KB, 2, 1, 4),
        (9 * KB, 3, 1.5, 6),
        (ITEM_BYTES, 100, 50, 200),
    ],
)
def test_a_read_is_charged_by_each_4_kb(
    size_bytes: int, consistent: float, eventual: float, transactional: float
) -> None:
    assert read_units(size_bytes) == consistent
    assert read_units(size_bytes, consistent=False) == eventual
    assert read_units(size_bytes, transactional=True) == transactional
    assert read_units(size_bytes, consistent=False, transactional=True) == transactional


@pytest.mark.parametrize(
    ("size_bytes", "units"),
    [(0, 1), (1, 1), (1024, 1), (1025, 2), (1517, 2), (3023, 3), (9 * KB, 9), (ITEM_BYTES, 400)],
)
def test_a_write_is_charged_by_each_kb_and_doubled_in_a_transaction(size_bytes: int, units: float) -> None:
    assert write_units(size_bytes) == units
    assert write_units(size_bytes, transactional=True) == 2 * units


def test_a_query_page_is_rounded_up_once() -> None:
    assert query_units(int(40.8 * KB)) == 11
    assert query_units(1500 * 64) == 24
    assert query_units(8 * 2000, consistent=False) == 2
    assert query_units(0) == 1
    assert query_units(0, consistent=False) == 0.5


def test_a_batch_is_rounded_up_item_by_item() -> None:
    assert batch_read_units([int(1.5 * KB), int(6.5 * KB)]) == 3
    assert batch_read_units([int(1.5 * KB), int(6.5 * KB)], consistent=False) == 1.5
    assert batch_read_units([0, 0], transactional=True) == 4
    assert batch_write_units([500, int(3.5 * KB)]) == 5
    assert batch_write_units([500, int(3.5 * KB)], transactional=True) == 10
    assert batch_read_units([]) == batch_write_units([]) == 0


@pytest.mark.parametrize(
    "units",
    [read_units, write_units, query_units, lambda n: batch_read_units([n]), lambda n: batch_write_units([n])],
)
def test_a_negative_size_raises(units: Callable[[int], float]) -> None:
    with pytest.raises(InvalidValue, match="-1 is not a size in bytes") as raised:
        units(-1)

    assert raised.value.code == "value-size-negative"


@given(st.lists(SIZES, min_size=1), st.booleans())
def test_a_query_never_costs_more_than_getting_its_items_in_a_batch(
    sizes: list[int], consistent: bool
) -> None:
    together = query_units(sum(sizes), consistent=consistent)

    assert together <= batch_read_units(sizes, consistent=consistent)


@given(SIZES)
def test_a_unit_more_is_charged_only_past_a_full_unit(size_bytes: int) -> None:
    units = int(write_units(size_bytes))

    assert (units - 1) * KB < max(size_bytes, 1) <= units * KB
