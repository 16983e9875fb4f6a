"""ListTagsOfResource: the tags of a table, and what is said of ARNs that name none."""

from __future__ import annotations

import pytest

from tests.engine.tables.opened import ARN, Opened

from .tags import INVALID, tagged, tags


def test_an_arn_that_is_no_text_cannot_be_read() -> None:
    assert Opened().refused("ListTagsOfResource", {"ResourceArn": 1}) == (
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
    assert tagged().refused("ListTagsOfResource", {"ResourceArn": arn}) == (code, text)


@pytest.mark.parametrize("arn", [ARN.replace("dynamodb", "s3"), ARN.replace("000000000000", "111111111111")])
def test_other_services_and_accounts_are_denied(arn: str) -> None:
    assert tagged().refused("ListTagsOfResource", {"ResourceArn": arn})[0] == "AccessDeniedException"


def test_nothing_follows_the_one_page_of_tags() -> None:
    opened = tagged(team="blue")

    assert "NextToken" not in opened.call("ListTagsOfResource", {"ResourceArn": ARN})
    assert opened.call("ListTagsOfResource", {"ResourceArn": ARN, "NextToken": "x"}) == {"Tags": []}


def test_a_table_that_is_still_being_created_has_no_tags_to_list() -> None:
    opened = Opened(create_table=5)
    opened.create(Tags=[{"Key": "a", "Value": "b"}])

    assert opened.refused("ListTagsOfResource", {"ResourceArn": ARN})[0] == "ResourceNotFoundException"
    opened.clock.now += 5
    assert tags(opened) == {"a": "b"}
