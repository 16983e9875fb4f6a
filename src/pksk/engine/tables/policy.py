"""Resource policies: a document with a revision, on a table or one of its streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from pksk.engine.faults import ServiceError, fault, validation
from pksk.engine.texts import resources as texts

__all__ = ["check_policy", "check_revision", "new_policy", "no_policy"]

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
_MOST_BYTES: Final = 20 * 1024
_NO_POLICY_EXPECTED: Final = "NO_POLICY"


def check_policy(document: str) -> None:
    """Check a policy's size, and that it is an object in JSON."""
    if len(document.encode()) > _MOST_BYTES:
        raise validation(texts.POLICY_TOO_LARGE)
    try:
        parsed = orjson.loads(document)
    except ValueError:
        raise validation(texts.POLICY_NOT_JSON) from None
    if not isinstance(parsed, dict):
        raise validation(texts.POLICY_NOT_JSON)


def new_policy(document: str, before: Mapping[str, Any] | None, now: float) -> dict[str, str]:
    """A policy with its revision, which stays the same while the document does."""
    if before is not None and before["Policy"] == document:
        return dict(before)
    revision = int(now * 1000)
    if before is not None:
        revision = max(revision, int(before["RevisionId"]) + 1)
    return {"Policy": document, "RevisionId": str(revision)}


def check_revision(before: Mapping[str, Any] | None, expected: str | None) -> None:
    """Refuse a change that expects another revision than there is."""
    if expected is None:
        return
    if expected == _NO_POLICY_EXPECTED:
        if before is not None:
            raise fault("PolicyNotFoundException", texts.REVISION_MISMATCH)
    elif before is None:
        raise no_policy()
    elif before["RevisionId"] != expected:
        raise fault("PolicyNotFoundException", texts.REVISION_MISMATCH)


def no_policy() -> ServiceError:
    """What is said where there is no policy."""
    return fault("PolicyNotFoundException", texts.NO_POLICY)
