"""DescribeLimits: how much capacity every account may have."""

from __future__ import annotations

from tests.engine.tables.opened import Opened


def test_limits_are_those_of_a_new_account() -> None:
    assert Opened().call("DescribeLimits") == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }
