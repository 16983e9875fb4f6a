"""DescribeContinuousBackups: whether a table can be restored to a point in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.core import Answer, Core
from pksk.engine.tables.backups import backed_up_table, shown_backups

__all__ = ["describe_continuous_backups"]


def describe_continuous_backups(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeContinuousBackups request."""
    table = backed_up_table(core, request["TableName"])
    return {"ContinuousBackupsDescription": shown_backups(table.settings, core.now())}
