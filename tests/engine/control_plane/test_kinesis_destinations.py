"""EnableKinesisStreamingDestination: streams that are named for changes; nothing is sent."""

from __future__ import annotations

from typing import Any

from tests.engine.state.catalogues import NAME, Opened

from .kinesis_destinations import BAD_STATE, STREAM, described, opened, request


def test_enabling_a_destination_rejects_a_stream_that_is_not_a_string() -> None:
    assert opened().error_of("EnableKinesisStreamingDestination", request(StreamArn=1)) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_enabling_a_destination_takes_the_arn_of_a_stream() -> None:
    message = opened().invalid("EnableKinesisStreamingDestination", request(StreamArn="changes"))

    assert message == (
        "1 validation error detected: Value 'changes' at 'streamArn' failed to satisfy constraint: "
        "Member must have length greater than or equal to 37"
    )


def test_enabling_a_destination_of_a_missing_table_names_it() -> None:
    assert Opened().error_of("EnableKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
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


def test_updating_a_destination_rejects_a_stream_that_is_not_a_string() -> None:
    assert opened().error_of("UpdateKinesisStreamingDestination", request(StreamArn=1)) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_updating_a_destination_takes_the_arn_of_a_stream() -> None:
    message = opened().invalid("UpdateKinesisStreamingDestination", request(StreamArn="changes"))

    assert message == (
        "1 validation error detected: Value 'changes' at 'streamArn' failed to satisfy constraint: "
        "Member must have length greater than or equal to 37"
    )


def test_times_are_precise_to_milliseconds_or_microseconds() -> None:
    message = opened().invalid("UpdateKinesisStreamingDestination", request(**precision("NANO")))

    assert message.endswith("Member must satisfy enum value set: [MILLISECOND, MICROSECOND]")


def test_updating_a_destination_of_a_missing_table_names_it() -> None:
    assert Opened().error_of("UpdateKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_updating_a_destination_that_a_table_never_had_is_not_found() -> None:
    assert opened().error_of("UpdateKinesisStreamingDestination", request()) == (
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


def test_disabling_a_destination_rejects_a_stream_that_is_not_a_string() -> None:
    assert opened().error_of("DisableKinesisStreamingDestination", request(StreamArn=1)) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_disabling_a_destination_takes_the_arn_of_a_stream() -> None:
    message = opened().invalid("DisableKinesisStreamingDestination", request(StreamArn="changes"))

    assert message == (
        "1 validation error detected: Value 'changes' at 'streamArn' failed to satisfy constraint: "
        "Member must have length greater than or equal to 37"
    )


def test_disabling_a_destination_of_a_missing_table_names_it() -> None:
    assert Opened().error_of("DisableKinesisStreamingDestination", request()) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_disabling_a_destination_that_a_table_never_had_is_not_found() -> None:
    assert opened().error_of("DisableKinesisStreamingDestination", request()) == (
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


def test_a_name_that_is_not_a_string_cannot_be_read() -> None:
    assert Opened().error_of("DescribeKinesisStreamingDestination", {"TableName": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_table_must_be_named() -> None:
    message = Opened().invalid("DescribeKinesisStreamingDestination", {})

    assert message == "The parameter 'TableName' is required but was not present in the request"


def test_describing_a_destination_of_a_missing_table_names_it() -> None:
    assert Opened().error_of("DescribeKinesisStreamingDestination", {"TableName": NAME}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_a_table_has_no_destinations_at_first() -> None:
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
