"""DeleteResourcePolicy: takes the policy of a table or a stream away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.policy import check_revision
from pksk.engine.tables.resource import resource
from pksk.engine.tables.states import require_settled

__all__ = ["delete_resource_policy"]


def delete_resource_policy(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DeleteResourcePolicy request; where there is no policy, none is missed."""
    with core.catalogue.changing() as change:
        table, within = resource(core, request["ResourceArn"])
        record = table.settings
        require_settled(record)
        policies = record.get("policies", {})
        before = policies.get(within)
        check_revision(before, request.get("ExpectedRevisionId"))
        if before is None:
            return {}
        kept = {place: policy for place, policy in policies.items() if place != within}
        change.save(table, {**record, "policies": kept})
        return {"RevisionId": before["RevisionId"]}
