"""UntagResource: tags that are taken from a table."""

from __future__ import annotations

from tests.engine.tables.opened import ARN, Opened

from .tags import tagged, tags


def test_keys_that_are_no_list_cannot_be_read() -> None:
    assert tagged().refused("UntagResource", {"ResourceArn": ARN, "TagKeys": "team"}) == (
        "SerializationException",
        "Unexpected field type",
    )


def test_no_keys_at_all_are_refused() -> None:
    message = tagged().invalid("UntagResource", {"ResourceArn": ARN, "TagKeys": []})

    assert message == "Atleast one Tag Key needs to be provided as Input."


def test_a_key_has_its_length() -> None:
    for key in ("", "k" * 129):
        message = tagged().invalid("UntagResource", {"ResourceArn": ARN, "TagKeys": [key]})
        assert "at 'tagKeys' failed to satisfy constraint: Member must satisfy constraint" in message


def test_a_resource_that_is_missing_is_named() -> None:
    assert Opened().refused("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team"]}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: ResourceArn: {ARN} not found",
    )


def test_tags_are_removed_and_those_that_are_missing_are_not_missed() -> None:
    opened = tagged(team="blue", stage="test")

    assert opened.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", "other"]}) == {}

    assert tags(opened) == {"stage": "test"}


def test_what_was_removed_stays_away() -> None:
    opened = tagged(team="blue", stage="test")

    opened.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", "stage"]})

    assert tags(opened.again()) == {}
