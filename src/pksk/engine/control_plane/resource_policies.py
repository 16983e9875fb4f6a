"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy: policies of tables and streams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from pksk.client import ServiceError
from pksk.engine.control_plane.resource_arn import find_resource
from pksk.engine.core import Answer, Core
from pksk.engine.service_errors import service_error, validation
from pksk.engine.state.table_record import Policy, require_active
from pksk.engine.texts import resources as texts

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/rbac-considerations.html
_MOST_BYTES: Final = 20 * 1024
_NO_POLICY_EXPECTED: Final = "NO_POLICY"


def check_policy(document: str) -> None:
    """Check that a policy is a JSON object and not too large."""
    if len(document.encode()) > _MOST_BYTES:
        raise validation(texts.POLICY_TOO_LARGE)
    try:
        parsed = orjson.loads(document)
    except ValueError:
        raise validation(texts.POLICY_NOT_JSON) from None
    if not isinstance(parsed, dict):
        raise validation(texts.POLICY_NOT_JSON)


def new_policy(document: str, before: Policy | None, now: float) -> Policy:
    """A policy with its revision, which changes only with the document."""
    if before is not None and before["Policy"] == document:
        return before
    revision = int(now * 1000)
    if before is not None:
        revision = max(revision, int(before["RevisionId"]) + 1)
    return {"Policy": document, "RevisionId": str(revision)}


def check_revision(before: Policy | None, expected: str | None) -> None:
    """Raise if a change expects another revision."""
    if expected is None:
        return
    if expected == _NO_POLICY_EXPECTED:
        if before is not None:
            raise service_error("PolicyNotFoundException", texts.REVISION_MISMATCH)
    elif before is None:
        raise policy_not_found()
    elif before["RevisionId"] != expected:
        raise service_error("PolicyNotFoundException", texts.REVISION_MISMATCH)


def policy_not_found() -> ServiceError:
    """The error for a policy that does not exist."""
    return service_error("PolicyNotFoundException", texts.NO_POLICY)


def put_resource_policy(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a PutResourcePolicy request."""
    check_policy(request["Policy"])
    with core.catalogue.change() as change:
        table, within = find_resource(core, request["ResourceArn"])
        record = table.record
        require_active(record)
        policies = record.get("policies", {})
        before = policies.get(within)
        check_revision(before, request.get("ExpectedRevisionId"))
        policy = new_policy(request["Policy"], before, change.now)
        change.save(table, {**record, "policies": {**policies, within: policy}})
        return {"RevisionId": policy["RevisionId"]}


def get_resource_policy(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetResourcePolicy request."""
    table, within = find_resource(core, request["ResourceArn"])
    policy = table.record.get("policies", {}).get(within)
    if policy is None:
        raise policy_not_found()
    return dict(policy)


def delete_resource_policy(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteResourcePolicy request; a missing policy is not an error."""
    with core.catalogue.change() as change:
        table, within = find_resource(core, request["ResourceArn"])
        record = table.record
        require_active(record)
        policies = record.get("policies", {})
        before = policies.get(within)
        check_revision(before, request.get("ExpectedRevisionId"))
        if before is None:
            return {}
        remaining = {resource: policy for resource, policy in policies.items() if resource != within}
        change.save(table, {**record, "policies": remaining})
        return {"RevisionId": before["RevisionId"]}
