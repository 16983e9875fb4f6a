"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy: documents with revisions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.tables.opened import ARN, Opened

POLICY = '{"Version": "2012-10-17", "Statement": []}'
OTHER = '{"Version": "2012-10-17", "Statement": [ ]}'
INVALID = "One or more parameter values were invalid: "
MISSING = ("PolicyNotFoundException", "Resource-based policy not found for the provided ResourceArn")


def opened(**members: Any) -> Opened:
    made = Opened()
    made.create(**members)
    return made


def put(engine: Opened, policy: str = POLICY, arn: str = ARN, **members: str) -> str:
    answer = engine.call("PutResourcePolicy", {"ResourceArn": arn, "Policy": policy, **members})
    return str(answer["RevisionId"])


def get(engine: Opened, arn: str = ARN) -> dict[str, Any]:
    return engine.call("GetResourcePolicy", {"ResourceArn": arn})


def test_a_policy_comes_back_as_it_was_put_with_its_revision() -> None:
    engine = opened()

    revision = put(engine)

    assert get(engine) == {"Policy": POLICY, "RevisionId": revision}
    assert get(engine.again()) == get(engine)


def test_a_table_may_be_created_with_a_policy() -> None:
    assert get(opened(ResourcePolicy=POLICY))["Policy"] == POLICY


def test_a_table_without_a_policy_says_so() -> None:
    assert opened().refused("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING


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


def test_a_change_may_expect_a_revision_or_that_there_is_none() -> None:
    engine = opened()
    code = "PolicyNotFoundException"

    early = engine.refused(
        "PutResourcePolicy", {"ResourceArn": ARN, "Policy": POLICY, "ExpectedRevisionId": "1"}
    )
    revision = put(engine, ExpectedRevisionId="NO_POLICY")
    none = engine.refused(
        "PutResourcePolicy", {"ResourceArn": ARN, "Policy": OTHER, "ExpectedRevisionId": "NO_POLICY"}
    )
    wrong = engine.refused("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": "1"})
    newer = put(engine, OTHER, ExpectedRevisionId=revision)

    assert (early[0], none[0], wrong[0]) == (code, code, code)
    assert newer != revision
    assert get(engine)["Policy"] == OTHER


def test_a_policy_is_deleted_once_and_not_missed_afterwards() -> None:
    engine = opened()
    revision = put(engine)

    first = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    second = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    third = engine.refused("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": revision})

    assert (first, second, third) == ({"RevisionId": revision}, {}, MISSING)


def test_a_stream_has_a_policy_of_its_own() -> None:
    engine = opened(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    stream = engine.describe()["LatestStreamArn"]

    put(engine, arn=stream)

    assert get(engine, stream)["Policy"] == POLICY
    assert engine.refused("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING
    assert (
        engine.refused("GetResourcePolicy", {"ResourceArn": f"{stream}1"})[0] == "ResourceNotFoundException"
    )
