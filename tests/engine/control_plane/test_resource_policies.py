"""Resource policies: put, read and deleted, with revisions."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import ARN

from .resource_policies import MISSING, OTHER, POLICY, get, opened, put

INVALID = "One or more parameter values were invalid: "
MISSING_POLICY = "Resource-based policy not found for the provided ResourceArn: "


def test_get_resource_policy_returns_the_policy_and_its_revision() -> None:
    engine = opened()

    revision = put(engine)

    assert get(engine) == {"Policy": POLICY, "RevisionId": revision}
    assert get(engine.again()) == get(engine)


def test_the_revision_changes_only_with_the_document() -> None:
    engine = opened()

    first, second, third = put(engine), put(engine), put(engine, OTHER)

    assert first == second != third


@pytest.mark.every_transport
@pytest.mark.parametrize("document", ["", "{", "[]", '"x"', "null"])
def test_a_policy_must_be_a_json_object(document: str) -> None:
    text = (
        "This text appears not to be a policy" if document == "null" else "This policy contains invalid Json"
    )

    message = opened().invalid("PutResourcePolicy", {"ResourceArn": ARN, "Policy": document})

    assert message == f"{INVALID}Invalid policy document: {text}"


def test_a_policy_has_at_most_20_kb_including_whitespace() -> None:
    fits = POLICY + " " * (20 * 1024 - len(POLICY))
    engine = opened()

    put(engine, fits)

    message = engine.invalid("PutResourcePolicy", {"ResourceArn": ARN, "Policy": fits + " "})
    assert message == f"{INVALID}Maximum policy size of 20480 bytes exceeded"


def test_a_change_can_expect_a_revision_or_no_policy() -> None:
    engine = opened()
    request = {"ResourceArn": ARN, "Policy": OTHER}

    early = engine.error_of("PutResourcePolicy", {**request, "ExpectedRevisionId": "1"})
    revision = put(engine, ExpectedRevisionId="NO_POLICY")
    existing = engine.error_of("PutResourcePolicy", {**request, "ExpectedRevisionId": "NO_POLICY"})
    other = engine.error_of("PutResourcePolicy", {**request, "ExpectedRevisionId": "1"})
    newer = put(engine, OTHER, ExpectedRevisionId=revision)

    assert early == MISSING
    assert existing == (
        "PolicyNotFoundException",
        f"{MISSING_POLICY}Requested policy update expecting none to be present for table orders, "
        f"but a policy exists with revision id {revision}.",
    )
    assert other == (
        "PolicyNotFoundException",
        f"{MISSING_POLICY}Requested update for policy with revision id 1, but the policy associated to target table "
        f"orders has revision id {revision}.",
    )
    assert newer != revision
    assert get(engine)["Policy"] == OTHER


def test_getting_a_missing_policy_fails() -> None:
    assert opened().error_of("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING


def test_a_table_can_be_created_with_a_policy() -> None:
    assert get(opened(ResourcePolicy=POLICY))["Policy"] == POLICY


def test_a_stream_has_its_own_policy() -> None:
    engine = opened(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = engine.describe()["LatestStreamArn"]

    put(engine, arn=stream)

    assert get(engine, stream)["Policy"] == POLICY
    assert engine.error_of("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING
    assert engine.error_of("GetResourcePolicy", {"ResourceArn": f"{ARN}/stream/2000"}) == (
        "ResourceNotFoundException",
        "Requested resource not found: Stream: 2000 not found for Table: orders",
    )


def test_an_empty_revision_is_rejected() -> None:
    message = opened().invalid("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": ""})

    assert message == (
        "1 validation error detected: Value '' at 'expectedRevisionId' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_deleting_a_missing_policy_is_not_an_error() -> None:
    engine = opened()
    revision = put(engine)

    first = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    second = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    third = engine.error_of("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": revision})

    assert (first, second, third) == ({"RevisionId": revision}, {}, MISSING)


def test_a_policy_with_another_revision_is_not_deleted() -> None:
    engine = opened()
    revision = put(engine)

    code, _ = engine.error_of("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": "1"})
    kept = get(engine)
    answer = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": revision})

    assert (code, kept["Policy"]) == ("PolicyNotFoundException", POLICY)
    assert answer == {"RevisionId": revision}
    assert engine.again().error_of("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING


ARNS = [
    ("orders", "ValidationException", f"{INVALID}ARNs must start with 'arn:': orders"),
    (
        ARN.replace("dynamodb", "s3"),
        "ValidationException",
        f"{INVALID}Provided Arn is not a DynamoDB resource arn: {ARN.replace('dynamodb', 's3')}",
    ),
    (
        f"{ARN}/index/by-a",
        "ValidationException",
        f"{INVALID}Invalid resource arn provided, only table or stream is accepted. Provided resource arn: "
        f"{ARN}/index/by-a",
    ),
    (
        f"{ARN}/backup/01",
        "ValidationException",
        f"{INVALID}Provided Arn is not a DynamoDB resource arn: {ARN}/backup/01",
    ),
    (
        ARN.replace("us-east-1", "eu-west-1"),
        "ValidationException",
        f"{INVALID}Invalid resource Arn: {ARN.replace('us-east-1', 'eu-west-1')}",
    ),
    (
        ARN.replace("000000000000", "111111111111"),
        "ValidationException",
        "This action is only supported by accounts that match the resource owner\u2019s account.",
    ),
    (f"{ARN}x", "ResourceNotFoundException", "Requested resource not found: Table: ordersx not found"),
]


@pytest.mark.every_transport
@pytest.mark.parametrize("operation", ["GetResourcePolicy", "PutResourcePolicy", "DeleteResourcePolicy"])
@pytest.mark.parametrize(("arn", "code", "text"), ARNS, ids=[arn for arn, _, _ in ARNS])
def test_each_kind_of_invalid_arn_has_its_error(operation: str, arn: str, code: str, text: str) -> None:
    policy = {"Policy": POLICY} if operation == "PutResourcePolicy" else {}

    assert opened().error_of(operation, {"ResourceArn": arn, **policy}) == (code, text)
