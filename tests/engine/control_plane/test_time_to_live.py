"""UpdateTimeToLive: which attribute items expire by, and in which state that is."""

from __future__ import annotations

from tests.engine.state.catalogues import ARN, NAME, Opened

from .time_to_live import described, opened, request


def test_ttl_is_enabled_disabled_and_stored() -> None:
    engine = opened()

    answer = engine.call("UpdateTimeToLive", request())

    assert answer == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    assert described(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    assert described(engine.again()) == described(engine)
    engine.call("UpdateTimeToLive", request(enabled=False))
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}


def test_what_is_on_or_off_already_is_rejected() -> None:
    engine = opened()
    assert engine.invalid("UpdateTimeToLive", request(enabled=False)) == "TimeToLive is already disabled"
    engine.call("UpdateTimeToLive", request())
    assert engine.invalid("UpdateTimeToLive", request()) == "TimeToLive is already enabled"


def test_items_expire_by_one_attribute() -> None:
    engine = opened()
    engine.call("UpdateTimeToLive", request())

    text = "TimeToLive is active on a different AttributeName: current AttributeName is expires"
    assert engine.invalid("UpdateTimeToLive", request("other")) == text
    assert engine.invalid("UpdateTimeToLive", request("other", enabled=False)) == text


def test_a_change_takes_its_time_and_rules_out_another_for_an_hour() -> None:
    engine = opened(update_table=60)
    engine.call("UpdateTimeToLive", request())

    during = described(engine)
    engine.clock.now += 60
    after = described(engine)
    soon = engine.invalid("UpdateTimeToLive", request(enabled=False))
    engine.clock.now += 3540
    engine.call("UpdateTimeToLive", request(enabled=False))

    assert during == {"TimeToLiveStatus": "ENABLING", "AttributeName": "expires"}
    assert after["TimeToLiveStatus"] == "ENABLED"
    assert soon == "Time to live has been modified multiple times within a fixed interval"
    assert described(engine) == {"TimeToLiveStatus": "DISABLING", "AttributeName": "expires"}


def test_updating_time_to_live_of_a_missing_table_names_it() -> None:
    assert Opened().error_of("UpdateTimeToLive", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_a_table_that_is_being_created_is_in_use() -> None:
    engine = opened(create_table=5)

    assert engine.error_of("UpdateTimeToLive", request()) == (
        "ResourceInUseException",
        f"Attempt to change a resource which is still in use: Table is being created: {NAME}",
    )


def test_a_name_that_is_not_a_string_cannot_be_read() -> None:
    assert Opened().error_of("DescribeTimeToLive", {"TableName": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_table_must_be_named() -> None:
    message = Opened().invalid("DescribeTimeToLive", {})

    assert message == "The parameter 'TableName' is required but was not present in the request"


def test_describing_time_to_live_of_a_missing_table_names_it() -> None:
    assert Opened().error_of("DescribeTimeToLive", {"TableName": NAME}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_expiry_is_off_at_first() -> None:
    assert described(opened()) == {"TimeToLiveStatus": "DISABLED"}


def test_a_table_can_be_named_by_its_arn() -> None:
    engine = opened()
    engine.call("UpdateTimeToLive", request())

    answer = engine.call("DescribeTimeToLive", {"TableName": ARN})

    assert answer == {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}}


def test_the_ttl_attribute_is_described_until_ttl_is_disabled() -> None:
    engine = opened(update_table=3600)
    engine.call("UpdateTimeToLive", request())
    engine.clock.now += 3600
    engine.call("UpdateTimeToLive", request(enabled=False))

    during = described(engine)
    engine.clock.now += 3600

    assert during == {"TimeToLiveStatus": "DISABLING", "AttributeName": "expires"}
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}
