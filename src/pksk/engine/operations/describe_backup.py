"""DescribeBackup: what a backup is, and which table it is of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pksk.engine.backups.description import describe_backup_of
from pksk.engine.backups.kept import find_backup
from pksk.engine.core import Answer, Core

__all__ = ["describe_backup"]


def describe_backup(core: Core, request: Mapping[str, Any]) -> Answer:
    """Answer a DescribeBackup request."""
    backup = find_backup(core, request["BackupArn"])
    return {"BackupDescription": describe_backup_of(backup, core.settings, core.now())}
