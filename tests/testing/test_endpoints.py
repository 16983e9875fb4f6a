"""Endpoints of AWS, and endpoints that the user names."""

from __future__ import annotations

from typing import Any

import botocore.session
import pytest
from botocore.config import Config

from pksk.testing.boto3_session import new_boto3_session
from pksk.testing.scopes import AWS_SUFFIXES, Endpoints


def test_the_suffixes_are_those_of_all_partitions_that_botocore_knows() -> None:
    loader = botocore.session.Session().get_component("data_loader")
    outputs = [each["outputs"] for each in loader.load_data("partitions")["partitions"]]
    known = {f".{each[name]}" for each in outputs for name in ("dnsSuffix", "dualStackDnsSuffix")}

    assert set(AWS_SUFFIXES) == known


@pytest.mark.parametrize(
    ("region", "config"),
    [
        ("us-east-1", {}),
        ("cn-north-1", {}),
        ("us-gov-west-1", {"use_fips_endpoint": True}),
        ("eu-west-1", {"use_dualstack_endpoint": True}),
        ("us-iso-east-1", {}),
        ("eusc-de-east-1", {}),
    ],
)
@pytest.mark.parametrize("service", ["dynamodb", "dynamodbstreams"])
def test_endpoints_resolved_by_botocore_are_aws(service: str, region: str, config: dict[str, Any]) -> None:
    client = new_boto3_session(region).client(service, config=Config(**config))

    assert client.meta.endpoint_url in Endpoints()


@pytest.mark.parametrize(
    "url",
    [
        "https://123456789012.ddb.us-east-1.amazonaws.com/",
        "https://search-dynamodb.us-east-1.amazonaws.com",
        "https://vpce-1a2b-xyz.dynamodb.us-east-1.vpce.amazonaws.com",
        "https://DynamoDB.us-east-1.AmazonAWS.com:443/",
    ],
)
def test_endpoints_of_aws_are_recognised(url: str) -> None:
    assert url in Endpoints()


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8000",
        "https://amazonaws.com.example.org/",
        "https://notamazonaws.com",
        "http://[::1]:8000",
    ],
)
def test_other_endpoints_are_not_aws(url: str) -> None:
    assert url not in Endpoints()
    assert url in Endpoints("*")


@pytest.mark.parametrize(
    "endpoint", ["localhost:8000", "http://localhost:8000/", "LOCALHOST", "local*", "*:8000"]
)
def test_an_endpoint_can_be_written_in_several_forms(endpoint: str) -> None:
    assert "http://localhost:8000/" in Endpoints([endpoint])
