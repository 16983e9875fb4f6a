"""Kinesis streaming destinations: enabled, updated, disabled and described; nothing is sent."""

from __future__ import annotations

from typing import Any

import pytest

from .kinesis_destinations import BAD_STATE, STREAM, described, opened, request


@pytest.mark.parametrize("verb", ["Enable", "Update", "Disable"])
def test_a_destination_needs_a_stream_arn(verb: str) -> None:
    message = opened().invalid(f"{verb}KinesisStreamingDestination", request(StreamArn="changes"))

    assert message == (
        "1 validation error detected: Value 'changes' at 'streamArn' failed to satisfy constraint: "
        "Member must have length greater than or equal to 37"
    )


def test_an_enabled_destination_is_stored() -> None:
    engine = opened()
    configuration = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}

    answer = engine.call(
        "EnableKinesisStreamingDestination", request(EnableKinesisStreamingConfiguration=configuration)
    )

    assert answer == {
        **request(),
        "DestinationStatus": "ENABLING",
        "EnableKinesisStreamingConfiguration": configuration,
    }
    assert described(engine) == [
        {
            "StreamArn": STREAM,
            "DestinationStatus": "ACTIVE",
            "ApproximateCreationDateTimePrecision": "MICROSECOND",
        }
    ]
    assert described(engine.again()) == described(engine)


def test_a_destination_can_be_enabled_again_only_after_it_is_disabled() -> None:
    engine = opened()
    engine.call("EnableKinesisStreamingDestination", request())

    twice = engine.invalid("EnableKinesisStreamingDestination", request())
    off = engine.call("DisableKinesisStreamingDestination", request())
    again = engine.call("EnableKinesisStreamingDestination", request())

    assert twice == (
        f"{BAD_STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation."
    )
    assert (off["DestinationStatus"], again["DestinationStatus"]) == ("DISABLING", "ENABLING")


def precision(unit: str) -> dict[str, Any]:
    return {"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": f"{unit}SECOND"}}


def test_times_are_precise_to_milliseconds_or_microseconds() -> None:
    message = opened().invalid("UpdateKinesisStreamingDestination", request(**precision("NANO")))

    assert message.endswith("Member must satisfy enum value set: [MILLISECOND, MICROSECOND]")


def test_updating_an_unknown_destination_is_an_error() -> None:
    assert opened().error_of("UpdateKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: KinesisStreamingDestination: {STREAM} not found",
    )


def test_only_an_active_destination_can_be_updated() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())

    message = engine.invalid("UpdateKinesisStreamingDestination", request())

    assert message == f"{BAD_STATE}KinesisStreamingDestination must be ACTIVE to perform UPDATE operation."


def test_the_precision_of_a_destination_is_changed() -> None:
    engine = opened()
    engine.call("EnableKinesisStreamingDestination", request())

    answer = engine.call("UpdateKinesisStreamingDestination", request(**precision("MICRO")))
    same = engine.invalid("UpdateKinesisStreamingDestination", request(**precision("MICRO")))

    assert answer == {**request(), "DestinationStatus": "UPDATING", **precision("MICRO")}
    assert described(engine)[0]["ApproximateCreationDateTimePrecision"] == "MICROSECOND"
    assert same == "One or more parameter values were invalid: Precision is already set to the desired value"


def test_disabling_an_unknown_destination_is_an_error() -> None:
    assert opened().error_of("DisableKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: KinesisStreamingDestination: {STREAM} not found",
    )


def test_only_an_active_destination_can_be_disabled() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())

    message = engine.invalid("DisableKinesisStreamingDestination", request())

    assert message == f"{BAD_STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."


def test_a_destination_is_disabled_after_the_delay_and_still_listed() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())
    engine.clock.now += 5

    answer = engine.call("DisableKinesisStreamingDestination", request())

    assert answer == {**request(), "DestinationStatus": "DISABLING"}
    assert described(engine) == [{"StreamArn": STREAM, "DestinationStatus": "DISABLING"}]
    engine.clock.now += 5
    assert described(engine.again()) == [{"StreamArn": STREAM, "DestinationStatus": "DISABLED"}]


def test_a_new_table_has_no_destinations() -> None:
    assert described(opened()) == []


def test_each_destination_has_its_own_state() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())
    engine.clock.now += 5
    engine.call("EnableKinesisStreamingDestination", request(StreamArn=f"{STREAM}-2"))

    assert described(engine) == [
        {"StreamArn": STREAM, "DestinationStatus": "ACTIVE"},
        {"StreamArn": f"{STREAM}-2", "DestinationStatus": "ENABLING"},
    ]
