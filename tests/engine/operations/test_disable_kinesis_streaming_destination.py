"""DisableKinesisStreamingDestination: streams that are to have no more changes."""

from __future__ import annotations

from tests.engine.tables.opened import NAME, Opened

from .destinations import BAD_STATE, STREAM, described, opened, request


def test_a_stream_that_is_no_text_cannot_be_read() -> None:
    assert opened().refused("DisableKinesisStreamingDestination", request(StreamArn=1)) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_stream_is_given_by_its_arn() -> None:
    message = opened().invalid("DisableKinesisStreamingDestination", request(StreamArn="changes"))

    assert message == (
        "1 validation error detected: Value 'changes' at 'streamArn' failed to satisfy constraint: "
        "Member must have length greater than or equal to 37"
    )


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("DisableKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_a_destination_that_a_table_never_had_is_not_found() -> None:
    assert opened().refused("DisableKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: KinesisStreamingDestination: {STREAM} not found",
    )


def test_only_what_is_active_is_disabled() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())

    message = engine.invalid("DisableKinesisStreamingDestination", request())

    assert message == f"{BAD_STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."


def test_a_destination_is_disabled_in_its_time_and_stays_listed() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())
    engine.clock.now += 5

    answer = engine.call("DisableKinesisStreamingDestination", request())

    assert answer == {**request(), "DestinationStatus": "DISABLING"}
    assert described(engine) == [{"StreamArn": STREAM, "DestinationStatus": "DISABLING"}]
    engine.clock.now += 5
    assert described(engine.again()) == [{"StreamArn": STREAM, "DestinationStatus": "DISABLED"}]
