"""How many partitions throughput needs."""

from __future__ import annotations

import pytest

from pksk.partitions import initial_count, warm_count


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


@pytest.mark.parametrize(
    ("reads", "writes", "expected"),
    [(0, 0, 1), (12_000, 4_000, 4), (30_000, 10_000, 10), (30_001, 10_000, 11), (1, 10_001, 11)],
)
def test_reads_and_writes_that_are_warm_share_partitions(reads: int, writes: int, expected: int) -> None:
    assert warm_count(reads, writes) == expected
