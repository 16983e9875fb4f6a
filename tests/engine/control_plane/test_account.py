"""DescribeLimits: how much capacity every account may have."""

from __future__ import annotations

from pksk.engine import Engine
from tests.engine.state.catalogues import Opened


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


def test_another_region_has_another_endpoint() -> None:
    (endpoint,) = Engine.open(region="eu-west-1").call("DescribeEndpoints", {})["Endpoints"]

    assert endpoint["Address"] == "dynamodb.eu-west-1.amazonaws.com"
