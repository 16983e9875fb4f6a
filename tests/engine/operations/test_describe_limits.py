"""DescribeLimits and DescribeEndpoints: what every account is told."""

from __future__ import annotations

from tests.engine.tables.opened import Opened


def test_limits_are_those_of_a_new_account() -> None:
    assert Opened().call("DescribeLimits") == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


def test_the_endpoint_is_that_of_the_region() -> None:
    assert Opened().call("DescribeEndpoints") == {
        "Endpoints": [{"Address": "dynamodb.us-east-1.amazonaws.com", "CachePeriodInMinutes": 1440}]
    }
