"""Tags: added, removed and listed by ARN."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from pksk.engine import Engine
from tests.engine.state.catalogues import ARN, Opened, table

from .tags import INVALID, tag, tagged, tagging, tags

TOO_MANY = "Number of Tags exceed the current limit for the provided ResourceArn"


def test_tags_are_added_replaced_and_stored() -> None:
    opened = tagged(team="blue", stage="test")

    assert tag(opened, team="red", owner="") == {}

    assert tags(opened) == {"team": "red", "stage": "test", "owner": ""}
    assert tags(opened.again()) == tags(opened)


def test_a_table_has_at_most_50_tags() -> None:
    opened = tagged(**{f"t{number}": "" for number in range(50)})

    tag(opened, t0="again")

    assert opened.invalid("TagResource", tagging({"Key": "more", "Value": ""})) == TOO_MANY
    assert opened.invalid(
        "UntagResource", {"ResourceArn": ARN, "TagKeys": [f"t{each}" for each in range(51)]}
    ) == (TOO_MANY)


ACCEPTED = [
    ("sp ace", "a b+c-d=e.f_g:h/i@j"),
    (" leading", ""),
    ("ключ", "café"),
    ("\u8868", "no-break\u00a0and\u3000ideographic"),
    ("k" * 128, "v" * 256),
    ("myaws:foo", "\u0663"),
]


@pytest.mark.parametrize(("key", "value"), ACCEPTED)
def test_tags_have_letters_digits_separators_and_a_few_signs(key: str, value: str) -> None:
    opened = tagged()

    opened.call("TagResource", tagging({"Key": key, "Value": value}))

    assert tags(opened) == {key: value}


SIGNS = [
    "\U0001f511",
    "100%",
    "a,b",
    "it's",
    '"q"',
    "(x)",
    "[y]",
    "{z}",
    "a&b",
    "a*b",
    "a;b",
    "a?b",
    "a|b",
    "a\\b",
]
SIGNS += ["<a>", "~a", "hi!", "bad#char", "a\tb", "e\u0301"]
KEY = "The Tag Key provided is invalid, Key: "
VALUE = "The Tag Value provided is invalid, Value: "
INVALID_TAGS: list[tuple[dict[str, str], str]] = [
    *(({"Key": sign, "Value": ""}, KEY + sign) for sign in SIGNS),
    *(({"Key": "k", "Value": sign}, VALUE + sign) for sign in SIGNS),
    ({"Key": "k" * 129, "Value": ""}, KEY + "k" * 129),
    ({"Key": "k", "Value": "v" * 257}, VALUE + "v" * 257),
    ({"Key": "", "Value": ""}, KEY),
    ({"Value": "d%g"}, f"{KEY}null"),
    ({}, f"{KEY}null"),
    ({"Key": "k"}, f"{VALUE}null"),
    ({"Key": "k", "Value": "d%g"}, f"{VALUE}d%g"),
    ({"Key": "aws:foo", "Value": ""}, "Tag Key cannot be prefixed with aws:, Key: aws:foo"),
    ({"Key": "AWS:foo", "Value": ""}, "Tag Key cannot be prefixed with aws:, Key: AWS:foo"),
    ({"Key": "good", "Value": "2"}, "Duplicate Tag Keys provided as input: Duplicate Tag Key found good"),
]


@pytest.mark.every_transport
@pytest.mark.parametrize(("invalid", "text"), INVALID_TAGS, ids=[text[:60] for _, text in INVALID_TAGS])
def test_one_invalid_tag_makes_all_tags_of_a_request_invalid(invalid: dict[str, str], text: str) -> None:
    opened, entries = tagged(), [{"Key": "good", "Value": "1"}, invalid]

    message = opened.invalid("TagResource", tagging(*entries))
    of_new_table = Opened().invalid("CreateTable", table(Tags=entries))

    assert (message, of_new_table) == (text, text)
    assert tags(opened) == {}


def test_an_empty_list_of_tags_is_rejected() -> None:
    message = tagged().invalid("TagResource", {"ResourceArn": ARN, "Tags": []})

    assert message == "Atleast one Tag needs to be provided as Input."


def test_tag_keys_that_are_not_a_list_are_a_serialization_error() -> None:
    assert tagged().error_of("UntagResource", {"ResourceArn": ARN, "TagKeys": "team"}) == (
        "SerializationException",
        "Unexpected field type",
    )


def test_an_empty_list_of_tag_keys_is_rejected() -> None:
    message = tagged().invalid("UntagResource", {"ResourceArn": ARN, "TagKeys": []})

    assert message == "Atleast one Tag Key needs to be provided as Input."


UNTAGGED = [
    ("", KEY),
    ("k" * 129, KEY + "k" * 129),
    ("hi!", f"{KEY}hi!"),
    ("aws:foo", "Tag Key cannot be prefixed with aws:, Key: aws:foo"),
]


@pytest.mark.every_transport
@pytest.mark.parametrize(("key", "text"), UNTAGGED, ids=[text[:60] for _, text in UNTAGGED])
def test_keys_of_tags_to_remove_are_checked_as_those_to_add(key: str, text: str) -> None:
    opened = tagged(team="blue")

    assert opened.invalid("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", key]}) == text
    assert tags(opened) == {"team": "blue"}


def test_the_answers_to_added_and_removed_tags_are_empty() -> None:
    engine = Engine.open()
    engine.call("CreateTable", table())
    added, removed = tagging({"Key": "a", "Value": ""}), {"ResourceArn": ARN, "TagKeys": ["a"]}

    assert engine.answer("TagResource", orjson.dumps(added)) == (200, b"")
    assert engine.answer("UntagResource", orjson.dumps(removed)) == (200, b"")
    assert engine.call("TagResource", added) == {}


def test_removing_a_missing_tag_is_not_an_error() -> None:
    opened = tagged(team="blue", stage="test")

    assert opened.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", "other"]}) == {}

    assert tags(opened) == {"stage": "test"}


def test_removed_tags_are_still_removed_after_reopening() -> None:
    opened = tagged(team="blue", stage="test")

    opened.call("UntagResource", {"ResourceArn": ARN, "TagKeys": ["team", "stage"]})

    assert tags(opened.again()) == {}


NO_RESOURCE = f"{INVALID}Provided Arn is not a DynamoDB resource arn: "
FOREIGN = "Invalid TableArn: Invalid ResourceArn provided as input "
ARNS: list[tuple[str, str, str]] = [
    ("orders", "ValidationException", f"{INVALID}ARNs must start with 'arn:': orders"),
    (ARN.replace("dynamodb", "s3"), "ValidationException", NO_RESOURCE + ARN.replace("dynamodb", "s3")),
    (ARN.replace("table/", "stream/"), "ValidationException", NO_RESOURCE + ARN.replace("table/", "stream/")),
    (f"{ARN}/backup/01", "ValidationException", f"{NO_RESOURCE}{ARN}/backup/01"),
    (
        f"{ARN}/index/by-a",
        "ValidationException",
        f"{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: "
        f"{ARN}/index/by-a",
    ),
    (f"{ARN}/stream/2026", "ValidationException", f"{FOREIGN}{ARN}/stream/2026"),
    (
        ARN.replace("us-east-1", "eu-west-1"),
        "ValidationException",
        FOREIGN + ARN.replace("us-east-1", "eu-west-1"),
    ),
    (
        f"{ARN}x",
        "ResourceNotFoundException",
        f"Requested resource not found: ResourceArn: {ARN}x not found",
    ),
]
REQUESTS: dict[str, dict[str, Any]] = {
    "ListTagsOfResource": {},
    "TagResource": {"Tags": [{"Key": "a", "Value": ""}]},
    "UntagResource": {"TagKeys": ["a"]},
}


@pytest.mark.every_transport
@pytest.mark.parametrize("operation", REQUESTS)
@pytest.mark.parametrize(("arn", "code", "text"), ARNS, ids=[arn for arn, _, _ in ARNS])
def test_each_kind_of_invalid_arn_has_its_error(operation: str, arn: str, code: str, text: str) -> None:
    assert tagged().error_of(operation, {"ResourceArn": arn, **REQUESTS[operation]}) == (code, text)


def test_arns_of_other_accounts_are_denied() -> None:
    arn = ARN.replace("000000000000", "111111111111")

    assert tagged().error_of("ListTagsOfResource", {"ResourceArn": arn})[0] == "AccessDeniedException"


def test_the_page_after_the_first_is_empty() -> None:
    opened = tagged(team="blue")

    assert "NextToken" not in opened.call("ListTagsOfResource", {"ResourceArn": ARN})
    assert opened.call("ListTagsOfResource", {"ResourceArn": ARN, "NextToken": "x"}) == {"Tags": []}


def test_tags_of_a_creating_table_cannot_be_listed() -> None:
    opened = Opened(create_table=5)
    opened.create(Tags=[{"Key": "a", "Value": "b"}])

    assert opened.error_of("ListTagsOfResource", {"ResourceArn": ARN})[0] == "ResourceNotFoundException"
    opened.clock.now += 5
    assert tags(opened) == {"a": "b"}
