"""UpdateKinesisStreamingDestination: how precise the times in a destination are."""

from __future__ import annotations

from typing import Any

from tests.engine.tables.opened import NAME, Opened

from .destinations import BAD_STATE, STREAM, described, opened, request


def precision(unit: str) -> dict[str, Any]:
    return {"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": f"{unit}SECOND"}}


def test_a_stream_that_is_no_text_cannot_be_read() -> None:
    assert opened().refused("UpdateKinesisStreamingDestination", request(StreamArn=1)) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_stream_is_given_by_its_arn() -> None:
    message = opened().invalid("UpdateKinesisStreamingDestination", request(StreamArn="changes"))

    assert message == (
        "1 validation error detected: Value 'changes' at 'streamArn' failed to satisfy constraint: "
        "Member must have length greater than or equal to 37"
    )


def test_times_are_precise_to_milliseconds_or_microseconds() -> None:
    message = opened().invalid("UpdateKinesisStreamingDestination", request(**precision("NANO")))

    assert message.endswith("Member must satisfy enum value set: [MILLISECOND, MICROSECOND]")


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("UpdateKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_a_destination_that_a_table_never_had_is_not_found() -> None:
    assert opened().refused("UpdateKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: KinesisStreamingDestination: {STREAM} not found",
    )


def test_only_what_is_active_is_updated() -> None:
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
