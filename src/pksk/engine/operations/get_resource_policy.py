"""GetResourcePolicy: the policy of a table or a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.policy import no_policy
from pksk.engine.tables.resource import resource

__all__ = ["get_resource_policy"]


def get_resource_policy(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a GetResourcePolicy request."""
    table, within = resource(core, request["ResourceArn"])
    found = table.settings.get("policies", {}).get(within)
    if found is None:
        raise no_policy()
    return dict(found)
