"""Requests about backups and restores."""

from __future__ import annotations

from typing import Final

__all__ = ["OPERATIONS", "SHAPES"]

_OVERRIDES: Final = (
    "BillingModeOverride:BillingMode GlobalSecondaryIndexOverride:GlobalSecondaryIndexList "
    "LocalSecondaryIndexOverride:LocalSecondaryIndexList ProvisionedThroughputOverride:ProvisionedThroughput "
    "OnDemandThroughputOverride:OnDemandThroughput SSESpecificationOverride:SSESpecification "
    "VectorIndexOverride:VectorIndexList"
)

OPERATIONS: Final[dict[str, str]] = {
    "CreateBackup": "TableName!:TableArn BackupName!",
    "DescribeBackup": "BackupArn!",
    "ListBackups": (
        "TableName:TableArn Limit:BackupsInputLimit TimeRangeLowerBound TimeRangeUpperBound "
        "ExclusiveStartBackupArn:BackupArn BackupType:BackupTypeFilter"
    ),
    "DeleteBackup": "BackupArn!",
    "RestoreTableFromBackup": f"TargetTableName!:TableName BackupArn! {_OVERRIDES}",
    "RestoreTableToPointInTime": (
        "SourceTableArn:TableArn SourceTableName:TableName TargetTableName!:TableName "
        f"UseLatestRestorableTime:boolean RestoreDateTime:Date {_OVERRIDES}"
    ),
}

SHAPES: Final[dict[str, str]] = {
    "BackupArn": "string 37..1024",
    "BackupName": "name 3..255",
    "BackupTypeFilter": "enum ALL AWS_BACKUP USER SYSTEM",
    "BackupsInputLimit": "integer 1..100",
    "Date": "timestamp",
    "TimeRangeLowerBound": "timestamp",
    "TimeRangeUpperBound": "timestamp",
}
