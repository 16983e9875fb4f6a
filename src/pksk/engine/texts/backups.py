"""What DynamoDB says of backups and restores."""

from __future__ import annotations

from typing import Final

from .tables import INVALID

__all__ = [
    "BACKUP_IN_USE",
    "INVALID_RESTORE_TIME",
    "NO_SOURCE",
    "RESTORE_TIME_MISSING",
    "RESTORE_TIME_TWICE",
    "TARGET_IN_USE",
    "TWO_SOURCES",
    "invalid_start",
    "no_backup",
    "no_such_index",
    "point_in_time_disabled",
    "table_being_deleted",
    "target_exists",
]

# As the API reference words them.
BACKUP_IN_USE: Final = (
    "There is another ongoing conflicting backup control plane operation on the table. "
    "The backup is either being created, deleted or restored to a table."
)
TARGET_IN_USE: Final = "A target table with the specified name is either being created or deleted."
INVALID_RESTORE_TIME: Final = (
    "An invalid restore time was specified. "
    "RestoreDateTime must be between EarliestRestorableDateTime and LatestRestorableDateTime."
)

# Which table is restored, and to which time.
NO_SOURCE: Final = f"{INVALID}One of SourceTableName or SourceTableArn must be specified"
TWO_SOURCES: Final = f"{INVALID}Only one of SourceTableName or SourceTableArn can be specified"
RESTORE_TIME_MISSING: Final = (
    f"{INVALID}Either RestoreDateTime must be specified or UseLatestRestorableTime must be true"
)
RESTORE_TIME_TWICE: Final = (
    f"{INVALID}RestoreDateTime cannot be specified when UseLatestRestorableTime is true"
)


def no_backup(arn: str) -> str:
    """A backup that is not there."""
    return f"Backup not found: {arn}"


def invalid_start(arn: str) -> str:
    """A page of backups that begins after something else."""
    return f"{INVALID}Invalid ExclusiveStartBackupArn: {arn}"


def target_exists(name: str) -> str:
    """A table that is there where one should be restored to."""
    return f"Table already exists: {name}"


def table_being_deleted(name: str) -> str:
    """A table to be backed up that is on its way out."""
    return f"Table is being deleted: {name}"


def point_in_time_disabled(name: str) -> str:
    """A table without point-in-time recovery."""
    return f"Point in time recovery is not enabled for table '{name}'"


def no_such_index(name: str) -> str:
    """An index for the restored table that its source does not have, or not like this."""
    return f"{INVALID}The index {name} does not match an index of the source table"
