"""DescribeTimeToLive: by which attribute items expire, as it is and as it changes."""

from __future__ import annotations

from tests.engine.tables.opened import ARN, NAME, Opened

from .expiry import described, opened, request


def test_a_name_that_is_no_text_cannot_be_read() -> None:
    assert Opened().refused("DescribeTimeToLive", {"TableName": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_table_must_be_named() -> None:
    message = Opened().invalid("DescribeTimeToLive", {})

    assert message == "The parameter 'TableName' is required but was not present in the request"


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("DescribeTimeToLive", {"TableName": NAME}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_expiry_is_off_at_first() -> None:
    assert described(opened()) == {"TimeToLiveStatus": "DISABLED"}


def test_a_table_is_found_by_its_arn_as_well() -> None:
    engine = opened()
    engine.call("UpdateTimeToLive", request())

    answer = engine.call("DescribeTimeToLive", {"TableName": ARN})

    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}}


def test_the_attribute_is_shown_until_expiry_is_off() -> None:
    engine = opened(update_table=3600)
    engine.call("UpdateTimeToLive", request())
    engine.clock.now += 3600
    engine.call("UpdateTimeToLive", request(enabled=False))

    during = described(engine)
    engine.clock.now += 3600

    assert during == {"TimeToLiveStatus": "DISABLING", "AttributeName": "expires"}
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}
