"""DeleteResourcePolicy: documents that are taken away, at a revision or at any."""

from __future__ import annotations

from tests.engine.tables.opened import ARN, Opened

from .policies import MISSING, POLICY, get, opened, put


def test_an_arn_that_is_no_text_cannot_be_read() -> None:
    assert Opened().refused("DeleteResourcePolicy", {"ResourceArn": 1}) == (
        "SerializationException",
        "NUMBER_VALUE cannot be converted to String",
    )


def test_a_revision_is_not_empty() -> None:
    message = opened().invalid("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": ""})

    assert message == (
        "1 validation error detected: Value '' at 'expectedRevisionId' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_a_resource_that_is_missing_is_named() -> None:
    assert Opened().refused("DeleteResourcePolicy", {"ResourceArn": ARN}) == (
        "ResourceNotFoundException",
        f"Requested resource not found: ResourceArn: {ARN} not found",
    )


def test_a_policy_is_deleted_once_and_not_missed_afterwards() -> None:
    engine = opened()
    revision = put(engine)

    first = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    second = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN})
    third = engine.refused("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": revision})

    assert (first, second, third) == ({"RevisionId": revision}, {}, MISSING)


def test_a_policy_of_another_revision_stays() -> None:
    engine = opened()
    revision = put(engine)

    code, _ = engine.refused("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": "1"})
    kept = get(engine)
    answer = engine.call("DeleteResourcePolicy", {"ResourceArn": ARN, "ExpectedRevisionId": revision})

    assert (code, kept["Policy"]) == ("PolicyNotFoundException", POLICY)
    assert answer == {"RevisionId": revision}
    assert engine.again().refused("GetResourcePolicy", {"ResourceArn": ARN}) == MISSING
