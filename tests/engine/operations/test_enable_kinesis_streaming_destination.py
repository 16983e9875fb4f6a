"""EnableKinesisStreamingDestination: streams that are named for changes; nothing is sent."""

from __future__ import annotations

from tests.engine.tables.opened import NAME, Opened

from .destinations import BAD_STATE, STREAM, described, opened, request


def test_a_stream_that_is_no_text_cannot_be_read() -> None:
    assert opened().refused("EnableKinesisStreamingDestination", request(StreamArn=1)) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_stream_is_given_by_its_arn() -> None:
    message = opened().invalid("EnableKinesisStreamingDestination", request(StreamArn="changes"))

    assert message == (
        "1 validation error detected: Value 'changes' at 'streamArn' failed to satisfy constraint: "
        "Member must have length greater than or equal to 37"
    )


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("EnableKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_a_destination_is_enabled_and_kept() -> None:
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


def test_a_destination_is_not_enabled_twice_but_again() -> None:
    engine = opened()
    engine.call("EnableKinesisStreamingDestination", request())

    twice = engine.invalid("EnableKinesisStreamingDestination", request())
    off = engine.call("DisableKinesisStreamingDestination", request())
    again = engine.call("EnableKinesisStreamingDestination", request())

    assert twice == (
        f"{BAD_STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation."
    )
    assert (off["DestinationStatus"], again["DestinationStatus"]) == ("DISABLING", "ENABLING")
