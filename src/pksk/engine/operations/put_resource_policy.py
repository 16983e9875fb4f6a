"""PutResourcePolicy: gives a table or a stream a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.policy import check_policy, check_revision, new_policy
from pksk.engine.tables.resource import resource
from pksk.engine.tables.states import require_settled

__all__ = ["put_resource_policy"]


def put_resource_policy(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a PutResourcePolicy request."""
    check_policy(request["Policy"])
    with core.catalogue.changing() as change:
        table, within = resource(core, request["ResourceArn"])
        record = table.settings
        require_settled(record)
        policies = record.get("policies", {})
        before = policies.get(within)
        check_revision(before, request.get("ExpectedRevisionId"))
        policy = new_policy(request["Policy"], before, change.now)
        change.save(table, {**record, "policies": {**policies, within: policy}})
        return {"RevisionId": policy["RevisionId"]}
