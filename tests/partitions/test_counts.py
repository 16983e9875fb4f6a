"""How many partitions throughput needs."""

from __future__ import annotations

import pytest

from pksk.partitions import initial_count


@pytest.mark.parametrize(
    ("reads", "writes", "expected"),
    [
        (1, 1, 1),
        (3000, 0, 1),
        (3001, 0, 2),
        (0, 1000, 1),
        (1500, 500, 1),
        (1501, 500, 2),
        (5500, 1500, 4),
        (0, 3200, 4),
        (0, 10_000, 10),
        (40_000, 40_000, 54),
    ],
)
def test_provisioned_units_need_as_many_partitions_as_carry_them(
    reads: int, writes: int, expected: int
) -> None:
    assert initial_count("PROVISIONED", reads, writes) == expected


def test_a_table_on_demand_begins_with_four() -> None:
    assert initial_count("PAY_PER_REQUEST") == 4
