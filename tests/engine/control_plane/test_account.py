"""DescribeLimits and DescribeEndpoints."""

from __future__ import annotations

import orjson
import pytest

from pksk.engine import Engine
from tests.engine.state.catalogues import Opened


def test_describe_limits_returns_those_of_a_new_account() -> None:
    assert Opened().call("DescribeLimits") == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }


# Over HTTP the answer names the server instead, so this asks the engine itself.
@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1"])
def test_describe_endpoints_returns_the_endpoint_of_the_region(region: str) -> None:
    status, body = Engine.open(region=region).answer("DescribeEndpoints", b"{}")

    assert (status, orjson.loads(body)) == (
        200,
        {"Endpoints": [{"Address": f"dynamodb.{region}.amazonaws.com", "CachePeriodInMinutes": 1440}]},
    )
