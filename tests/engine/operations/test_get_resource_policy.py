"""GetResourcePolicy: the document that a table or a stream has."""

from __future__ import annotations

from tests.engine.tables.opened import ARN, Opened

from .policies import MISSING, POLICY, get, opened, put


def test_an_arn_that_is_no_text_cannot_be_read() -> None:
    assert Opened().refused("GetResourcePolicy", {"ResourceArn": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_resource_must_be_named() -> None:
    message = Opened().invalid("GetResourcePolicy", {})

    assert message == (
        "1 validation error detected: Value null at 'resourceArn' failed to satisfy constraint: "
        "Member must not be null"
    )


def test_a_resource_that_is_missing_is_named() -> None:
    assert Opened().refused("GetResourcePolicy", {"ResourceArn": ARN}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: ResourceArn: {ARN} not found",
    )


def test_a_table_without_a_policy_says_so() -> None:
    assert opened().refused("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING


def test_a_table_may_be_created_with_a_policy() -> None:
    assert get(opened(ResourcePolicy=POLICY))["Policy"] == POLICY


def test_a_stream_has_a_policy_of_its_own() -> None:
    engine = opened(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = engine.describe()["LatestStreamArn"]

    put(engine, arn=stream)

    assert get(engine, stream)["Policy"] == POLICY
    assert engine.refused("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING
    assert (
        engine.refused("GetResourcePolicy", {"ResourceArn": f"{stream}1"})[0] == "ResourceNotFoundException"
    )
