"""PutResourcePolicy: documents with revisions."""

from __future__ import annotations

import pytest

from tests.engine.state.catalogues import ARN, Opened

from .resource_policies import MISSING, OTHER, POLICY, get, opened, put

INVALID = "One or more parameter values were invalid: "


def test_a_policy_comes_back_as_it_was_put_with_its_revision() -> None:
    engine = opened()

    revision = put(engine)

    assert get(engine) == {"Policy": POLICY, "RevisionId": revision}
    assert get(engine.again()) == get(engine)


def test_the_same_document_keeps_its_revision_and_another_gets_one() -> None:
    engine = opened()

    first, second, third = put(engine), put(engine), put(engine, OTHER)

    assert first == second != third


@pytest.mark.parametrize("document", ["", "{", "[]", "null", '"x"'])
def test_a_policy_is_an_object_in_json(document: str) -> None:
    message = opened().invalid("PutResourcePolicy", {"ResourceArn": ARN, "Policy": document})

    assert message == f"{INVALID}Invalid policy document: Syntax errors in policy"


def test_a_policy_has_20_kilobytes_at_most_with_all_its_spaces() -> None:
    fits = POLICY + " " * (20 * 1024 - len(POLICY))
    engine = opened()

    put(engine, fits)

    message = engine.invalid("PutResourcePolicy", {"ResourceArn": ARN, "Policy": fits + " "})
    assert message == f"{INVALID}Policy document exceeds the maximum allowed size of 20480 bytes"


def test_a_change_may_expect_a_revision_or_that_missing() -> None:
    engine = opened()
    code = "PolicyNotFoundException"

    early = engine.error_of(
        "PutResourcePolicy", {"ResourceArn": ARN, "Policy": POLICY, "ExpectedRevisionId": "1"}
    )
    revision = put(engine, ExpectedRevisionId="NO_POLICY")
    none = engine.error_of(
        "PutResourcePolicy", {"ResourceArn": ARN, "Policy": OTHER, "ExpectedRevisionId": "NO_POLICY"}
    )
    newer = put(engine, OTHER, ExpectedRevisionId=revision)

    assert (early[0], none[0]) == (code, code)
    assert newer != revision
    assert get(engine)["Policy"] == OTHER


def test_getting_a_policy_rejects_an_arn_that_is_not_a_string() -> None:
    assert Opened().error_of("GetResourcePolicy", {"ResourceArn": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_resource_must_be_named() -> None:
    message = Opened().invalid("GetResourcePolicy", {})

    assert message == (
        "1 validation error detected: Value null at 'resourceArn' failed to satisfy constraint: "
        "Member must not be null"
    )


def test_getting_the_policy_of_a_missing_resource_names_it() -> None:
    assert Opened().error_of("GetResourcePolicy", {"ResourceArn": ARN}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: ResourceArn: {ARN} not found",
    )


def test_getting_a_missing_policy_fails() -> None:
    assert opened().error_of("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING


def test_a_table_may_be_created_with_a_policy() -> None:
    assert get(opened(ResourcePolicy=POLICY))["Policy"] == POLICY


def test_a_stream_has_a_policy_of_its_own() -> None:
    engine = opened(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = engine.describe()["LatestStreamArn"]

    put(engine, arn=stream)

    assert get(engine, stream)["Policy"] == POLICY
    assert engine.error_of("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING
    assert (
        engine.error_of("GetResourcePolicy", {"ResourceArn": f"{stream}1"})[0] == "ResourceNotFoundException"
    )


def test_deleting_a_policy_rejects_an_arn_that_is_not_a_string() -> None:
    assert Opened().error_of("DeleteResourcePolicy", {"ResourceArn": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_an_empty_revision_is_rejected() -> None:
    message = opened().invalid("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": ""})

    assert message == (
        "1 validation error detected: Value '' at 'expectedRevisionId' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_deleting_the_policy_of_a_missing_resource_names_it() -> None:
    assert Opened().error_of("DeleteResourcePolicy", {"ResourceArn": ARN}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: ResourceArn: {ARN} not found",
    )


def test_a_policy_is_deleted_once_and_not_missed_afterwards() -> None:
    engine = opened()
    revision = put(engine)

    first = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    second = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    third = engine.error_of("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": revision})

    assert (first, second, third) == ({"RevisionId": revision}, {}, MISSING)


def test_a_policy_of_another_revision_stays() -> None:
    engine = opened()
    revision = put(engine)

    code, _ = engine.error_of("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": "1"})
    kept = get(engine)
    answer = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": revision})

    assert (code, kept["Policy"]) == ("PolicyNotFoundException", POLICY)
    assert answer == {"RevisionId": revision}
    assert engine.again().error_of("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING
