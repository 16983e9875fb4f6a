"""PutResourcePolicy: documents with revisions."""

from __future__ import annotations

import pytest

from tests.engine.tables.opened import ARN

from .policies import OTHER, POLICY, get, opened, put

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
    newer = put(engine, OTHER, ExpectedRevisionId=revision)

    assert (early[0], none[0]) == (code, code)
    assert newer != revision
    assert get(engine)["Policy"] == OTHER
