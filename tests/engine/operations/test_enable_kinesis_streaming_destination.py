"""Kinesis destinations: enabled, updated, disabled and described; nothing is sent."""

from __future__ import annotations

from typing import Any

from tests.engine.tables.opened import NAME, Opened

STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/changes"
BAD_STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "


def opened(**delays: float) -> Opened:
    made = Opened(**delays)
    made.create()
    return made


def request(**members: Any) -> dict[str, Any]:
    return {"TableName": NAME, "StreamArn": STREAM, **members}


def described(engine: Opened) -> list[dict[str, Any]]:
    answer = engine.call("DescribeKinesisStreamingDestination", {"TableName": NAME})
    assert answer["TableName"] == NAME
    listed: list[dict[str, Any]] = answer["KinesisDataStreamDestinations"]
    return listed


def precision(unit: str) -> dict[str, Any]:
    return {"UpdateKinesisStreamingConfiguration": {"ApproximateCreationDateTimePrecision": f"{unit}SECOND"}}


def test_a_table_has_no_destinations_at_first() -> None:
    assert described(opened()) == []


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


def test_only_what_is_active_is_disabled_or_updated() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())

    for action in ("Disable", "Update"):
        message = engine.invalid(f"{action}KinesisStreamingDestination", request())
        assert message == (
            f"{BAD_STATE}KinesisStreamingDestination must be ACTIVE to perform {action.upper()} operation."
        )
    engine.clock.now += 5
    engine.call("DisableKinesisStreamingDestination", request())
    assert described(engine)[0]["DestinationStatus"] == "DISABLING"


def test_the_precision_of_a_destination_is_changed() -> None:
    engine = opened()
    engine.call("EnableKinesisStreamingDestination", request())

    answer = engine.call("UpdateKinesisStreamingDestination", request(**precision("MICRO")))
    same = engine.invalid("UpdateKinesisStreamingDestination", request(**precision("MICRO")))

    assert answer == {**request(), "DestinationStatus": "UPDATING", **precision("MICRO")}
    assert described(engine)[0]["ApproximateCreationDateTimePrecision"] == "MICROSECOND"
    assert same == "One or more parameter values were invalid: Precision is already set to the desired value"


def test_a_destination_that_a_table_never_had_is_not_found() -> None:
    for action in ("Disable", "Update"):
        code, _ = opened().refused(f"{action}KinesisStreamingDestination", request())
        assert code == "ResourceNotFoundException"
