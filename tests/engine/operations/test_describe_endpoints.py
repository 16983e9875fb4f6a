"""DescribeEndpoints: where every account is sent."""

from __future__ import annotations

from pksk.engine import Engine
from tests.engine.tables.opened import Opened


def test_the_endpoint_is_that_of_the_region() -> None:
    assert Opened().call("DescribeEndpoints") == {
        "Endpoints": [{"Address": "dynamodb.us-east-1.amazonaws.com", "CachePeriodInMinutes": 1440}]
    }


def test_another_region_has_another_endpoint() -> None:
    (endpoint,) = Engine.open(region="eu-west-1").call("DescribeEndpoints", {})["Endpoints"]

    assert endpoint["Address"] == "dynamodb.eu-west-1.amazonaws.com"
