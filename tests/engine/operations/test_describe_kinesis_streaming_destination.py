"""DescribeKinesisStreamingDestination: which streams a table has had, and their states."""

from __future__ import annotations

from tests.engine.tables.opened import NAME, Opened

from .destinations import STREAM, described, opened, request


def test_a_name_that_is_no_text_cannot_be_read() -> None:
    assert Opened().refused("DescribeKinesisStreamingDestination", {"TableName": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_table_must_be_named() -> None:
    message = Opened().invalid("DescribeKinesisStreamingDestination", {})

    assert message == "The parameter 'TableName' is required but was not present in the request"


def test_a_table_that_is_missing_is_named() -> None:
    assert Opened().refused("DescribeKinesisStreamingDestination", {"TableName": NAME}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {NAME} not found",
    )


def test_a_table_has_no_destinations_at_first() -> None:
    assert described(opened()) == []


def test_every_destination_is_shown_in_its_own_state() -> None:
    engine = opened(update_table=5)
    engine.call("EnableKinesisStreamingDestination", request())
    engine.clock.now += 5
    engine.call("EnableKinesisStreamingDestination", request(StreamArn=f"{STREAM}-2"))

    assert described(engine) == [
        {"StreamArn": STREAM, "DestinationStatus": "ACTIVE"},
        {"StreamArn": f"{STREAM}-2", "DestinationStatus": "ENABLING"},
    ]
