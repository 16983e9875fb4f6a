"""TagResource: tags that a table is given by its ARN."""

from __future__ import annotations

import pytest

from tests.engine.tables.opened import ARN

from .tags import INVALID, tag, tagged, tags


def test_tags_are_added_and_replaced_and_kept() -> None:
    opened = tagged(team="blue", stage="test")

    assert tag(opened, team="red", owner="") == {}

    assert tags(opened) == {"team": "red", "stage": "test", "owner": ""}
    assert tags(opened.again()) == tags(opened)


def test_a_table_has_fifty_tags_at_most() -> None:
    opened = tagged(**{f"t{number}": "" for number in range(50)})

    tag(opened, t0="again")

    message = opened.invalid("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": "more", "Value": ""}]})
    assert message == f"{INVALID}Number of tags exceeds the limit of 50"


@pytest.mark.parametrize("key", ["aws:x", "AWS:x"])
def test_tags_of_aws_are_not_for_users(key: str) -> None:
    opened = tagged()

    message = opened.invalid("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": key, "Value": ""}]})

    assert message == f"{INVALID}Tag key cannot begin with aws:. Tag key: {key}"


def test_a_tag_is_given_once() -> None:
    twice = [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]

    message = tagged().invalid("TagResource", {"ResourceArn": ARN, "Tags": twice})

    assert message == f"{INVALID}Duplicate tag key: a"


def test_no_tags_at_all_are_refused() -> None:
    message = tagged().invalid("TagResource", {"ResourceArn": ARN, "Tags": []})

    assert message == "Atleast one Tag needs to be provided as Input."


def test_keys_and_values_have_their_lengths() -> None:
    for entry in (
        {"Key": "k" * 129, "Value": ""},
        {"Key": "k", "Value": "v" * 257},
        {"Key": "", "Value": ""},
    ):
        message = tagged().invalid("TagResource", {"ResourceArn": ARN, "Tags": [entry]})
        assert "failed to satisfy constraint: Member must have length" in message
