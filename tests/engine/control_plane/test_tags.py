"""TagResource: tags that a table is given by its ARN."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import ARN, Opened

from .tags import INVALID, tag, tagged, tags


def test_tags_are_added_replaced_and_stored() -> None:
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


def test_a_tag_must_not_repeat() -> None:
    twice = [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]

    message = tagged().invalid("TagResource", {"ResourceArn": ARN, "Tags": twice})

    assert message == f"{INVALID}Duplicate tag key: a"


def test_no_tags_at_all_are_rejected() -> None:
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


def test_keys_that_are_no_list_cannot_be_read() -> None:
    assert tagged().error_of("UntagResource", {"ResourceArn": ARN, "TagKeys": "team"}) == (
        "SerializationException",
        "Unexpected field type",
    )


def test_no_keys_at_all_are_rejected() -> None:
    message = tagged().invalid("UntagResource", {"ResourceArn": ARN, "TagKeys": []})

    assert message == "Atleast one Tag Key needs to be provided as Input."


def test_a_key_has_its_length() -> None:
    for key in ("", "k" * 129):
        message = tagged().invalid("UntagResource", {"ResourceArn": ARN, "TagKeys": [key]})
        assert "at 'tagKeys' failed to satisfy constraint: Member must satisfy constraint" in message


def test_a_resource_that_is_missing_is_named() -> None:
    assert Opened().error_of("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team"]}) == (
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


def test_an_arn_that_is_not_a_string_cannot_be_read() -> None:
    assert Opened().error_of("ListTagsOfResource", {"ResourceArn": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_resource_must_be_named() -> None:
    message = Opened().invalid("ListTagsOfResource", {})

    assert message == (
        "1 validation error detected: Value null at 'resourceArn' failed to satisfy constraint: "
        "Member must not be null"
    )


@pytest.mark.parametrize(
    ("arn", "code", "text"),
    [
        ("orders", "ValidationException", f"{INVALID}ARNs must start with 'arn:': orders"),
        (ARN.replace("table/", "stream/"), "ValidationException", f"{INVALID}Not a DynamoDB resource arn"),
        (
            ARN.replace("us-east-1", "eu-west-1"),
            "ValidationException",
            f"Invalid TableArn: Invalid ResourceArn provided as input {ARN.replace('us-east-1', 'eu-west-1')}",
        ),
        (
            f"{ARN}x",
            "ResourceNotFoundException",
            f"Requested resource not found: ResourceArn: {ARN}x not found",
        ),
    ],
)
def test_what_is_wrong_with_an_arn_decides_the_error(arn: str, code: str, text: str) -> None:
    assert tagged().error_of("ListTagsOfResource", {"ResourceArn": arn}) == (code, text)


@pytest.mark.parametrize("arn", [ARN.replace("dynamodb", "s3"), ARN.replace("000000000000", "111111111111")])
def test_other_services_and_accounts_are_denied(arn: str) -> None:
    assert tagged().error_of("ListTagsOfResource", {"ResourceArn": arn})[0] == "AccessDeniedException"


def test_the_page_after_the_first_is_empty() -> None:
    opened = tagged(team="blue")

    assert "NextToken" not in opened.call("ListTagsOfResource", {"ResourceArn": ARN})
    assert opened.call("ListTagsOfResource", {"ResourceArn": ARN, "NextToken": "x"}) == {"Tags": []}


def test_a_table_that_is_still_being_created_has_no_tags_to_list() -> None:
    opened = Opened(create_table=5)
    opened.create(Tags=[{"Key": "a", "Value": "b"}])

    assert opened.error_of("ListTagsOfResource", {"ResourceArn": ARN})[0] == "ResourceNotFoundException"
    opened.clock.now += 5
    assert tags(opened) == {"a": "b"}
