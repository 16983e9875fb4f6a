"""UpdateTimeToLive and DescribeTimeToLive."""

from __future__ import annotations

from tests.engine.state.catalogues import ARN, NAME

from .time_to_live import described, opened, request


def test_ttl_is_enabled_disabled_and_stored() -> None:
    engine = opened()

    answer = engine.call("UpdateTimeToLive", request())

    assert answer == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    assert described(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    assert described(engine.again()) == described(engine)
    engine.call("UpdateTimeToLive", request(enabled=False))
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}


def test_enabling_enabled_ttl_or_disabling_disabled_ttl_is_rejected() -> None:
    engine = opened()
    assert engine.invalid("UpdateTimeToLive", request(enabled=False)) == "TimeToLive is already disabled"
    engine.call("UpdateTimeToLive", request())
    assert engine.invalid("UpdateTimeToLive", request()) == "TimeToLive is already enabled"


def test_a_table_has_only_one_ttl_attribute() -> None:
    engine = opened()
    engine.call("UpdateTimeToLive", request())

    text = "TimeToLive is active on a different AttributeName: current AttributeName is expires"
    assert engine.invalid("UpdateTimeToLive", request("other")) == text
    assert engine.invalid("UpdateTimeToLive", request("other", enabled=False)) == text


def test_a_change_of_ttl_takes_the_delay_and_prevents_another_for_an_hour() -> None:
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


def test_a_table_that_is_being_created_is_in_use() -> None:
    engine = opened(create_table=5)

    assert engine.error_of("UpdateTimeToLive", request()) == (
        "ResourceInUseException",
        f"Attempt to change a resource which is still in use: Table is being created: {NAME}",
    )


def test_ttl_is_disabled_by_default() -> None:
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
